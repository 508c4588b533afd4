"""Every likelihood: by people and by rows it says the same, and what a hand would work out."""

import numpy as np
import pytest

from swapmeet.intruders.evidence import (
    Agreement,
    Gaussian,
    GroupShares,
    NeighborLists,
    NeighborShares,
    PeopleRanks,
    RankMoves,
    code_both,
)
from swapmeet.intruders.evidence.base import DOUBT
from swapmeet.intruders.evidence.best import weigh_receivers

RNG = np.random.default_rng(5)
N = 17
PEOPLE = RNG.integers(0, 5, N).astype(float)
PEOPLE[3] = np.nan
ROWS = RNG.permutation(PEOPLE)
CODES = code_both([PEOPLE], [ROWS])
LABELS = np.array([-1, *RNG.integers(0, 4, N - 1)])
WHO = np.stack([RNG.permutation(N)[:4] for _ in range(N)]).astype(np.int32)
WHO[2, 3] = -1
STRATA = np.zeros(N, np.int32)
RANKS = PeopleRanks(PEOPLE, STRATA).find(PEOPLE, STRATA)

LIKELIHOODS = [
    Agreement(("a",), CODES),
    Agreement(("a",), CODES, doubt=0.5),
    GroupShares(("a",), CODES, LABELS),
    GroupShares(("a",), CODES, LABELS, pairs=True),
    NeighborShares(("a",), CODES, NeighborLists.of_draws(WHO)),
    NeighborShares(("a",), CODES, NeighborLists.of_draws(WHO), stay=0.3, doubt=0.05),
    NeighborShares(("a",), CODES, NeighborLists.of_draws(WHO), stay=1.0, doubt=0.05),
    Gaussian(("a", "b"), np.stack([PEOPLE, PEOPLE**2]), np.stack([ROWS, ROWS**2])),
    RankMoves.of(
        ("a",), RANKS, PeopleRanks(PEOPLE, STRATA).find(ROWS, STRATA), np.tile(RANKS[::-1], 3)
    ),
]


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=repr)
def test_by_people_and_by_rows_it_is_the_same(likelihood):
    everybody = np.arange(N)
    by_people, by_rows = likelihood.of_people(everybody), likelihood.of_rows(everybody)
    np.testing.assert_allclose(by_people, by_rows.T, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(likelihood.of_people(everybody[4:6]), by_people[4:6])


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=repr)
def test_no_row_is_ruled_out_by_one_column(likelihood):
    assert np.isfinite(likelihood.of_people(np.arange(N))).all()


@pytest.mark.parametrize(
    "likelihood", [one for one in LIKELIHOODS if hasattr(one, "codes")], ids=repr
)
def test_what_a_person_may_get_adds_up_to_one(likelihood):
    first = np.unique(CODES.rows, return_index=True)[1]
    logs = likelihood.of_people(np.arange(N))[:, first]
    short = likelihood.columns == ("a",) and isinstance(likelihood, NeighborShares)
    totals = np.exp(logs).sum(axis=1)
    np.testing.assert_allclose(np.delete(totals, 2) if short else totals, 1.0, atol=1e-12)


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=repr)
def test_many_values_are_looked_up_as_few_are(likelihood, monkeypatch):
    few = likelihood.of_people(np.arange(N))
    monkeypatch.setattr("swapmeet.comparison.values.MANY", 1)
    np.testing.assert_array_equal(likelihood.of_people(np.arange(N)), few)


def test_a_member_of_a_group_of_two_gets_the_value_of_the_other():
    codes = code_both([np.array([1.0, 2.0, 7.0])], [np.array([2.0, 1.0, 7.0])])
    labels = np.array([0, 0, -1])
    found = np.exp(GroupShares(("a",), codes, labels, pairs=True).of_people(np.arange(3)))
    assert found[0, 0] == pytest.approx(1 - DOUBT + DOUBT / 3)
    assert found[0, 1] == pytest.approx(DOUBT / 3)
    assert found[2, 2] == pytest.approx(1 - DOUBT + DOUBT / 3)
    shared = np.exp(GroupShares(("a",), codes, labels).of_people(np.arange(3)))
    assert shared[0, 0] == shared[0, 1] == pytest.approx(0.5 * (1 - DOUBT) + DOUBT / 3)


