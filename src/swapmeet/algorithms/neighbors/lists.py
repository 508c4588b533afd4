"""Lists of the nearest rows of every row, and draws from them for any smaller k."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swapmeet.algorithms.neighbors.balls import choose, total, within
from swapmeet.algorithms.neighbors.exact_draws import BLOCKS, LARGEST_BLOCK, draw_cells
from swapmeet.algorithms.neighbors.nearest import nearest_of_batch, push
from swapmeet.algorithms.neighbors.search import TOLERANCE, Rule
from swapmeet.algorithms.neighbors.tree import START, STOP, Tree
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel
from swapmeet.base.parallel import Workers

ROWS_PER_BLOCK = 4096


class Lists(NamedTuple):
    """One line per tree position: rows (`who`) and squared distances (`far`), nearest first.

    Its first entries are used, `lengths` of them. A line that is not full lists all rows there are.
    """

    who: ShortInts
    far: Floats
    lengths: ShortInts


def bytes_needed(n: int, length: int) -> int:
    """The memory of lists of the nearest `length` of `n` rows."""
    entry = np.dtype(np.int32).itemsize + np.dtype(np.float64).itemsize
    return n * (min(length, n) * entry + np.dtype(np.int32).itemsize)


def nearest_lists(tree: Tree, length: int, workers: Workers, leaves: Ints | None = None) -> Lists:
    """List the nearest `length` rows of every row (in these `leaves`); they serve any smaller k."""
    n = len(tree.rows)
    shape = n, min(length, n)
    lists = Lists(np.empty(shape, np.int32), np.empty(shape), np.zeros(n, np.int32))
    listed = tree.leaves if leaves is None else leaves

    def block(begin: int, end: int) -> None:
        _list_block(tree, listed[begin:end], tree.leaf, lists.who, lists.far, lists.lengths)

    together = min(LARGEST_BLOCK, -(-len(listed) // BLOCKS))
    workers.each(block, len(listed), size=together, label="neighbours")
    return lists


def draw_from_lists(
    tree: Tree, lists: Lists, rule: Rule, words: Ints, workers: Workers
) -> ShortInts:
    """Replace the words by donors among the `rule.k` nearest; return the neighbourhoods' sizes.

    Rows that tie beyond the end of a list are sought in the tree.
    """
    sizes = np.empty(len(tree.rows), np.int32)

    def block(begin: int, end: int) -> None:
        _draw_block(
            tree,
            tree.leaf,
            lists.who,
            lists.far,
            lists.lengths,
            begin,
            end,
            rule.k,
            rule.all_ties,
            words,
            sizes,
        )

    workers.each(block, len(sizes), size=ROWS_PER_BLOCK, label="neighbourhoods")
    return sizes


@kernel
def _list_block(
    tree: Tree, leaves: Ints, batch: int, who: ShortInts, far: Floats, lengths: ShortInts
) -> None:
    """Write the lines of all rows in `leaves`."""
    heaps = np.empty((batch, far.shape[1]))
    holders = np.empty((batch, far.shape[1]), np.int64)
    counts = np.empty(batch, np.int64)
    worst = np.empty(batch)
    scratch = np.empty(batch)
    for leaf in leaves:
        for begin in range(tree.nodes[leaf, START], tree.nodes[leaf, STOP], batch):
            end = min(begin + batch, tree.nodes[leaf, STOP])
            nearest_of_batch(tree, leaf, begin, end, heaps, holders, counts, worst, scratch)
            for i in range(end - begin):
                _sort(heaps[i], holders[i], counts[i])
                lengths[begin + i] = counts[i]
                for j in range(counts[i]):
                    far[begin + i, j], who[begin + i, j] = heaps[i, j], tree.rows[holders[i, j]]


@kernel
def _sort(far: Floats, who: Ints, count: int) -> None:
    """Turn a max-heap into a list in ascending order."""
    for last in range(count - 1, 0, -1):
        away, position = far[0], who[0]
        push(far[:last], who[:last], last, far[last], who[last])
        far[last], who[last] = away, position


@kernel
def _draw_block(
    tree: Tree,
    batch: int,
    who: ShortInts,
    far: Floats,
    lengths: ShortInts,
    begin: int,
    end: int,
    k: int,
    all_ties: bool,
    words: Ints,
    sizes: ShortInts,
) -> None:
    """Draw for the tree positions `begin` to `end`."""
    sure, tied = np.empty((64, 3), np.int64), np.empty((64, 3), np.int64)
    taken = np.empty((words.shape[1], 2), np.int64)
    scratch = np.empty(batch)
    width = far.shape[1]
    for pos in range(begin, end):
        row, count = tree.rows[pos], lengths[pos]
        inner, outer = far[pos, k - 1] * (1.0 - TOLERANCE), far[pos, k - 1] * (1.0 + TOLERANCE)
        if count == k or far[pos, k] > outer:
            sizes[row] = _draw_listed(words, row, who[pos], k, 0, 0, taken)
        elif count < width or far[pos, count - 1] > outer:
            firm = _nearer(far[pos], count, inner)
            rivals = _nearer(far[pos], count, np.nextafter(outer, np.inf)) - firm
            places = rivals if all_ties else k - firm
            sizes[row] = _draw_listed(words, row, who[pos], firm, rivals, places, taken)
        else:
            sure, sure_count, tied, tied_count = within(
                tree, pos, inner, outer, sure, tied, scratch
            )
            rivals = total(tied, tied_count)
            sizes[row] = draw_cells(
                tree,
                pos,
                inner,
                outer,
                sure,
                sure_count,
                tied,
                tied_count,
                rivals if all_ties else k - total(sure, sure_count),
                words,
                scratch,
            )


@kernel
def _nearer(far: Floats, count: int, limit: float) -> int:
    """Count those of the first `count` distances, which ascend, that are less than `limit`."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if far[middle] < limit:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _draw_listed(
    words: Ints, row: int, who: ShortInts, firm: int, rivals: int, places: int, taken: Ints
) -> int:
    """Replace the words of a row by donors from its line; return its neighbourhood's size."""
    given = 0
    for j in range(words.shape[1]):
        if words[row, j] < 0:
            words[row, j] = row
        else:
            index, given = choose(words[row, j], firm, rivals, places, taken, given)
            words[row, j] = who[index]
    return firm + places
