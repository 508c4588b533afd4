from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError, TableError

EXAMPLES = [
    sm.MatchedSwap(k=5),
    sm.MatchedSwap(k=3, by="tree", order="squares"),
    sm.MatchedSwap(k=20, weights=1.0, cap=0.5, order="pairs"),
    sm.MatchedSwap(k=4, keep=("income ~ age + town:grade", "age:town:grade")),
]
"""For the contract of all methods."""


@pytest.fixture
def people():
    return sm.datasets.load("diabetes").drop(columns="sex")


def test_every_value_is_released_once_in_its_column(people):
    release = sm.mask(people, sm.MatchedSwap(k=7), seed=1)
    assert release.audit.map.is_permutation().all()


def test_correlations_stay(people):
    release = sm.mask(people, sm.MatchedSwap(k=10), seed=1)
    assert (release.data.corr() - people.corr()).abs().to_numpy().max() < 1e-3


def test_the_cap_holds_in_every_row(people):
    release = sm.mask(people, sm.MatchedSwap(k=5, cap=0.2), seed=1)
    most = [np.unique(row, return_counts=True)[1].max() for row in release.audit.donors]
    assert max(most) == 2


def test_strata_can_be_the_groups(people):
    people["ward"] = np.arange(len(people)) % 40
    schema = sm.Schema.infer(people).assign(strata=["ward"])
    release = sm.mask(people, sm.MatchedSwap(k=10, by="strata"), schema=schema, seed=1)
    wards = people["ward"].to_numpy()
    assert all((wards[donors] == wards).all() for donors in release.audit.donors.T)


def test_groups_below_k_are_refused_and_counted():
    people = pd.DataFrame({"age": np.arange(25.0), "ward": ["a"] * 20 + ["b"] * 3 + ["c"] * 2})
    schema = sm.Schema.infer(people).assign(key=["age"], strata=["ward"])
    with pytest.raises(TableError, match="2 of 3 groups with 2 to 3"):
        sm.mask(people, sm.MatchedSwap(k=5, by="strata"), schema=schema, seed=1)


def test_one_column_is_permuted_and_the_release_says_so():
    people = pd.DataFrame({"age": np.arange(40.0)})
    release = sm.mask(people, sm.MatchedSwap(k=5), seed=1)
    assert any("one column only" in note for note in release.notes)
    assert sorted(release.data["age"]) == sorted(people["age"])


def test_a_relation_of_three_columns_that_is_named_stays(people):
    def products(data):
        z = (data - people.mean()) / people.std()
        return float((z["age"] * z["bmi"] * z["target"]).mean())

    named = sm.mask(people, sm.MatchedSwap(k=20, keep=("target ~ age:bmi",)), seed=1)
    plain = sm.mask(people, sm.MatchedSwap(k=20), seed=1)
    gap = abs(products(named.data) - products(people))
    assert gap < 0.001
    assert gap < abs(products(plain.data) - products(people)) / 10


def test_a_name_to_keep_that_is_no_column_is_refused(people):
    with pytest.raises(SchemaError, match="'agee' is not a masked column; did you mean 'age'"):
        sm.mask(people, sm.MatchedSwap(keep=("target ~ agee",)), seed=1)
