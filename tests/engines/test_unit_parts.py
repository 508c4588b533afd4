from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.engines.units import split_parts
from swapmeet.errors import SchemaError

STREAM = np.random.default_rng(2)
SIZES = STREAM.integers(1, 5, 150)
HOMES = np.repeat(np.arange(150), SIZES)
PEOPLE = pd.DataFrame(
    {
        "town": STREAM.integers(0, 6, 150)[HOMES],
        "home": HOMES,
        "rent": STREAM.normal(size=150)[HOMES],
        "age": STREAM.integers(0, 40, len(HOMES)).astype(float),
    }
)
PLACES = sm.RecordSwap(risk=["age"], k=2, swap_rate=0.2), ["town"]
VALUES = sm.RWN(k=5), ["rent", "age"]
ROLES = {"place": ["town"], "household": ["home"]}


def test_a_combination_is_split_only_if_some_parts_move_units_and_others_do_not():
    both = sm.PerColumn(parts=[PLACES, VALUES])
    moving, others = split_parts(both)
    assert [method.name for method, _ in moving.parts] == ["record-swap"]
    assert [method.name for method, _ in others.parts] == ["rwn"]
    assert split_parts(sm.PerColumn(parts=[VALUES])) is None
    assert split_parts(sm.PerColumn(parts=[PLACES])) is None
    assert split_parts(sm.RWN()) is None


def test_places_trade_by_household_while_other_columns_are_masked_by_level(masked):
    method = sm.PerColumn(parts=[PLACES, VALUES])
    release = masked(PEOPLE, method, **ROLES, seed=1)
    donors = dict(zip(release.audit.columns, release.audit.donors.T, strict=True))
    own = np.arange(len(PEOPLE))
    moved = donors["town"] != own
    assert moved.mean() > 0.1
    homes = HOMES[donors["town"]]
    assert pd.Series(homes).groupby(HOMES).nunique().max() == 1
    assert (SIZES[homes] == SIZES[HOMES]).all()
    assert pd.Series(HOMES[donors["rent"]]).groupby(HOMES).nunique().max() == 1
    assert (donors["age"] != own).mean() > 0.9


def test_the_places_are_those_that_trade_where_nothing_else_is_masked(masked):
    """The risk columns are seen as they were, whichever part masks them."""
    alone = masked(PEOPLE, sm.PerColumn(parts=[PLACES]), **ROLES, seed=1)
    both = masked(PEOPLE, sm.PerColumn(parts=[PLACES, VALUES]), **ROLES, seed=1)
    at = alone.audit.columns.index("town")
    assert np.array_equal(alone.audit.donors[:, at], both.audit.donors[:, at])


def test_what_a_part_cannot_mask_is_refused():
    wrong = sm.RecordSwap(similar=["agee"]), ["town"]
    with pytest.raises(SchemaError, match="`similar`: no column 'agee'; did you mean 'age'"):
        sm.mask(PEOPLE, sm.PerColumn(parts=[wrong, VALUES]), **ROLES, seed=1)
