"""Draw from exact neighbourhoods with the tree, and find their sizes and extents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swapmeet.algorithms.encode import Points
from swapmeet.algorithms.neighbors.balls import (
    WHOLE,
    add_run,
    choose,
    farthest_within,
    locate,
    nth_in_leaf,
    total,
    within,
)
from swapmeet.algorithms.neighbors.nearest import nearest_of_batch
from swapmeet.algorithms.neighbors.search import TOLERANCE, DrawSummary, DrawTask, Rule
from swapmeet.algorithms.neighbors.tree import START, STOP, Tree, build, swap
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel
from swapmeet.base.parallel import Workers

BLOCKS = 24
"""At least this many blocks, so that threads end together."""
LARGEST_BLOCK = 64
LEFT = -1


def draw_exactly(task: DrawTask, groups: ShortInts) -> DrawSummary:
    """Draw from neighbourhoods among all rows of the same group."""
    tree = tree_of(task.points, groups)
    ends = _own_rows_first(tree, len(task.words))
    return draw_with(tree, task.rule, task.words, task.workers, ends, task.reach)


def tree_of(points: Points, groups: ShortInts) -> Tree:
    """A tree in which rows of different groups are no neighbours. The points are used up."""
    return build(points.separate_groups(groups) if groups.max(initial=0) > 0 else points)


def draw_with(
    tree: Tree,
    rule: Rule,
    words: Ints,
    workers: Workers,
    ends: Ints | None = None,
    reach: Floats | None = None,
) -> DrawSummary:
    """Replace the words by donors.

    `ends` tells where the rows that have words end in each leaf; `reach` is the squared distance
    beyond which rows may be missing from the tree, for each of them.
    """
    sizes, beyond = np.empty(len(words), np.int32), [0]
    ends = tree.nodes[tree.leaves, STOP] if ends is None else ends
    flags = ends > tree.nodes[tree.leaves, START]
    leaves, stops = tree.leaves[flags], ends[flags]
    known = np.empty(0) if reach is None else reach

    def block(begin: int, end: int) -> None:
        count = _draw_block(
            tree,
            leaves[begin:end],
            stops[begin:end],
            tree.leaf,
            rule.k,
            rule.ball,
            rule.all_ties,
            known,
            words,
            sizes,
        )
        beyond.append(count)

    together = min(LARGEST_BLOCK, max(-(-len(leaves) // BLOCKS), 1))
    workers.each(block, len(leaves), size=together, label="neighbourhoods")
    return DrawSummary(sizes, sum(beyond))


def _own_rows_first(tree: Tree, own: int) -> Ints:
    """Put the first `own` rows before all others in their leaf; return where they end."""
    if own == len(tree.rows):
        return tree.nodes[tree.leaves, STOP]
    return _lower_first(tree.numbers, tree.codes, tree.rows, tree.nodes, tree.leaves, own)


@kernel
def _lower_first(
    numbers: Floats, codes: ShortInts, rows: Ints, nodes: Ints, leaves: Ints, own: int
) -> Ints:
    ends = np.empty(leaves.shape[0], np.int64)
    for i in range(leaves.shape[0]):
        end = nodes[leaves[i], START]
        for at in range(end, nodes[leaves[i], STOP]):
            if rows[at] < own:
                swap(numbers, codes, rows, end, at)
                end += 1
        ends[i] = end
    return ends


@kernel
def _draw_block(
    tree: Tree,
    leaves: Ints,
    ends: Ints,
    batch: int,
    k: int,
    ball: float,
    all_ties: bool,
    reach: Floats,
    words: Ints,
    sizes: ShortInts,
) -> int:
    """Draw for the rows in `leaves` up to `ends`; return how many look beyond their reach.

    `ball` is a squared radius, exclusive; 0 means none.
    """
    far = np.empty((batch, k + 1))
    who = np.empty((batch, k + 1), np.int64)
    counts = np.empty(batch, np.int64)
    worst = np.empty(batch)
    scratch = np.empty(batch)
    beyond = 0
    for number in range(leaves.shape[0]):
        leaf = leaves[number]
        for begin in range(tree.nodes[leaf, START], ends[number], batch):
            end = min(begin + batch, ends[number])
            left, far_off = _draw_from_balls(
                tree, begin, end, k, ball, reach, words, sizes, scratch
            )
            beyond += far_off
            if left:
                nearest_of_batch(tree, leaf, begin, end, far, who, counts, worst, scratch)
                beyond += _draw_from_nearest(
                    tree, begin, end, k, all_ties, far, who, counts, reach, words, sizes, scratch
                )
    return beyond


@kernel
def _draw_from_balls(
    tree: Tree,
    begin: int,
    end: int,
    k: int,
    ball: float,
    reach: Floats,
    words: Ints,
    sizes: ShortInts,
    scratch: Floats,
) -> tuple[int, int]:
    """Draw for the rows whose ball holds at least k others; the size of the rest becomes LEFT.

    Returns how many are left, and for how many the ball extends beyond their reach.
    """
    sure, tied = np.empty((64, 3), np.int64), np.empty((64, 3), np.int64)
    left, beyond = 0, 0
    for pos in range(begin, end):
        sizes[tree.rows[pos]] = LEFT
        if _stays(words, tree.rows[pos]):
            sizes[tree.rows[pos]] = 0
        elif ball > 0.0 or k == 0:
            sure, sure_count, tied, _ = within(tree, pos, ball, ball, sure, tied, scratch)
            if total(sure, sure_count) >= k:
                sizes[tree.rows[pos]] = draw_cells(
                    tree, pos, ball, ball, sure, sure_count, tied, 0, 0, words, scratch
                )
                beyond += _is_beyond(ball, reach, tree.rows[pos])
        left += sizes[tree.rows[pos]] == LEFT
    return left, beyond


@kernel
def _stays(words: Ints, row: int) -> bool:
    """Return whether all cells of a row stay; if so, each gets the row as its donor."""
    for j in range(words.shape[1]):
        if words[row, j] >= 0:
            return False
    for j in range(words.shape[1]):
        words[row, j] = row
    return words.shape[1] > 0


@kernel
def _is_beyond(extent: float, reach: Floats, row: int) -> bool:
    """Return whether a neighbourhood extends to where rows may be missing."""
    return reach.shape[0] > 0 and extent > reach[row]


@kernel
def _draw_from_nearest(
    tree: Tree,
    begin: int,
    end: int,
    k: int,
    all_ties: bool,
    far: Floats,
    who: Ints,
    counts: Ints,
    reach: Floats,
    words: Ints,
    sizes: ShortInts,
    scratch: Floats,
) -> int:
    """Draw for the rows that are left, from their k nearest; only ties need another search.

    Returns how many of them look beyond their reach.
    """
    beyond = 0
    sure, tied = np.empty((k + 64, 3), np.int64), np.empty((64, 3), np.int64)
    for pos in range(begin, end):
        i = pos - begin
        if sizes[tree.rows[pos]] != LEFT:
            continue
        kth = find_kth(far[i], counts[i], k)
        inner, outer = kth * (1.0 - TOLERANCE), kth * (1.0 + TOLERANCE)
        sure_count, tied_count, places = 0, 0, 0
        if counts[i] > k and far[i, 0] <= outer:
            sure, sure_count, tied, tied_count = within(
                tree, pos, inner, outer, sure, tied, scratch
            )
            rivals = total(tied, tied_count)
            places = rivals if all_ties else k - total(sure, sure_count)
        else:
            for j in range(max(counts[i] - k, 0), counts[i]):
                sure_count = add_run(sure, sure_count, who[i, j], 1, WHOLE)
        sizes[tree.rows[pos]] = draw_cells(
            tree, pos, inner, outer, sure, sure_count, tied, tied_count, places, words, scratch
        )
        beyond += _is_beyond(kth, reach, tree.rows[pos])
    return beyond


@kernel
def find_kth(far: Floats, size: int, k: int) -> float:
    """The k-th squared distance on a max-heap of k or k + 1."""
    if size <= k:
        return far[0]
    return max(far[1], far[2]) if k > 1 else far[1]


@kernel
def draw_cells(
    tree: Tree,
    pos: int,
    inner: float,
    outer: float,
    sure: Ints,
    sure_count: int,
    tied: Ints,
    tied_count: int,
    places: int,
    words: Ints,
    scratch: Floats,
) -> int:
    """Replace the words of the row at `pos` by donors; return its neighbourhood's size."""
    row = tree.rows[pos]
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
                words[row, j] = tree.rows[start + n]
            else:
                words[row, j] = tree.rows[
                    nth_in_leaf(
                        tree.numbers,
                        tree.codes,
                        tree.costs,
                        tree.span,
                        pos,
                        leaf,
                        start,
                        tree.nodes[leaf, STOP],
                        low,
                        high,
                        n,
                        scratch,
                    )
                ]
    return firm + places


