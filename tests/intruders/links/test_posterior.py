"""Links by somebody who knows everybody, against all pairs worked out by brute force."""

import numpy as np
import pytest

from swapmeet.base.parallel import Workers
from swapmeet.intruders.evidence import Agreement, Gaussian, code_both
from swapmeet.intruders.links.family import link_one_to_one
from swapmeet.intruders.links.intruder import Truth
from swapmeet.intruders.links.posterior import Posterior

N = 60
RNG = np.random.default_rng(3)
PEOPLE = np.stack([RNG.normal(size=N), RNG.integers(0, 3, N).astype(float)])
ROWS = np.stack([PEOPLE[0] + 0.15 * RNG.normal(size=N), PEOPLE[1]])
PIECES = [
    Gaussian(("a",), PEOPLE[:1] / 0.15, ROWS[:1] / 0.15),
    Agreement(("b",), code_both([PEOPLE[1]], [ROWS[1]]), doubt=0.1),
]
TRUTH = Truth(np.arange(N), np.full(N, -1))


@pytest.fixture
def posterior():
    return Posterior(PIECES, TRUTH, N, Workers(2))


@pytest.fixture
def weights():
    fits = sum(piece.of_people(np.arange(N)) for piece in PIECES)
    return fits - np.log(np.exp(fits).sum(axis=0))


def test_the_weight_is_the_probability_that_a_row_is_the_persons(posterior, weights):
    np.testing.assert_allclose(posterior.weigh(np.arange(N)), weights, atol=1e-9)
    np.testing.assert_allclose(np.exp(weights).sum(axis=0), 1.0)


def test_all_people_are_linked_as_by_brute_force(posterior, weights):
    expected = weights.argmax(axis=1) == np.arange(N)
    assert posterior.link_all().tolist() == expected.tolist()
    assert 0.2 < expected.mean() < 0.95


def test_some_people_are_linked_as_all_are(posterior):
    some = np.arange(0, N, 3)
    assert posterior.link_some(some).tolist() == posterior.link_all()[some].tolist()


def test_rows_go_to_whom_they_fit_best(posterior):
    fits = sum(piece.of_people(np.arange(N)) for piece in PIECES)
    expected = fits.argmax(axis=0) == np.arange(N)
    assert posterior.link_rows(np.arange(N)).tolist() == expected.tolist()


def test_one_to_one_links_are_the_best_as_a_whole(posterior, weights):
    from scipy.optimize import linear_sum_assignment

    best = linear_sum_assignment(-weights)[1]
    found = link_one_to_one(posterior, RNG.permutation(N))
    assert found.mean() == pytest.approx((best == np.arange(N)).mean())


def test_where_nothing_is_known_links_are_chance():
    blank = [Gaussian(("a",), np.zeros((1, N)), np.zeros((1, N)))]
    posterior = Posterior(blank, TRUTH, N, Workers(1))
    np.testing.assert_allclose(posterior.link_all(), 1 / N)
    assert link_one_to_one(posterior, RNG.permutation(N)).sum() <= 8
