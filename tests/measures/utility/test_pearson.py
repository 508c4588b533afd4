from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from swapmeet.measures.utility.pearson import FOURTH, SECOND, Moments, PowerSums


def test_correlations_are_those_of_pandas_with_and_without_missing_values():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 4)) @ rng.normal(size=(4, 4)))
    for some in (frame, frame.mask(rng.random(frame.shape) < 0.2)):
        found = Moments(PowerSums.of(some.to_numpy().T, SECOND)).correlations()
        assert found == pytest.approx(some.corr().to_numpy(), rel=1e-12)


def test_moments_over_more_than_one_block_are_the_plain_ones():
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(2, 70_000)) ** 3
    one[::7], other[::11] = np.nan, np.nan
    both = ~np.isnan(one) & ~np.isnan(other)
    x, y = (v[both] - v[both].mean() for v in (one, other))
    found = Moments(PowerSums.of(np.stack([one, other]), FOURTH))
    assert found.count[0, 1] == both.sum()
    for a, b in [(1, 1), (2, 0), (0, 2), (2, 2), (3, 1), (1, 3), (4, 0)]:
        assert found.of(a, b)[0, 1] == pytest.approx((x**a * y**b).mean(), rel=1e-9)


def test_no_correlation_without_variation_or_rows():
    found = Moments(
        PowerSums.of(np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 1.0], [np.nan] * 3]), SECOND)
    )
    assert np.isnan(found.correlations()[0, 1:]).all()
