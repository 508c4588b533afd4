from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from swapmeet.errors import SchemaError, TableError
from swapmeet.measures.side_by_side.selectivity import QUERIES, compare_selectivity

RNG = np.random.default_rng(4)
N = 600
PEOPLE = pd.DataFrame(
    {
        "job": RNG.choice(["a", "b", "c"], N),
        "town": RNG.choice(list("uvwxyz"), N),
        "age": RNG.integers(20, 70, N).astype(float),
        "sex": RNG.choice(["f", "m"], N),
        "one": "1",
    }
)
PEOPLE["job"] = np.where(PEOPLE["age"] > 45, "a", PEOPLE["job"])


def test_an_unchanged_release_errs_nowhere(compared):
    found = compare_selectivity(compared(PEOPLE, PEOPLE), "job", "town")
    assert [point.selectivity for point in found.points] == pytest.approx(np.arange(1, 7) / 6)
    assert {point.value for point in found.points} == {0.0}
    assert all(point.blind > 0 for point in found.points)
    assert {point.queries for point in found.points} == {QUERIES}


@pytest.mark.slow
def test_a_release_with_targets_dealt_out_errs_as_a_blind_one(compared):
    dealt = PEOPLE.assign(job=RNG.permutation(PEOPLE["job"]))
    found = compare_selectivity(compared(PEOPLE, dealt), "job", "age")
    assert np.mean([point.value for point in found.points]) == pytest.approx(1.0, abs=0.25)


def test_the_whole_of_a_column_of_values_selects_every_row(compared):
    """Alone with its target, a column of which all values are selected gives the exact margins."""
    pair = PEOPLE[["job", "town"]]
    dealt = pair.assign(job=RNG.permutation(pair["job"]))
    found = compare_selectivity(compared(pair, dealt), "job", "town")
    assert found.points[-1].selectivity == 1.0
    assert found.points[-1].error == 0.0
    assert found.points[0].error > 0.0


def test_queries_by_hand(compared):
    """Of f and m, each holding one job, all of whose rows trade: each query is off by all."""
    before = pd.DataFrame({"job": ["a"] * 10 + ["b"] * 10, "sex": ["f"] * 10 + ["m"] * 10})
    after = before.assign(job=before["job"].to_numpy()[::-1])
    first, whole = compare_selectivity(compared(before, after), "job", "sex").points
    assert (first.selectivity, first.error) == (0.5, 20.0)
    assert (whole.selectivity, whole.error) == (1.0, 0.0)


def test_queries_are_the_same_for_every_release(compared):
    dealt = [PEOPLE.assign(job=RNG.permutation(PEOPLE["job"])) for _ in range(2)]
    found = [compare_selectivity(compared(PEOPLE, release), "job", "sex") for release in dealt]
    assert [p.blind for p in found[0].points] == [p.blind for p in found[1].points]
    assert [p.error for p in found[0].points] != [p.error for p in found[1].points]


def test_at_most_sixteen_selectivities_from_one_value_to_all(compared):
    found = compare_selectivity(compared(PEOPLE, PEOPLE), "job", "age")
    shares = [point.selectivity for point in found.points]
    assert len(shares) == 16
    assert (shares[0], shares[-1]) == (1 / PEOPLE["age"].nunique(), 1.0)


def test_curves_become_json_with_their_values(compared):
    dealt = PEOPLE.assign(job=RNG.permutation(PEOPLE["job"]))
    found = compare_selectivity(compared(PEOPLE, dealt), "job", "sex")
    told = json.loads(json.dumps(found.to_dict()))
    assert (told["target"], told["column"]) == ("job", "sex")
    assert [p["value"] for p in told["points"]] == [p.value for p in found.points]


@pytest.mark.parametrize(
    ("pair", "error", "message"),
    [
        (("jop", "age"), SchemaError, "no column 'jop' .* did you mean 'job'"),
        (("job", "job"), SchemaError, "both counted and selected by"),
        (("one", "age"), TableError, "'one' does not vary"),
        (("job", "one"), TableError, "'one' does not vary"),
    ],
)
def test_columns_that_cannot_be_asked_about_are_refused(compared, pair, error, message):
    with pytest.raises(error, match=message):
        compare_selectivity(compared(PEOPLE, PEOPLE), *pair)


def test_others_are_all_selected_by_with_so_much_of_each(compared):
    """All of both others: the queries are those on the column alone."""
    dealt = PEOPLE.assign(job=np.random.default_rng(1).permutation(PEOPLE["job"]))
    three = ["job", "town", "age"]
    found = compare_selectivity(
        compared(PEOPLE, dealt), "job", "town", {"sex": 2, "age": 1_000.0}
    ).points[-1]
    assert found.selectivity == 1.0
    assert found.error == 0.0
    narrow = compare_selectivity(compared(PEOPLE, dealt), "job", "town", {"age": 5.0}).points[-1]
    assert narrow.error > 0.0
    with pytest.raises(SchemaError, match="there is no column 'agee'"):
        compare_selectivity(compared(PEOPLE[three], dealt[three]), "job", "town", {"agee": 5.0})
