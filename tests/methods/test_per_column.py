from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import ParameterError, SchemaError
from swapmeet.methods import make

EXAMPLES = [
    sm.PerColumn(
        parts=[(sm.RWN(k=3), ["income", "age"]), (sm.NBRS(eps=1.0, weights=0.1), ["town", "grade"])]
    ),
    sm.PerColumn(parts=[(sm.Noise(), ["income"]), (sm.MEDS(columns=["age"]), ["age", "since"])]),
    sm.PerColumn(
        parts=[(sm.MatchedSwap(k=4, by="tree"), ["income", "town"]), (sm.RankSwap(), ["age"])]
    ),
]
"""For the contract of all methods."""

RULE = (
    "per-column: `parts` must be pairs (method, column names), at least one, each column named "
    "once; got a list."
)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.random((60, 4)), columns=list("abcd"))


def nearest(values, k):
    points = (values - values.min(axis=0)) / np.ptp(values, axis=0)
    away = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    np.fill_diagonal(away, np.inf)
    return [set(row[:k]) for row in np.argsort(away, axis=1)]


@pytest.mark.parametrize("rows", [None, 30])
def test_a_part_that_matches_relations_keeps_those_of_its_own_columns(rows):
    rng = np.random.default_rng(2)
    values = rng.normal(size=(300, 1)) + 0.5 * rng.normal(size=(300, 4))
    frame = pd.DataFrame(values, columns=list("abcd"))
    parts = [(sm.MatchedSwap(k=5), ["a", "b"]), (sm.MatchedSwap(k=10), ["c", "d"])]
    engine = sm.Local(block_rows=rows)
    release = sm.mask(frame, sm.PerColumn(parts=parts), seed=1, engine=engine)
    assert release.audit.map.is_permutation().all()
    change = (release.data.corr() - frame.corr()).abs()
    assert max(change.loc["a", "b"], change.loc["c", "d"]) < 0.01
    assert sum("relations between columns" in note for note in release.notes) == 2


def test_columns_that_no_part_names_stay(frame):
    release = sm.mask(frame, sm.PerColumn(parts=[(sm.RWN(k=3), ["b"])]), seed=1)
    assert release.data[["a", "c", "d"]].equals(frame[["a", "c", "d"]])
    assert release.audit.moved.sum(axis=0).tolist() == [0, 60, 0, 0]


def test_each_part_sees_its_own_columns_only(frame):
    method = sm.PerColumn(parts=[(sm.RWN(k=3), ["d", "a"]), (sm.RWN(k=2), ["c"])])
    donors = sm.mask(frame, method, seed=1).audit.donors
    first, second = nearest(frame[["a", "d"]].to_numpy(), 3), nearest(frame[["c"]].to_numpy(), 2)
    for row in range(60):
        assert {donors[row, 0], donors[row, 3]} <= first[row]
        assert donors[row, 2] in second[row]
        assert donors[row, 1] == row


def test_two_parts_with_the_same_method_draw_apart(frame):
    twins = frame.assign(b=frame["a"])
    method = sm.PerColumn(parts=[(sm.RWN(k=5), ["a"]), (sm.RWN(k=5), ["b"])])
    donors = sm.mask(twins, method, seed=1).audit.donors
    assert (donors[:, 0] == donors[:, 1]).mean() < 0.6


def test_parts_may_be_of_parts(frame):
    inner = sm.PerColumn(parts=[(sm.RWN(k=3), ["a"])])
    outer = sm.PerColumn(parts=[(inner, ["a", "b"]), (sm.NBRS(eps=3.0), ["c"])])
    moved = sm.mask(frame, outer, seed=1).audit.moved
    assert moved.all(axis=0).tolist() == [True, False, True, False]


def test_strata_hold_for_every_part(frame):
    frame["region"] = ["n", "s"] * 30
    schema = sm.Schema.infer(frame).assign(strata=["region"])
    method = sm.PerColumn(parts=[(sm.RWN(k=3), ["a"]), (sm.NBRS(eps=9.0), ["b", "c"])])
    donors = sm.mask(frame, method, schema=schema, seed=1).audit.donors[:, :3]
    assert (donors % 2 == np.arange(60)[:, None] % 2).all()


def test_run_file_holds_a_list_of_tables(frame):
    method = sm.PerColumn(parts=[(sm.RWN(k=3, q=0.5), ["a"]), (sm.NBRS(eps=1.0), ["b", "c"])])
    first, second = method.settings()["parts"]
    assert (first["name"], first["columns"], first["k"]) == ("rwn", ["a"], 3)
    assert (second["name"], second["columns"], second["eps"]) == ("nbrs", ["b", "c"], 1.0)
    assert make("per-column", method.settings()) == method


def test_unknown_columns_are_all_named(frame):
    method = sm.PerColumn(parts=[(sm.RWN(k=3), ["a", "aa"]), (sm.RWN(k=3), ["zebra"])])
    with pytest.raises(SchemaError) as caught:
        sm.mask(frame, method, seed=1)
    assert len(caught.value.problems) == 2
    assert caught.value.problems[1] == "per-column: 'zebra' is not a masked column."


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [(sm.RWN(), [])],
        [(sm.RWN(), "age")],
        [(sm.RWN(), [1])],
        [(sm.RWN(), ["a", "a"])],
        [(sm.RWN(), ["a"]), (sm.NBRS(eps=1), ["a"])],
        [(sm.RWN, ["a"])],
        [("rwn", ["a"])],
        [sm.RWN()],
    ],
)
def test_parts_are_pairs_of_a_method_and_names(parts):
    with pytest.raises(ParameterError) as caught:
        sm.PerColumn(parts=parts)
    assert str(caught.value) == RULE


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "give `parts`"),
        ({"parts": "rwn"}, "give `parts`"),
        ({"parts": [], "k": 3}, "give `parts`"),
        ({"parts": [{"name": "rwn"}]}, "each part needs `name` and a list of `columns`"),
        ({"parts": [{"columns": ["a"]}]}, "each part needs `name` and a list of `columns`"),
        ({"parts": [3]}, "each part needs `name` and a list of `columns`"),
        ({"parts": [{"name": "rwm", "columns": ["a"]}]}, "no method 'rwm'; did you mean 'rwn'"),
        ({"parts": [{"name": "rwn", "columns": ["a"], "q": 5}]}, "rwn: `q` must be in"),
    ],
)
def test_problems_of_a_run_file_are_told(settings, message):
    with pytest.raises(ParameterError, match=message):
        make("per-column", settings)
