"""Places are a hierarchy, or refused."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.engines.unit_checks import require_nested_places
from swapmeet.errors import TableError
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

PEOPLE = pd.DataFrame(
    {"region": list("AABBCC") * 5, "district": list("112233") * 5, "age": np.arange(30.0)}
)


def see(frame, *places):
    return Microdata.of(Table(frame), sm.Schema.guess(frame, {}).assign(place=places))


def mask(frame, places=("region", "district")):
    with warnings.catch_warnings(action="ignore"):
        return sm.mask(frame, sm.RWN(k=3), place=places, seed=1)


def test_an_area_in_two_larger_ones_is_refused_with_the_count():
    frame = PEOPLE.assign(district=list("123121") * 5)
    with pytest.raises(TableError) as caught:
        mask(frame)
    assert str(caught.value) == (
        "2 of 3 areas of 'district' lie in several areas of 'region' (role place); each must lie "
        "in one. Make one code of both columns, or, if they are no hierarchy, say --together "
        "region,district in place of the role."
    )


def test_nested_places_stay_nested_in_whatever_order_they_are_named():
    released = mask(PEOPLE, ("district", "region")).data
    assert released.groupby("district")["region"].nunique().max() == 1


def test_an_area_that_is_missing_lies_nowhere():
    frame = PEOPLE.assign(district=[None, *PEOPLE["district"][1:-1], None])
    require_nested_places(see(frame, "region", "district"))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=12, max_size=40))
def test_what_is_refused_is_what_is_not_nested(pairs):
    frame = pd.DataFrame(pairs, columns=["a", "b"]).assign(age=np.arange(float(len(pairs))))
    large, small = sorted("ab", key=lambda name: frame[name].nunique())
    if frame.groupby(small)[large].nunique().max() == 1:
        require_nested_places(see(frame, "a", "b"))
    else:
        with pytest.raises(TableError, match="role place"):
            require_nested_places(see(frame, "a", "b"))
