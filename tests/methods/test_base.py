from __future__ import annotations

import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError
from swapmeet.methods import METHODS
from swapmeet.tables.schema import Kind

FRAME = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "town": ["a", "b", "a", "b"]})


@pytest.mark.parametrize("kind", Kind)
def test_some_method_takes_every_kind(kind):
    assert any(kind in method.takes for method in METHODS.values() if method.name != "per-column")


def test_all_columns_that_cannot_be_masked_are_named_with_the_methods_that_can():
    frame = FRAME.assign(land=FRAME["town"])
    with pytest.raises(SchemaError) as told:
        sm.mask(frame, sm.DataShuffle(), seed=1)
    (problem,) = told.value.problems
    assert "cannot mask 'town', 'land', nominal columns; it takes numeric and ordinal" in problem
    listed = problem.partition("ones. ")[2].partition(" can:")[0].split(", ")
    for method in METHODS.values():
        if method.name != "per-column":
            assert (method.name in listed) == (Kind.NOMINAL in method.takes)


def test_parts_of_per_column_are_checked_before_any_of_them_works():
    done = []

    class Watched(sm.RWN):
        def outcome(self, data, streams, workers):
            done.append(1)
            return super().outcome(data, streams, workers)

    method = sm.PerColumn(parts=[(Watched(k=1), ["x"]), (sm.DataShuffle(), ["town"])])
    with pytest.raises(SchemaError, match="data-shuffle cannot mask 'town'"):
        sm.mask(FRAME, method, seed=1)
    assert not done