def test_of_an_odd_group_one_is_left_over():
    codes = code_both([np.array([1.0, 2.0, 3.0])], [np.array([1.0, 3.0, 2.0])])
    found = np.exp(GroupShares(("a",), codes, np.zeros(3, int), pairs=True).of_people(np.arange(1)))
    np.testing.assert_allclose(found[0], (1 - DOUBT) / 3 + DOUBT / 3)


def test_a_value_comes_from_the_neighbours_or_stays():
    codes = code_both([np.array([1.0, 2.0, 3.0])], [np.array([1.0, 2.0, 3.0])])
    lists = NeighborLists.of_draws(np.array([[1, 2], [0, 2], [0, 1]], np.int32))
    found = np.exp(
        NeighborShares(("a",), codes, lists, stay=0.2, doubt=0.0).of_people(np.arange(2))
    )
    np.testing.assert_allclose(found, [[0.2, 0.4, 0.4], [0.4, 0.2, 0.4]])


def test_neighbours_who_never_give_take_no_room():
    """Where all values stay, all are given with weight 0, more often than there are people."""
    n = 5
    codes = code_both([np.zeros(n)], [np.zeros(n)])
    lists = NeighborLists.of_draws(np.tile(np.arange(n, dtype=np.int32), (n, 1)))
    holders, starts = codes.people_in_order
    logs = np.empty((1, n))
    weigh = weigh_receivers.py_func  # compiled, it would write beyond its memory unseen
    weigh(np.array([0]), starts, holders, *lists.receivers, 1.0, 0.0, codes.chances, logs)
    np.testing.assert_array_equal(logs, np.zeros((1, n)))


def test_ranks_are_those_among_the_people_of_a_stratum():
    people, rows = np.array([10.0, 20.0, 20.0, 1.0]), np.array([20.0, 10.0, 1.0, np.nan])
    strata = np.array([0, 0, 0, 1], np.int32), np.array([0, 0, 1, 0], np.int32)
    ranks = PeopleRanks(people, strata[0])
    np.testing.assert_allclose(ranks.find(people, strata[0]), [1 / 6, 4 / 6, 4 / 6, 1 / 2])
    np.testing.assert_allclose(ranks.find(rows, strata[1]), [4 / 6, 1 / 6, 1 / 2, np.nan])
    np.testing.assert_allclose(ranks.find(np.array([15.0]), strata[0][:1]), [1 / 3])


def test_moves_of_ranks_count_over_chance_and_missing_values_stay():
    ranks = np.array([0.1, 0.3, 0.9, np.nan])
    moves = RankMoves.of(("a",), ranks, ranks, ranks[[1, 0, 2, 3]])
    found = np.exp(moves.of_people(np.arange(4)))
    trade = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    np.testing.assert_allclose(found, (1 - DOUBT) * 4 * trade + DOUBT)


def test_missing_in_both_is_no_distance_and_missing_in_one_is_the_farthest():
    values = np.array([[np.nan, 0.0]])
    found = Gaussian(("a",), values, values).of_people(np.arange(2))
    assert found[0, 0] == found[1, 1] == 0.0
    assert found[0, 1] == found[1, 0] == found.min() < -50


def test_draws_are_counted():
    lists = NeighborLists.of_draws(np.array([[2, 1, 2, 2], [-1, 0, 0, -1], [-1, -1, -1, -1]]))
    assert lists.who.tolist() == [[1, 2], [-1, 0], [-1, -1]]
    np.testing.assert_allclose(lists.weights, [[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]])
    assert lists.lonely.tolist() == [False, False, True]


def test_nothing_is_printed_of_values():
    assert repr(LIKELIHOODS[0]) == "<Agreement of a>"
    assert repr(NeighborLists.of_draws(WHO)) == "<NeighborLists of 17 people>"
