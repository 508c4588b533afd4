from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from swapmeet.errors import UsageError
from swapmeet.io.document import Document
from swapmeet.io.publication import Publication

LIKE = Document(path=Path("in.csv"), format="csv", frame=pa.table({"a": [1, 2], "b": [3, 4]}))
FRAME = pa.table({"a": [1, 2, 3]})


def publication(target="out.csv", like=LIKE, **donors):
    return Publication(target=Path(target), frame=FRAME, like=like, donors=donors)


def test_donors_count_only_while_the_format_stays():
    donors = np.array([0, 1, -1])
    assert publication(a=donors).cell_donors("a") is donors
    assert publication("out.parquet", a=donors).cell_donors("a") is None
    assert publication(a=donors).cell_donors("b") is None


def test_made_cells_are_those_without_a_donor_that_are_not_suppressed():
    assert publication(a=np.array([0, -2, -1])).made_cells("a").tolist() == [False, True, False]
    assert publication(a=np.array([0, 1, -1])).made_cells("a") is None
    assert publication("out.parquet", a=np.array([0, -2, -1])).made_cells("a") is None


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"a": np.array([0])}, "'a' must have one entry per published row, 3; got 1"),
        ({"a": np.array([0, 1, 2])}, "'a' must be rows of in.csv, from 0 to 1"),
        ({"a": np.array([0, 1, -3])}, "'a' must be rows of in.csv"),
        ({"c": np.array([0, 1, 1])}, "name 'c', which in.csv lacks"),
        ({"like": None, "a": np.array([0, 1, 1])}, "need `like`"),
    ],
)
def test_donors_that_fit_nothing_are_refused(request_, message):
    with pytest.raises(UsageError, match=message):
        publication(**request_)


def test_a_table_without_columns_is_refused():
    with pytest.raises(UsageError, match="no column to publish"):
        Publication(target=Path("out.csv"), frame=FRAME.select([]), like=None, donors={})
