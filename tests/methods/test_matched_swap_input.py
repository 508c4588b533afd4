"""Messy tables under matched swapping: nothing breaks, every value stays in its column once."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm

N = 60


def make_people(**columns):
    rng = np.random.default_rng(5)
    people = {"age": rng.integers(18, 80, N).astype(float), "income": rng.lognormal(10, 1, N)}
    return pd.DataFrame({**people, "sex": rng.choice(["m", "f"], N), **columns})


def make_dates():
    dates = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(N) * 11 % 700, "D"))
    return dates.where(np.arange(N) % 7 != 0)


def put_first(*values):
    """Numbers with these at the head."""
    return np.append(values, np.arange(N - len(values), dtype=float))


MESSY = {
    "constant columns": {"one": 1.0, "word": "x"},
    "a column without values": {"none": np.nan},
    "text without values": {"none": pd.Series([None] * N, dtype=object)},
    "dates without values": {"none": pd.Series([pd.NaT] * N, dtype="datetime64[ns]")},
    "one value only": {"lone": put_first(1.0) * np.where(np.arange(N) == 0, 1.0, np.nan)},
    "dates with missing values": {"day": make_dates()},
    "dates of a time zone": {"day": make_dates().dt.tz_localize("UTC")},
    "ordered levels": {
        "grade": pd.Categorical(["lo", "hi", None] * 20, ["lo", "hi"], ordered=True)
    },
    "booleans": {"yes": np.arange(N) % 3 == 0, "maybe": pd.array([True, None] * 30, "boolean")},
    "whole numbers with missing": {"count": pd.array([1, 2, None] * 20, "Int64")},
    "a very large value": {"wealth": put_first(1e150, -1e150)},
    "very small values": {"dust": put_first() * 1e-300},
    "values that differ in the last digit": {"far": 1e16 + put_first() * 2},
    "a level for each row": {"name": [f"n{i}" for i in range(N)]},
    "copies and totals": {"same": np.arange(N), "again": np.arange(N), "minus": -np.arange(N)},
}
METHODS = [
    sm.MatchedSwap(k=5),
    sm.MatchedSwap(k=5, by="tree", order="squares"),
    sm.Microaggregation(k=5, permute=True, exchange="matched"),
]


def mask(people, method, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        return sm.mask(people, method, seed=1, **more)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: f"{method.name}-{method.by}")
@pytest.mark.parametrize("columns", MESSY.values(), ids=MESSY)
def test_every_value_stays_in_its_column_once_and_types_survive(columns, method):
    people = make_people(**columns)
    release = mask(people, method)
    assert release.audit.map.is_permutation().all()
    assert release.audit.moved.mean() > 0.6
    assert (release.data.dtypes == people.dtypes).all()
    for name in people:
        assert sorted(map(str, release.data[name])) == sorted(map(str, people[name]))
    assert not any("nan" in note for note in release.notes)


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e151])
def test_infinite_values_are_refused_and_not_shown(value):
    with pytest.raises(sm.SwapmeetError, match=r"'wealth' holds 1 infinite .* role keep or drop"):
        mask(make_people(wealth=put_first(value)), sm.MatchedSwap(k=5))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: f"{method.name}-{method.by}")
def test_rows_that_are_all_equal_are_released(method):
    people = pd.DataFrame({"a": [1.0] * 20, "b": [2] * 20, "c": ["x"] * 20})
    assert mask(people, method).data.equals(people)


def test_two_rows_make_one_group_of_two():
    people = make_people().head(2)
    releases = [sm.mask(people, sm.MatchedSwap(k=2), seed=seed) for seed in range(20)]
    assert all(release.audit.map.is_permutation().all() for release in releases)
    assert len({release.audit.donors.tobytes() for release in releases}) > 3


@pytest.mark.parametrize("names", [["age"], ["age", "income", "sex"]])
def test_k_may_be_the_number_of_rows(names):
    release = mask(make_people()[names], sm.MatchedSwap(k=N))
    assert any(f"1 group of {N} rows, the whole table" in note for note in release.notes)
    assert release.audit.moved.mean() > 0.9


def test_by_strata_without_strata_it_is_said_that_the_table_is_one_group():
    release = mask(make_people(), sm.MatchedSwap(k=5, by="strata"))
    assert any(f"1 group of {N} rows, the whole table" in note for note in release.notes)


def test_a_category_of_thousands_of_levels_is_pooled_and_it_is_said():
    rng = np.random.default_rng(1)
    streets = [f"street {i}" for i in rng.integers(0, 3000, 4000)]
    people = pd.DataFrame({"street": streets, "age": rng.normal(size=4000)})
    release = mask(people, sm.MatchedSwap(k=5, by="tree"))
    said = next(note for note in release.notes if "kept as if they were one" in note)
    assert "street" in said
    assert "street 1" not in said.replace(f"street {people['street'].nunique()}", "")


def test_of_many_columns_pooled_levels_are_told_as_one_figure():
    people = pd.DataFrame({f"c{i}": [f"n{j}" for j in range(N)] for i in range(13)})
    release = mask(people, sm.MatchedSwap(k=5))
    assert any(note.endswith(f"{13 * N} in 13 columns.") for note in release.notes)


def test_pooled_levels_of_blocks_are_told_once():
    rng = np.random.default_rng(1)
    people = pd.DataFrame(
        {"street": [f"street {i}" for i in rng.integers(0, 300, 400)], "age": rng.normal(size=400)}
    )
    release = mask(people, sm.MatchedSwap(k=5, by="tree"), engine=sm.Local(block_rows=100))
    (said,) = [note for note in release.notes if "kept as if they were one" in note]
    assert said.endswith("or fewer, in each of 4 parts of the table.")