class Extents(NamedTuple):
    """For each row the size of its neighbourhood and two squared distances.

    That to the nearest other row, and that to the farthest member; infinite where there is none.
    """

    sizes: Ints
    nearest: Floats
    farthest: Floats


def measure_extents(tree: Tree, rule: Rule, workers: Workers) -> Extents:
    """Count members, and look for the nearest row and for the farthest member."""
    n = len(tree.rows)
    extents = Extents(np.zeros(n, np.int64), np.full(n, np.inf), np.full(n, np.inf))

    def block(begin: int, end: int) -> None:
        leaves = tree.leaves[begin:end]
        _measure_block(tree, leaves, tree.leaf, rule.k, rule.ball, rule.all_ties, *extents)

    together = min(LARGEST_BLOCK, max(-(-len(tree.leaves) // BLOCKS), 1))
    workers.each(block, len(tree.leaves), size=together, label="neighbourhoods")
    return extents


@kernel
def _measure_block(
    tree: Tree, leaves: Ints, batch: int, k: int, ball: float, all_ties: bool,
    sizes: Ints, nearest: Floats, farthest: Floats,
) -> None:  # fmt: skip
    far = np.empty((batch, max(k, 1) + 1))
    who = np.empty((batch, max(k, 1) + 1), np.int64)
    counts = np.empty(batch, np.int64)
    worst = np.empty(batch)
    scratch = np.empty(batch)
    for leaf in leaves:
        for begin in range(tree.nodes[leaf, START], tree.nodes[leaf, STOP], batch):
            end = min(begin + batch, tree.nodes[leaf, STOP])
            nearest_of_batch(tree, leaf, begin, end, far, who, counts, worst, scratch)
            for pos in range(begin, end):
                heap = far[pos - begin][: counts[pos - begin]]
                row = tree.rows[pos]
                if heap.shape[0] > 0:
                    nearest[row] = heap.min()
                sizes[row], farthest[row] = _measure(tree, pos, heap, k, ball, all_ties, scratch)


@kernel
def _measure(
    tree: Tree, pos: int, heap: Floats, k: int, ball: float, all_ties: bool, scratch: Floats
) -> tuple[int, float]:
    """The size of a neighbourhood and its farthest member, from the heap of the nearest rows."""
    sure, tied = np.empty((64, 3), np.int64), np.empty((64, 3), np.int64)
    if ball > 0.0 or k == 0:
        sure, sure_count, tied, _ = within(tree, pos, ball, ball, sure, tied, scratch)
        inside = total(sure, sure_count)
        if inside >= k:
            return inside, farthest_within(tree, pos, ball, scratch) if inside > 0 else np.inf
    if heap.shape[0] == 0:
        return 0, np.inf
    kth = find_kth(heap, heap.shape[0], k)
    inner, outer = kth * (1.0 - TOLERANCE), kth * (1.0 + TOLERANCE)
    if all_ties and heap.shape[0] > k and heap[0] <= outer:
        sure, sure_count, tied, tied_count = within(tree, pos, inner, outer, sure, tied, scratch)
        return total(sure, sure_count) + total(tied, tied_count), kth
    return min(heap.shape[0], k), kth
