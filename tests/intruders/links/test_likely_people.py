"""Sums over the people of whom a row is likely are those over everybody."""

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.intruders.evidence import Agreement, Gaussian, code_both
from swapmeet.intruders.evidence.base import add_up_rows, log_sum
from swapmeet.intruders.evidence.shares import NeighborLists, NeighborShares
from swapmeet.intruders.links import posterior
from swapmeet.intruders.links.posterior import can_sum_over_likely, sum_over_likely
from swapmeet.testing.examples import make_people

N, K = 4_000, 5


def _trade(rng, values, lists, stay):
    """Each row has its person's value, or that of a neighbour."""
    giver = lists.who[np.arange(N), rng.integers(K, size=N)]
    return np.where(rng.random(N) < stay, values, values[giver])


def _pieces(seed, stay):
    rng = np.random.default_rng(seed)
    who = ((np.arange(N)[:, np.newaxis] + rng.integers(1, 40, (N, K))) % N).astype(np.int32)
    who[::7, -1] = -1
    lists = NeighborLists(who, rng.dirichlet(np.ones(K), N))
    columns = [rng.permutation(N), rng.integers(N // 3, size=N), rng.integers(2, size=N)]
    pieces = [
        NeighborShares((str(j),), code_both([one], [_trade(rng, one, lists, stay)]), lists,
                       stay=stay)
        for j, one in enumerate(columns)
    ]  # fmt: skip
    near = rng.normal(size=(1, N))
    kept = code_both([columns[1]], [columns[1]])
    return [*pieces, Agreement(("kept",), kept), Gaussian(("near",), near, near + 0.1)]


@pytest.mark.parametrize("stay", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_the_sum_is_that_over_everybody(seed, stay):
    pieces, rows = _pieces(seed, stay), np.arange(0, N, 97)
    assert can_sum_over_likely(pieces)
    found = np.array([sum_over_likely(pieces, row, N) for row in rows.tolist()])
    expected = log_sum(add_up_rows(pieces, rows), axis=1)
    decided = ~np.isnan(found)
    assert decided.mean() > 0.8
    assert found[decided] == pytest.approx(expected[decided], rel=1e-9)


def test_common_values_take_everybody():
    common = [piece for piece in _pieces(0, 0.0) if piece.columns == ("2",)]
    assert np.isnan(sum_over_likely(common, 0, 10**9))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::swapmeet.SwapmeetWarning")
def test_links_are_the_same_from_likely_people_and_from_everybody(monkeypatch):
    people = make_people(4_000)
    release = sm.mask(people, sm.RWN(k=5), seed=1)
    shares = []
    for many in (10**9, 100):
        monkeypatch.setattr(posterior, "MANY", many)
        score = sm.assess(people, release, measures=["linkage"])["linkage"]
        shares.append([one["share"] for one in score.details["intruders"]])
    assert shares[0] == shares[1]
