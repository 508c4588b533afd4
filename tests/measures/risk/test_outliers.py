from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.risk import outliers
from swapmeet.measures.risk.outliers import Outliers, _median

RNG = np.random.default_rng(4)
N = 200
PEOPLE = pd.DataFrame(RNG.normal(size=(N, 3)), columns=list("abc"))
PEOPLE.loc[[10, 20, 30]] = [[9.0, 9, 9], [-9.0, 9, 0], [0.0, -9, 9]]


def score(released, original=PEOPLE, count=3, **options):
    options = {"match": "rows"} | options
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    card = sm.assess(original, released, schema=schema, measures=[Outliers(count=count)], **options)
    return card["outliers"]


def test_unchanged_extremes_are_all_found():
    found = score(PEOPLE)
    assert found.value == 1.0
    assert found.details["distance"] == "robust"
    assert found.details["still among the most extreme"] == 3
    assert found.details["median distance of the extreme before"] > 8


def test_extremes_that_traded_with_ordinary_people_are_not_found():
    order = np.arange(N)
    order[[10, 20, 30, 11, 21, 31]] = [11, 21, 31, 10, 20, 30]
    found = score(PEOPLE.iloc[order].reset_index(drop=True))
    assert found.value == 0.0
    assert found.details["still among the most extreme"] == 0
    assert found.details["median distance of the extreme after"] < 5


def test_one_of_three_is_left():
    order = np.arange(N)
    order[[10, 20, 11, 21]] = [11, 21, 10, 20]
    found = score(PEOPLE.iloc[order].reset_index(drop=True))
    assert found.value == pytest.approx(1 / 3)


def test_a_plane_leaves_ordinary_distances():
    flat = PEOPLE.assign(d=PEOPLE["a"] + PEOPLE["b"])
    assert score(flat, flat).details["distance"] == "ordinary"


def test_many_columns_leave_ordinary_distances(monkeypatch):
    monkeypatch.setattr(outliers, "WIDE", 2)
    found = score(PEOPLE)
    assert found.details["distance"] == "ordinary"
    assert found.value == 1.0


def test_it_needs_owners_and_numbers():
    assert "not known which released row" in score(PEOPLE, match="unknown").undefined
    schema = sm.Schema((sm.Column("t", "nominal"),))
    words = pd.DataFrame({"t": list("abcab")})
    card = sm.assess(words, words, schema=schema, match="rows", measures=["outliers"])
    assert card["outliers"].undefined == "no known column has numbers"


@pytest.mark.parametrize(
    ("ordered", "median"),
    [([1.0, 2.0, 9.0], 2.0), ([1.0, 2.0, 4.0, 9.0], 3.0), ([1.0, 2.0, 9.0, np.nan, np.nan], 2.0)],
)
def test_the_median_of_ordered_values_leaves_missing_ones_out(ordered, median):
    assert _median(np.array(ordered)) == median


def test_a_missing_value_counts_as_the_median_of_its_column():
    """The values are skewed: their mean would be far out."""
    skewed = PEOPLE.assign(a=np.exp(2.0 * PEOPLE["a"].abs()))
    holed = skewed.assign(a=skewed["a"].where(np.arange(N) % 10 != 5))
    filled = holed.fillna(holed["a"].median())
    one, other = score(holed, holed), score(filled, filled)
    for name in ("median distance of the extreme before", "median distance of the extreme after"):
        assert one.details[name] == pytest.approx(other.details[name], rel=1e-9)
