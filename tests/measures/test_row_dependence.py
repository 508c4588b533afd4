from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import rankdata

from swapmeet.measures.matching import measure_dependence
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind


def test_agreements_have_the_mean_and_variance_of_all_permutations():
    first, second = np.array([0, 0, 1, 1, 2, 0]), np.array([0, 1, 1, 0, 2, 2])
    counts = [int((first == second[list(order)]).sum()) for order in permutations(range(6))]
    wanted = ((first == second).sum() - np.mean(counts)) / np.std(counts)
    one, other = (Variable("x", Kind.NOMINAL, codes, 3) for codes in (first, second))
    assert measure_dependence(one, other, np.zeros(6, int)) == pytest.approx(wanted)


@pytest.mark.parametrize("kind", [Kind.NOMINAL, Kind.NUMERIC])
def test_rows_are_permuted_inside_runs_only(kind):
    """The mean and the variance of two runs are the sums of theirs."""
    rng, run = np.random.default_rng(1), np.array([0, 0, 0, 0, 1, 1, 1])
    first, second = rng.permutation(7) // 2, rng.permutation(7) // 2
    ranks = [rankdata(values) for values in (first, second)]
    parts, found = [], 0.0
    for one in (run == 0, run == 1):
        a, b = (first[one], second[one]) if kind is Kind.NOMINAL else (r[one] for r in ranks)
        score = agree if kind is Kind.NOMINAL else correlate
        counts = [score(a, b[list(order)]) for order in permutations(range(one.sum()))]
        parts.append((np.mean(counts), np.var(counts)))
        found += score(a, b)
    mean, variance = np.sum(parts, axis=0)
    one, other = (Variable("x", kind, values, 4) for values in (first, second))
    wanted = (found - mean) / np.sqrt(variance)
    assert measure_dependence(one, other, run) == pytest.approx(wanted)


def agree(one, other):
    return (one == other).sum()


def correlate(one, other):
    return (one - one.mean()) @ (other - other.mean())


def test_columns_that_never_vary_or_are_empty_depend_on_nothing():
    for kind, values in ((Kind.NOMINAL, np.zeros(9, int)), (Kind.NUMERIC, np.full(9, np.nan)),
                         (Kind.NUMERIC, np.ones(9)), (Kind.NOMINAL, np.full(9, -1))):  # fmt: skip
        same = Variable("x", kind, values, 1)
        assert measure_dependence(same, same, np.zeros(9, int)) == 0.0
