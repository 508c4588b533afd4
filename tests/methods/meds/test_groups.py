from __future__ import annotations

import numpy as np
import pytest
from equi_depth_literal import literal
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from swapmeet.methods import meds as module
from swapmeet.methods.meds import equi_depth


def points(*rows):
    return np.array(rows, float).T.copy()


# by hand


def test_extremes_take_their_neighbours_then_those_left_do():
    """0 and 20 are farthest apart and take 1 and 12; then 2 and 11 do, and take 3 and 10."""
    column = np.array([[0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 20.0]])
    assert equi_depth(column, 2).tolist() == [0, 0, 2, 2, 3, 3, 1, 1]


def test_the_lower_row_chooses_first_where_both_want_the_same():
    """Both heads, 10 apart, want the two rows in the middle."""
    left, right = (0.0, 0.0), (10.0, 0.0)
    middle = [(5.0, 0.0), (5.0, 0.1), (5.0, 4.9), (5.0, -4.9)]
    assert equi_depth(points(left, right, *middle), 3).tolist() == [0, 1, 0, 0, 1, 1]
    assert equi_depth(points(*middle, right, left), 3).tolist() == [0, 0, 1, 1, 0, 1]


def test_of_equally_distant_pairs_the_lowest_rows_are_taken():
    """The corners of a square: both diagonals are as long."""
    assert equi_depth(points((0, 0), (1, 1), (0, 1), (1, 0)), 2).tolist() == [0, 1, 0, 1]
    assert equi_depth(points((0, 0), (0, 1), (1, 0), (1, 1)), 2).tolist() == [0, 0, 1, 1]


def test_rows_that_are_all_alike_are_grouped_in_their_order():
    assert equi_depth(np.zeros((3, 9)), 2).tolist() == [0, 1, 0, 1, 2, 3, 2, 3, 4]
    assert equi_depth(np.zeros((0, 7)), 3).tolist() == [0, 1, 0, 0, 1, 1, 2]


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_fewer_than_twice_k_rows_are_one_group(n):
    assert equi_depth(np.arange(float(n))[None], 3).tolist() == [0] * n


@pytest.mark.parametrize(("n", "k"), [(20, 5), (21, 5), (29, 5), (30, 5), (100, 2), (101, 7)])
def test_groups_have_k_rows_and_the_last_the_rest(n, k):
    labels = equi_depth(np.random.default_rng(n).normal(size=(2, n)), k)
    groups = n // (2 * k) * 2
    assert np.bincount(labels).tolist() == [k] * groups + [n - groups * k] * (n > groups * k)


# against the definition


@pytest.fixture(params=["as it is", "tiny leaves"])
def leaves(request, monkeypatch):
    """Small trees, grown anew all the time, show what only large tables would."""
    if request.param == "tiny leaves":
        monkeypatch.setattr(module, "FEW", (2, 1.0))
        monkeypatch.setattr(module, "MANY", (3, 8.0))
        monkeypatch.setattr(module, "SMALL", 12)


def _agrees(table, k):
    before = table.copy()
    assert np.array_equal(equi_depth(table, k), literal(table, k))
    assert np.array_equal(before, table)


GRID = st.integers(0, 3).map(float)
VALUES = st.floats(-10, 10, width=16)


@given(data=st.data())
@pytest.mark.parametrize("values", [GRID, VALUES], ids=["grid", "values"])
def test_groups_are_those_of_the_definition(values, data):
    p, n = data.draw(st.integers(0, 5)), data.draw(st.integers(1, 60))
    k = data.draw(st.one_of(st.integers(2, 6), st.integers(max(n // 2 - 1, 2), n // 2 + 2)))
    _agrees(data.draw(arrays(np.float64, (p, n), elements=values)), k)


SHAPES = {
    "normal": lambda x: x,
    "rounded": lambda x: np.round(x, 1),
    "few values": lambda x: np.round(x),
    "two values": lambda x: (x > 0).astype(float),
    "skewed": lambda x: np.exp(2 * x),
    "very skewed": lambda x: np.exp(5 * x),
    "sphere": lambda x: x / np.sqrt((x * x).sum(axis=0)),
    "line": lambda x: np.outer(np.arange(1, len(x) + 1), x[0]),
    "clusters": lambda x: x + 20 * np.round(x),
    "squares that underflow": lambda x: x * 1e-160,
    "squares that nearly overflow": lambda x: x * 1e150,
    "one outlier": lambda x: np.concatenate([x, np.full((len(x), 1), 1e6)], axis=1),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("p", "k"), [(1, 2), (2, 5), (3, 3), (4, 9), (8, 2), (8, 30)])
def test_groups_are_those_of_the_definition_on_all_shapes_of_data(leaves, shape, p, k):
    rng = np.random.default_rng(p * 100 + k)
    for n in (17, 150, 400):
        _agrees(SHAPES[shape](rng.normal(size=(p, n))), k)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["normal", "skewed", "rounded"])
@pytest.mark.parametrize("p", [2, 8])
def test_groups_are_those_of_the_definition_on_2000_rows(shape, p):
    _agrees(SHAPES[shape](np.random.default_rng(p).normal(size=(p, 2_000))), 5)


# what must not cost more than it should


@pytest.mark.parametrize("p", [2, 8])
def test_many_rows_that_are_alike_are_no_burden(p):
    """With 50,000 rows at 25 or 256 points, anything quadratic would take minutes."""
    rng = np.random.default_rng(1)
    table = rng.integers(0, 5 if p == 2 else 2, (p, 50_000)).astype(float)
    labels = equi_depth(table, 10)
    assert (np.bincount(labels) == 10).all()
    spread = [np.ptp(table[:, labels == group], axis=1).max() for group in range(0, 5_000, 500)]
    assert np.mean(np.array(spread) == 0) > 0.8


def test_progress_is_reported_by_the_rows_left():
    heard = []
    equi_depth(np.random.default_rng(1).normal(size=(2, 30_000)), 50, heard.append)
    assert heard == sorted(heard, reverse=True)
    assert len(heard) >= 5
    assert heard[-1] == 0
