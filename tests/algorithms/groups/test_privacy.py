from __future__ import annotations

import math

import numpy as np
import pytest

from swapmeet.algorithms.groups.cells import (
    equi_depth_privacy,
    equi_width_privacy,
    exposure,
    minimal_depth,
    partition_degree,
)
from swapmeet.errors import UsageError

TABLE_1 = {
    (0.2, 10_000, 0.1): 0.3466,
    (0.4, 10_000, 0.1): 0.1973,
    (0.4, 10_000, 0.5): 0.1060,
    (0.4, 10_000, 0.9): 0.0461,
    (0.4, 100_000, 0.1): 0.0359,
    (0.4, 100_000, 0.5): 0.0172,
    (0.4, 100_000, 0.9): 0.0069,
    (0.8, 10_000, 0.1): 0.0443,
    (0.8, 10_000, 0.5): 0.0254,
    (0.8, 10_000, 0.9): 0.0125,
    (0.8, 100_000, 0.1): 0.0066,
    (0.8, 100_000, 0.5): 0.0036,
    (0.8, 100_000, 0.9): 0.0017,
}
"""Largest width, rows, correlation: the figure printed. Five of the 18 cells cannot be read."""


def test_degree_and_depth_are_those_of_the_cells_that_hold_rows():
    depths = np.array([4, 0, 2, 7])
    assert partition_degree(depths) == 3
    assert minimal_depth(depths) == 2
    assert partition_degree(np.array([], int)) == minimal_depth(np.array([], int)) == 0


@pytest.mark.parametrize(
    ("depths", "chance"),
    [([2, 9], 1.0), ([1, 9], 1.0), ([3, 9], 0.5), ([11, 0, 21], 0.1), ([], 0.0), ([0], 0.0)],
)
def test_exposure_is_that_of_the_smallest_group(depths, chance):
    assert exposure(np.array(depths, int)) == chance


def test_lemma_1_by_hand():
    """q = 4: (1 + 1/2 + 4 / 12) / 4; q = 2: (1 + 2 / 8) / 2; q = 1: (1 / 6) / 1."""
    assert equi_depth_privacy(4) == pytest.approx((1.5 + 4 / 12) / 4)
    assert equi_depth_privacy(2) == pytest.approx(0.625)
    assert equi_depth_privacy(1) == pytest.approx(1 / 6)


def test_the_constant_of_lemma_1_is_smaller_than_printed():
    """The paper has c between gamma + 0.2 and 1.2; it is gamma - ln 2 + 1/2, about 0.384."""
    for q in (10, 1_000, 100_000):
        constant = q * equi_depth_privacy(q) - math.log(q)
        assert 0.38 < constant < np.euler_gamma + 0.2
    assert constant == pytest.approx(np.euler_gamma - math.log(2) + 0.5, abs=1e-4)


def test_lemma_2_by_hand_and_its_constant():
    assert equi_width_privacy([2, 3, 5]) == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)
    q = 10_000
    constant = q * equi_width_privacy(range(2, q + 2)) - math.log(q)
    assert constant == pytest.approx(np.euler_gamma, abs=1e-4)


def test_lemmas_need_something_to_speak_of():
    with pytest.raises(UsageError, match="`partitions` must be"):
        equi_depth_privacy(0)
    for depths in ([], [2, 1]):
        with pytest.raises(UsageError, match="each 2 or more"):
            equi_width_privacy(depths)


@pytest.mark.parametrize(("case", "printed"), TABLE_1.items())
def test_table_1_is_the_logarithm_of_q_over_q_of_one_corner(case, printed):
    """q rows of the normal law, which is not truncated, are expected in the corner of [-2, 2]²."""
    from scipy.stats import multivariate_normal

    width, n, rho = case
    law = multivariate_normal([0, 0], [[1, rho], [rho, 1]])
    q = math.floor(n * law.cdf([2, 2], lower_limit=[2 - width, 2 - width]))
    assert round(math.log(q) / q, 4) == printed
