"""Links by somebody who knows everybody, against all pairs worked out by brute force."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
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


WAY = "takes the row that fits the person better than anybody like the released rows"


def _share(frame, release, **options):
    score = sm.assess(frame, release, measures=["linkage"], **options)["linkage"]
    found = {one["way"]: one for one in score.details["intruders"]}
    return found.get(WAY)


def _people(n=300, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: rng.normal(size=n) for name in "abcdef"})


def _mask(frame, method, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sm.mask(frame, method, seed=1, **options)


@pytest.mark.parametrize(
    ("method", "least"), [(sm.RankSwap(window=0.15), 0.3), (sm.SJPPDS(bins=8), 0.5)], ids=str
)
def test_the_release_tells_ranks_and_bins_as_well_as_the_people_do(method, least):
    frame = _people()
    one = _share(frame, _mask(frame, method))
    assert one["share"] > least
    assert one["level"] == "target"
    assert one["knows how it was masked"]


def test_columns_that_stay_count_as_well():
    frame = _people().assign(place=np.arange(300.0))
    schema = sm.Schema.infer(frame).assign(keep=["place"])
    release = _mask(frame, sm.RankSwap(window=0.9), schema=schema)
    assert _share(frame, release, schema=schema, known=list(frame.columns))["share"] == 1.0


def test_without_the_method_nobody_tries():
    frame = _people(60)
    assert _share(frame, frame + 0.1, match="rows") is None
