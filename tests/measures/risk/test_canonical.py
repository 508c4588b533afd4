from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sdcmicro_golden import table

from swapmeet.measures.risk.dr3 import FileSpace, canonical_correlations


def test_of_two_columns_it_is_their_correlation():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 50))
    found = canonical_correlations(FileSpace(one[None]), FileSpace((one + other)[None]))
    assert found == pytest.approx([abs(np.corrcoef(one, one + other)[0, 1])])


def test_a_space_meets_itself_completely():
    columns = np.random.default_rng(0).normal(size=(3, 50))
    mixed = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 1.0], [5.0, 0.0, 1.0]]) @ columns + 7.0
    assert canonical_correlations(FileSpace(columns), FileSpace(mixed)) == pytest.approx([1.0] * 3)


def test_columns_that_follow_from_others_add_nothing():
    one, other = np.random.default_rng(0).normal(size=(2, 2, 50))
    more = np.concatenate([one, [one[0] - 2 * one[1]], np.ones((1, 50))])
    assert FileSpace(more).rank == 2
    found = canonical_correlations(FileSpace(more), FileSpace(other))
    assert found == pytest.approx(canonical_correlations(FileSpace(one), FileSpace(other)))


def test_a_column_can_be_left_out_and_rows_be_paired_anew():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 3, 50))
    pairs = rng.permutation(50), rng.permutation(50)
    found = canonical_correlations(FileSpace(one), FileSpace(other), pairs, without=1)
    left, right = one[[0, 2]][:, pairs[0]], other[[0, 2]][:, pairs[1]]
    assert found == pytest.approx(canonical_correlations(FileSpace(left), FileSpace(right)))


def test_without_any_column_there_is_no_correlation():
    assert (
        canonical_correlations(FileSpace(np.ones((1, 9))), FileSpace(np.arange(9.0)[None])).size
        == 0
    )


@pytest.mark.parametrize("name", ["census", "tarragona", "bodyfat", "diabetes"])
def test_correlations_of_ranks_are_those_of_r(shared, name):
    folder = shared / "reference" / "sdcmicro" / name
    golden = json.loads((folder / "canonical_correlation_CM2_CM3_of_mdav_pairs.json").read_text())
    x = table(shared, name).to_numpy(float)
    for pair in ("mdav_aggr3", "mdav_aggr5", "mdav_aggr10"):
        y = pd.read_csv(folder / f"microaggregation_{pair}_mx.csv").to_numpy(float)
        one, other = (FileSpace(rankdata(values, axis=0).T) for values in (x, y))
        rho = canonical_correlations(one, other)
        assert rho == pytest.approx(golden[pair]["rho"], abs=1e-10)
        assert np.prod(1 - rho**2) == pytest.approx(golden[pair]["cm2"], rel=1e-8)
        orders = [
            (np.argsort(x[:, j], kind="stable"), np.argsort(y[:, j], kind="stable"))
            for j in range(x.shape[1])
        ]
        cm2 = [
            np.prod(1 - canonical_correlations(one, other, pairs, without=j) ** 2)
            for j, pairs in enumerate(orders)
        ]
        assert cm2 == pytest.approx(list(golden[pair]["cm3_by_column"].values()), rel=1e-8)
        assert min(cm2) == pytest.approx(golden[pair]["cm3"], rel=1e-8)
