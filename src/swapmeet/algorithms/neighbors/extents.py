"""Sizes and extents of the neighbourhoods of rows, without listing members."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.algorithms.neighbors.balls import farthest_within, within
from swapmeet.algorithms.neighbors.exact_draws import BLOCKS, LARGEST_BLOCK, find_kth
from swapmeet.algorithms.neighbors.members import total
from swapmeet.algorithms.neighbors.nearest import nearest_of_batch
from swapmeet.algorithms.neighbors.rule import TOLERANCE
from swapmeet.algorithms.neighbors.tree import START, STOP, Tree
from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.algorithms.neighbors.rule import Rule
    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.base.parallel import Workers


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
    found = Extents(np.zeros(n, np.int64), np.full(n, np.inf), np.full(n, np.inf))

    def block(begin: int, end: int) -> None:
        leaves = tree.leaves[begin:end]
        _measure_block(tree, leaves, tree.leaf, rule.k, rule.ball, rule.all_ties, *found)

    together = min(LARGEST_BLOCK, max(-(-len(tree.leaves) // BLOCKS), 1))
    workers.each(block, len(tree.leaves), size=together, label="neighbourhoods")
    return found


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
