from __future__ import annotations

import numpy as np
import pytest

from swapmeet.measures.intervals import MANY, of_mean, of_share, of_sums


@pytest.mark.parametrize(
    ("count", "total", "interval"),
    [(3, 10, (0.0667, 0.6525)), (10, 10, (0.6915, 1.0)), (0, 10, (0.0, 0.3085))],
)
def test_intervals_of_shares_are_those_of_the_tables_of_clopper_and_pearson(count, total, interval):
    assert of_share(count, total, 0.95) == pytest.approx(interval, abs=5e-5)


def test_sums_and_values_give_the_same_interval_of_many():
    values = np.random.default_rng(0).exponential(size=MANY + 1)
    sums = of_sums(values.sum(), (values**2).sum(), len(values), 0.95)
    assert of_mean(values, 0.95, np.random.default_rng(1)) == pytest.approx(sums, rel=1e-9)
    reach = 1.959964 * values.std(ddof=1) / np.sqrt(len(values))
    assert sums == pytest.approx((values.mean() - reach, values.mean() + reach), rel=1e-6)


def test_the_bootstrap_of_few_is_close_to_the_normal_interval():
    values = np.random.default_rng(2).normal(size=2_000)
    sums = of_sums(values.sum(), (values**2).sum(), len(values), 0.95)
    assert of_mean(values, 0.95, np.random.default_rng(3)) == pytest.approx(sums, abs=0.006)
