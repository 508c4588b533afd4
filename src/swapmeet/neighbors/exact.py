"""Draw from exact neighbourhoods, with the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.kernel import Codes, Floats, Ints, kernel
from swapmeet.neighbors.members import WHOLE, add_run, choose, locate, total
from swapmeet.neighbors.nearest import nearest_of_batch
from swapmeet.neighbors.rule import TOLERANCE
from swapmeet.neighbors.tree import START, STOP, Tree, build
from swapmeet.neighbors.within import nth_in_leaf, within

if TYPE_CHECKING:
    from swapmeet.blocks import Workers
    from swapmeet.encode import Points
    from swapmeet.neighbors.rule import Rule
    from swapmeet.neighbors.search import Task

BLOCKS = 24
"""At least this many blocks, so that threads end together."""
LARGEST_BLOCK = 64
LEFT = -1


def draw_exactly(task: Task, groups: Codes) -> Codes:
    """Draw from neighbourhoods among all rows of the same group."""
    return draw_with(tree_of(task.points, groups), task.rule, task.words, task.workers)


def tree_of(points: Points, groups: Codes) -> Tree:
    """A tree in which rows of different groups are no neighbours. The points are used up."""
    return build(points.walled(groups) if groups.max(initial=0) > 0 else points)


def draw_with(tree: Tree, rule: Rule, words: Ints, workers: Workers) -> Codes:
    """Replace the words by donors; return the size of each row's neighbourhood."""
    sizes = np.empty(len(tree.rows), np.int32)

    def block(begin: int, end: int) -> None:
        _draw_block(
            tree.numbers, tree.codes, tree.costs, tree.limits, tree.nodes, tree.box, tree.span,
            tree.rows, tree.leaves[begin:end], tree.leaf, rule.k, rule.ball, rule.all_ties,
            words, sizes,
        )  # fmt: skip

    leaves = min(LARGEST_BLOCK, -(-len(tree.leaves) // BLOCKS))
    workers.each(block, len(tree.leaves), size=leaves, label="neighbourhoods")
    return sizes


@kernel
def _draw_block(
    numbers: Floats, codes: Codes, costs: Floats, limits: Floats, nodes: Ints, box: Floats,
    span: Codes, rows: Ints, leaves: Ints, batch: int, k: int, ball: float, all_ties: bool,
    words: Ints, sizes: Codes,
) -> None:  # fmt: skip
    """Draw for all rows in `leaves`. `ball` is a squared radius, exclusive; 0 means none."""
    far = np.empty((batch, k + 1))
    who = np.empty((batch, k + 1), np.int64)
    found = np.empty(batch, np.int64)
    worst = np.empty(batch)
    scratch = np.empty(batch)
    for leaf in leaves:
        for begin in range(nodes[leaf, START], nodes[leaf, STOP], batch):
            end = min(begin + batch, nodes[leaf, STOP])
            left = _draw_from_balls(
                numbers, codes, costs, limits, nodes, box, span, rows, begin, end, k, ball,
                words, sizes, scratch,
            )  # fmt: skip
            if left:
                nearest_of_batch(
                    numbers, codes, costs, limits, nodes, box, span, leaf, begin, end,
                    far, who, found, worst, scratch,
                )  # fmt: skip
                _draw_from_nearest(
                    numbers, codes, costs, limits, nodes, box, span, rows, begin, end, k, all_ties,
                    far, who, found, words, sizes, scratch,
                )  # fmt: skip


@kernel
def _draw_from_balls(
    numbers: Floats, codes: Codes, costs: Floats, limits: Floats, nodes: Ints, box: Floats,
    span: Codes, rows: Ints, begin: int, end: int, k: int, ball: float,
    words: Ints, sizes: Codes, scratch: Floats,
) -> int:  # fmt: skip
    """Draw for the rows whose ball holds at least k others; the size of the rest becomes LEFT.

    Returns how many are left.
    """
    sure, tied = np.empty((64, 3), np.int64), np.empty((64, 3), np.int64)
    left = 0
    for pos in range(begin, end):
        sizes[rows[pos]] = LEFT
        if ball > 0.0 or k == 0:
            sure, sure_count, tied, _ = within(
                numbers, codes, costs, limits, nodes, box, span, pos,
                ball, ball, sure, tied, scratch,
            )  # fmt: skip
            if total(sure, sure_count) >= k:
                sizes[rows[pos]] = draw_cells(
                    numbers, codes, costs, nodes, span, rows, pos, ball, ball,
                    sure, sure_count, tied, 0, 0, words, scratch,
                )  # fmt: skip
        left += sizes[rows[pos]] == LEFT
    return left


@kernel
def _draw_from_nearest(
    numbers: Floats, codes: Codes, costs: Floats, limits: Floats, nodes: Ints, box: Floats,
    span: Codes, rows: Ints, begin: int, end: int, k: int, all_ties: bool,
    far: Floats, who: Ints, found: Ints, words: Ints, sizes: Codes, scratch: Floats,
) -> None:  # fmt: skip
    """Draw for the rows that are left, from their k nearest; only ties need another search."""
    sure, tied = np.empty((k + 64, 3), np.int64), np.empty((64, 3), np.int64)
    for pos in range(begin, end):
        i = pos - begin
        if sizes[rows[pos]] != LEFT:
            continue
        kth = _kth(far[i], found[i], k)
        inner, outer = kth * (1.0 - TOLERANCE), kth * (1.0 + TOLERANCE)
        sure_count, tied_count, places = 0, 0, 0
        if found[i] > k and far[i, 0] <= outer:
            sure, sure_count, tied, tied_count = within(
                numbers, codes, costs, limits, nodes, box, span, pos,
                inner, outer, sure, tied, scratch,
            )  # fmt: skip
            rivals = total(tied, tied_count)
            places = rivals if all_ties else k - total(sure, sure_count)
        else:
            for j in range(max(found[i] - k, 0), found[i]):
                sure_count = add_run(sure, sure_count, who[i, j], 1, WHOLE)
        sizes[rows[pos]] = draw_cells(
            numbers, codes, costs, nodes, span, rows, pos, inner, outer,
            sure, sure_count, tied, tied_count, places, words, scratch,
        )  # fmt: skip


@kernel
def _kth(far: Floats, found: int, k: int) -> float:
    """The k-th squared distance on a max-heap of k or k + 1."""
    if found <= k:
        return far[0]
    return max(far[1], far[2]) if k > 1 else far[1]


@kernel
def draw_cells(
    numbers: Floats, codes: Codes, costs: Floats, nodes: Ints, span: Codes, rows: Ints, pos: int,
    inner: float, outer: float, sure: Ints, sure_count: int, tied: Ints, tied_count: int,
    places: int, words: Ints, scratch: Floats,
) -> int:  # fmt: skip
    """Replace the words of the row at `pos` by donors; return its neighbourhood's size."""
    row = rows[pos]
    firm, rivals = total(sure, sure_count), total(tied, tied_count)
    beyond = np.nextafter(outer, np.inf)
    taken = np.empty((words.shape[1] if places < rivals else 0, 2), np.int64)
    given = 0
    for j in range(words.shape[1]):
        if words[row, j] < 0:
            words[row, j] = row
        elif firm + places == 0:
            words[row, j] = -1
        else:
            index, given = choose(words[row, j], firm, rivals, places, taken, given)
            if index < firm:
                run, n = locate(sure, sure_count, index)
                start, leaf, low, high = sure[run, 0], sure[run, 2], 0.0, inner
            else:
                run, n = locate(tied, tied_count, index - firm)
                start, leaf, low, high = tied[run, 0], tied[run, 2], inner, beyond
            if leaf == WHOLE:
                words[row, j] = rows[start + n]
            else:
                words[row, j] = rows[nth_in_leaf(
                    numbers, codes, costs, span, pos, leaf, start, nodes[leaf, STOP],
                    low, high, n, scratch,
                )]  # fmt: skip
    return firm + places
