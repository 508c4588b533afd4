from __future__ import annotations

import numpy as np
import pandas as pd

import swapmeet as sm
from swapmeet.inspecting.columns import Columns
from swapmeet.inspecting.findings import find_places
from swapmeet.tables.frame import Table

RNG = np.random.default_rng(11)
TOWN = RNG.integers(0, 60, 900)


def places(frame, household=None):
    table = Table(frame)
    columns = Columns(table, sm.Schema.guess(table, {}))
    return [one.columns for one in find_places(columns, household)]


def test_nested_areas_are_listed_from_large_to_small():
    frame = pd.DataFrame({"town": TOWN, "district": TOWN // 6, "state": TOWN // 30})
    assert places(frame) == [("state", "district", "town")]


def test_a_short_name_of_municipalities_is_a_place():
    frame = pd.DataFrame({"muni": TOWN, "region": TOWN // 6})
    assert places(frame) == [("region", "muni")]


def test_areas_that_cross_are_not_one_hierarchy():
    frame = pd.DataFrame({"region": TOWN // 20, "zone": RNG.integers(0, 9, 900)})
    assert places(frame) == [("region",)]


def test_a_column_that_differs_inside_households_is_no_place():
    frame = pd.DataFrame({"home": np.arange(900) // 3, "region": (np.arange(900) // 3) % 5})
    assert places(frame, "home") == [("region",)]
    frame.loc[0, "region"] = 4
    assert places(frame, "home") == []


def test_where_people_were_born_is_not_where_they_live():
    assert places(pd.DataFrame({"birth_region": TOWN // 20, "state": TOWN // 30})) == []


def test_an_area_of_one_row_is_an_address():
    assert places(pd.DataFrame({"commune": np.arange(900)})) == []
