from __future__ import annotations

import numpy as np
from brute import copy_of, make_points
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.algorithms.neighbors.tree import RIGHT, START, STOP, build


@given(
    seed=st.integers(0, 1000),
    n=st.integers(1, 600),
    d=st.integers(0, 4),
    levels=st.lists(st.integers(1, 40), max_size=2),
    digits=st.sampled_from([None, 0, 1]),
    leaf=st.integers(1, 64),
)
def test_leaves_cut_the_rows_and_boxes_hold_their_points(seed, n, d, levels, digits, leaf):
    points = make_points(np.random.default_rng(seed), n, d, tuple(levels), digits=digits)
    tree = build(copy_of(points), leaf)
    assert sorted(tree.rows) == list(range(n))
    assert (tree.numbers == points.numbers[:, tree.rows]).all()
    assert (tree.codes == points.codes[:, tree.rows]).all()
    ends = tree.nodes[tree.leaves]
    assert ends[0, START] == 0
    assert ends[-1, STOP] == n
    assert (ends[1:, START] == ends[:-1, STOP]).all()
    for node, (start, stop, right, _) in enumerate(tree.nodes):
        numbers, codes = tree.numbers[:, start:stop], tree.codes[:, start:stop]
        assert (tree.box[node, 0::2] == numbers.min(axis=1)).all()
        assert (tree.box[node, 1::2] == numbers.max(axis=1)).all()
        assert (tree.span[node, 0::2] == codes.min(axis=1)).all()
        assert (tree.span[node, 1::2] == codes.max(axis=1)).all()
        if right == 0 and stop - start > leaf:
            assert (numbers == numbers[:, :1]).all()
            assert (codes == codes[:, :1]).all()


def test_categories_are_split_before_numbers():
    points = make_points(np.random.default_rng(0), 2000, 2, (5,))
    tree = build(copy_of(points), 40)
    pure = tree.span[:, 0] == tree.span[:, 1]
    assert pure[tree.leaves].all()


def test_with_small_weights_numbers_are_split_first():
    points = make_points(np.random.default_rng(0), 2000, 2, (5,))
    points.costs[:] = 1e-6
    tree = build(copy_of(points), 40)
    assert not (tree.span[tree.leaves, 0] == tree.span[tree.leaves, 1]).any()


def test_depth_stays_small_on_skewed_values():
    points = make_points(np.random.default_rng(0), 20_000, 1, ())
    points.numbers[0] = np.exp(20 * points.numbers[0])
    tree = build(copy_of(points), 20)
    sizes = tree.nodes[tree.leaves, STOP] - tree.nodes[tree.leaves, START]
    assert sizes.mean() > 8
    assert (tree.nodes[:, RIGHT] > 0).sum() == len(tree.leaves) - 1
