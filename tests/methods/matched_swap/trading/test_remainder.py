from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matched_examples import make_data

from swapmeet.methods.matched_swap.trading import Keeping, encode_features
from swapmeet.methods.matched_swap.trading.matching import sum_products, summarize_gap

SHAPES = ["number", "nominal", "number", "nominal"]


@pytest.fixture
def both():
    """A table, and the same with its columns shuffled."""
    data = make_data(SHAPES, 120, seed=4)
    rng = np.random.default_rng(5)
    moved = tuple(replace(v, values=rng.permutation(v.values)) for v in data.variables)
    return data, replace(data, variables=moved)


def _summarize(one, other):
    found, moved = (encode_features(data, Keeping()) for data in (one, other))
    before, after = (sum_products(f.feature, f.value, f.total) for f in (found, moved))
    return summarize_gap(found, (after - before) / one.n)


def _frame(data):
    return pd.DataFrame({v.name: v.values for v in data.variables})


def test_nothing_is_left_where_nothing_moved(both):
    assert _summarize(both[0], both[0]) == (0.0, 0.0, 0.0)


def test_the_largest_change_of_a_correlation(both):
    one, other = (_frame(data)[["number0", "number2"]].corr().iloc[0, 1] for data in both)
    assert _summarize(*both).correlation == pytest.approx(abs(one - other) * 119 / 120)


def test_the_largest_change_of_a_table_as_a_share_of_rows(both):
    one, other = (pd.crosstab(f["nominal1"], f["nominal3"]) for f in map(_frame, both))
    assert _summarize(*both).table == pytest.approx((one - other).abs().to_numpy().sum() / 240)


def test_the_largest_change_of_means_by_category(both):
    found = []
    for number in ("number0", "number2"):
        for nominal in ("nominal1", "nominal3"):
            one, other = (f.groupby(nominal)[number].mean() for f in map(_frame, both))
            shares = _frame(both[0])[nominal].value_counts(normalize=True).sort_index()
            apart = (one - other) / _frame(both[0])[number].std()
            found.append(np.sqrt((shares * apart**2).sum()))
    assert _summarize(*both).means == pytest.approx(max(found))


@pytest.mark.parametrize("shapes", [["flat"], ["number"], ["nominal"], ["number", "empty"]])
def test_without_two_columns_that_vary_there_are_no_relations(shapes):
    data = make_data(shapes, 30)
    moved = tuple(replace(v, values=v.values[::-1].copy()) for v in data.variables)
    assert max(_summarize(data, replace(data, variables=moved))) < 1e-12
