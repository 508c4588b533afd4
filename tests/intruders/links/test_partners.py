"""Trades that can be followed, against a table where everybody's partner is known."""

import numpy as np
import pytest

from swapmeet.base.parallel import Workers
from swapmeet.intruders.evidence import Agreement, GroupShares, code_both
from swapmeet.intruders.links.intruder import Truth
from swapmeet.intruders.links.posterior import WRONG, Partners, Posterior

N = 40
RNG = np.random.default_rng(1)


def _trade(values):
    """Everybody trades with a random partner."""
    order = RNG.permutation(len(values))
    partners = np.empty(len(values), int)
    partners[order] = order.reshape(-1, 2)[:, ::-1].ravel()
    return values[partners]


def _group_of(*columns):
    """Evidence of columns whose values traded anywhere."""
    labels = np.zeros(N, np.int64)
    return [
        GroupShares((f"c{j}",), code_both([own], [_trade(own)]), labels, pairs=True)
        for j, own in enumerate(columns)
    ]


def test_who_gave_and_who_got_are_seen_where_values_are_unique():
    codes = code_both([np.array([1.0, 2.0, 3.0, 3.0])], [np.array([2.0, 1.0, 3.0, 3.0])])
    piece = GroupShares(("a",), codes, np.zeros(4, np.int64), pairs=True)
    (partners,) = Partners.of([piece])
    assert partners.row_of.tolist() == [1, 0, -1, -1]
    assert partners.giver.tolist() == [1, 0, -1, -1]


def test_only_values_that_traded_two_by_two_are_followed():
    codes = code_both([np.arange(4.0)], [np.arange(4.0)[::-1]])
    assert Partners.of([Agreement(("a",), codes)]) == []
    assert Partners.of([GroupShares(("a",), codes, np.zeros(4, np.int64))]) == []


def test_a_trade_tells_nothing_where_nothing_is_known_of_its_partners():
    pieces = _group_of(np.arange(float(N)))
    (partners,) = Partners.of([Agreement(("b",), code_both([np.zeros(N)], [np.zeros(N)])), *pieces])
    blank = Partners(partners.pieces[:1], partners.row_of, partners.giver)
    np.testing.assert_allclose(blank.of_people(np.arange(N)), 0.0, atol=1e-9)


def test_a_row_whose_giver_is_in_the_place_of_the_persons_value_fits():
    own = np.arange(float(N))
    moved = _trade(own)
    sure = Agreement(("k",), code_both([own], [own]), doubt=1e-9)
    trades = GroupShares(("a",), code_both([own], [moved]), np.zeros(N, np.int64), pairs=True)
    (partners,) = Partners.of([sure, trades])
    found = partners.of_people(np.arange(N))
    assert np.diag(found) == pytest.approx(np.log((1 - WRONG) * N + WRONG), rel=1e-3)
    assert found[~np.eye(N, dtype=bool)].max() < np.log(WRONG) + 1e-3


def test_trades_find_people_whom_places_alone_do_not():
    places = RNG.integers(0, 6, N).astype(float)
    known = Agreement(("k",), code_both([places], [places]), doubt=1e-3)
    pieces = [known, *_group_of(*(RNG.normal(size=N) for _ in range(6)))]
    truth = Truth(np.arange(N), np.full(N, -1))
    alone = Posterior(pieces, truth, N, Workers(1)).link_all().mean()
    beside = Posterior(pieces, truth, N, Workers(1), Partners.of(pieces)).link_all().mean()
    assert alone < 0.4
    assert beside > 0.7
