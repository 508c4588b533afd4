from __future__ import annotations

import numpy as np
import pytest

from swapmeet.algorithms.groups.mdav.distances import (
    LANES,
    at_least,
    at_most,
    convert_query,
    distance,
    distances,
    farthest_possible,
    measure_columns,
    nearest_possible,
    to_single,
)
from swapmeet.algorithms.groups.mdav.rounds import mean_of, totals_of
from swapmeet.algorithms.groups.mdav.tree import ABOVE, LAST, grow

NAN = np.nan
ROWS = 40 * LANES


def normal(p, seed=1):
    return np.random.default_rng(seed).standard_normal((p, ROWS))


def holed(columns, share=0.1):
    return np.where(np.random.default_rng(2).random(columns.shape) < share, NAN, columns)


TABLES = {
    "normal": lambda: normal(12),
    "one column": lambda: normal(1),
    "many columns": lambda: normal(200),
    "few points": lambda: normal(5)[:, np.arange(ROWS) // (2 * LANES)],
    "heavy tails": lambda: np.random.default_rng(3).standard_cauchy((5, ROWS)),
    "two tight heaps": lambda: 1e-7 * normal(4) + np.arange(ROWS) % 2,
    "far from zero": lambda: 1e9 + 1e-3 * normal(3),
    "holes": lambda: holed(normal(6)),
    "holes in some": lambda: np.concatenate([normal(3), holed(normal(3, 4), 0.5)]),
}


@pytest.fixture(params=TABLES)
def space(request):
    """Rows, their metric, the tree, and queries: some rows and their mean."""
    values, metric = measure_columns(TABLES[request.param]())
    anchor = mean_of(totals_of(values, np.arange(100)))
    tree = grow(values, metric, np.arange(ROWS), anchor)
    return values, metric, tree, [anchor, *values[::77]]


def rows_of(tree, block):
    return tree.rows[block * LANES : (block + 1) * LANES, LAST]


def converted(tree, query, metric):
    """The query as the prefilter sees it, and how far it is out."""
    target = np.empty(len(query), np.float32)
    return target, convert_query(query, metric, tree.anchor, target)


def test_the_prefilter_is_off_by_no_more_than_it_says(space):
    values, metric, tree, queries = space
    away = np.empty(LANES, np.float32)
    for query in queries:
        target, length = converted(tree, query, metric)
        for block in range(len(tree.low) - len(tree.high)):
            distances(tree.low, metric.most, target, block, away)
            for lane, row in enumerate(rows_of(tree, block)):
                exact = distance(values, metric.weight, metric.most, query, row)
                assert away[lane] <= at_most(exact, length, len(query))
                assert away[lane] >= at_least(exact, max(tree.size, length), len(query))


def test_no_row_of_a_box_is_nearer_or_farther_than_the_box_allows(space):
    values, metric, tree, queries = space
    leaves = len(tree.low) - len(tree.high)
    nearest, farthest, away = (np.empty(LANES, np.float32) for _ in range(3))
    for query in queries:
        target, length = converted(tree, query, metric)
        for child in range(leaves):
            block, lane = divmod(tree.links[child, ABOVE], LANES)
            nearest_possible(tree.low, tree.high, metric.most, target, block, nearest)
            farthest_possible(
                tree.low, tree.high, tree.reach, metric.most, metric.has_missing, target, block,
                farthest,
            )  # fmt: skip
            distances(tree.low, metric.most, target, child, away)
            assert nearest[lane] <= away.min()
            exact = max(
                distance(values, metric.weight, metric.most, query, row)
                for row in rows_of(tree, child)
            )
            assert farthest[lane] >= at_least(exact, max(tree.size, length), len(query))


def test_a_missing_value_is_beyond_all_others():
    values, metric = measure_columns(np.array([[1.0, 2.0, NAN]]))
    singles = to_single(values, metric, np.array([1.0, 0.0, 0.0, 0.0]))
    assert singles[:, 0].tolist() == [0.0, 2.0, np.float32(1e18)]
