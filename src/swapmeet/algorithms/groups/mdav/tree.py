"""A wide k-d tree from which rows are removed.

Blocks hold LANES things side by side: blocks of the lowest level hold rows, those above hold boxes,
one for each block below. A slot is the place of one row or box, `block * LANES + lane`. Of each
slot the tree knows the lowest and highest value in each column, the largest distance from the
anchor (in the columns without missing values), the first and last row, and whether its rows are all
alike. Removing a row shrinks the boxes above it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swapmeet.algorithms.groups.mdav.distances import BEYOND, LANES, Metric, to_single
from swapmeet.base.arrays import Floats, Ints, Singles
from swapmeet.base.jit import kernel

FIRST, LAST, ALIKE = range(3)
"""Columns of `rows`."""
BELOW, ABOVE = range(2)
"""Columns of `links`."""
NOBODY = np.iinfo(np.int64).max
"""In place of the first row of a slot without rows."""
SAMPLE = 64
"""Rows of a range that tell which column varies most."""


class BlockTree(NamedTuple):
    """The arrays of the tree.

    `low` is block by column by lane, and so is `high`, which exists for blocks of boxes only: a row
    is its own box. `reach` is the largest squared distance from the anchor in each slot. `rows` has
    the first row and the last row of each slot, and 1 if its rows are all alike. `links` has the
    first block below each block and the slot above it, `slots` the slot of each row. No row is
    farther from the `anchor` than `size`.
    """

    low: Singles
    high: Singles
    reach: Singles
    rows: Ints
    links: Ints
    slots: Ints
    anchor: Floats
    size: float


def grow(values: Floats, metric: Metric, rows: Ints, anchor: Floats) -> BlockTree:
    """The tree of some rows."""
    singles = to_single(values[rows], metric, anchor)
    order = np.arange(len(rows))
    _arrange(_keys(singles, metric), order)
    rows, singles = rows[order], singles[order]
    squares = np.where(singles == BEYOND, 0.0, singles.astype(np.float64)) ** 2
    sizes = _level_sizes(len(rows))
    low, high = _boxes(singles, sizes)
    reach = np.full(sum(sizes) * LANES, -np.inf, np.float32)
    reach[: len(rows)] = squares[:, metric.has_missing == 0.0].sum(axis=1)
    of_slot = np.empty((len(reach), 3), np.int64)
    of_slot[:] = NOBODY, -1, 1
    of_slot[: len(rows), FIRST] = of_slot[: len(rows), LAST] = rows
    slots = np.full(len(values), -1)
    slots[rows] = np.arange(len(rows))
    size = float(np.sqrt(squares.sum(axis=1).max()))
    tree = BlockTree(low, high, reach, of_slot, _links(sizes), slots, anchor, size)
    _summarise_all(tree, values)
    return tree


def remaining_rows(tree: BlockTree) -> Ints:
    """The rows of a tree, near ones side by side."""
    leaves = len(tree.low) - len(tree.high)
    last = tree.rows[: leaves * LANES, LAST]
    return last[last >= 0]


def _keys(singles: Singles, metric: Metric) -> Singles:
    """Make the keys that halve ranges: missing values lie apart, but no farther than they cost."""
    return np.where(singles == BEYOND, (2.0 * np.sqrt(metric.most)).astype(np.float32), singles)


def _level_sizes(rows: int) -> list[int]:
    """Count the blocks of each level, from the leaves up to the root."""
    sizes = [-(-rows // LANES)]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // LANES))
    return sizes


def _boxes(singles: Singles, sizes: list[int]) -> tuple[Singles, Singles]:
    """Blocks of the rows, the last one filled with NaN, and room for the boxes above."""
    n, p = singles.shape
    low = np.full((sum(sizes), p, LANES), np.nan, np.float32)
    high = np.full((sum(sizes) - sizes[0], p, LANES), np.nan, np.float32)
    filled = np.full((sizes[0] * LANES, p), np.nan, np.float32)
    filled[:n] = singles
    low[: sizes[0]] = filled.reshape(sizes[0], LANES, p).swapaxes(1, 2)
    return low, high


def _links(sizes: list[int]) -> Ints:
    """The first block below each block, and the slot above it."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    links = np.full((sum(sizes), 2), -1)
    for level in range(1, len(sizes)):
        before, begin = starts[level - 1], starts[level]
        links[begin : begin + sizes[level], BELOW] = before + LANES * np.arange(sizes[level])
        links[before:begin, ABOVE] = begin * LANES + np.arange(sizes[level - 1])
    return links


@kernel
def _arrange(keys: Singles, order: Ints) -> None:
    """Order the rows so that blocks, blocks of blocks and so on are compact.

    A range is cut at a multiple of LANES times a power of two, so that cuts and blocks coincide.
    """
    begins = np.empty(64, np.int64)
    ends = np.empty(64, np.int64)
    begins[0], ends[0] = 0, order.shape[0]
    waiting = 1
    while waiting > 0:
        waiting -= 1
        begin, end = begins[waiting], ends[waiting]
        if end - begin <= LANES:
            continue
        half = LANES
        while 2 * half < end - begin:
            half *= 2
        middle = begin + half
        _halve(keys, _widest(keys, order, begin, end), order, begin, end, middle)
        begins[waiting], ends[waiting] = begin, middle
        begins[waiting + 1], ends[waiting + 1] = middle, end
        waiting += 2


@kernel
def _widest(keys: Singles, order: Ints, begin: int, end: int) -> int:
    """The column whose values vary most, by a sample of the range."""
    step = (end - begin + SAMPLE - 1) // SAMPLE
    widest, column = -1.0, 0
    for j in range(keys.shape[1]):
        count, total, squares = 0, 0.0, 0.0
        for at in range(begin, end, step):
            x = float(keys[order[at], j] - keys[order[begin], j])
            count += 1
            total += x
            squares += x * x
        spread = squares - total / count * total
        if spread > widest:
            widest, column = spread, j
    return column


@kernel
def _halve(keys: Singles, column: int, order: Ints, begin: int, end: int, middle: int) -> None:
    """Bring the rows with the least values of a column before `middle`."""
    first, last = begin, end - 1
    while first < last:
        pivot = keys[order[(first + last) // 2], column]
        i, j = first, last
        while i <= j:
            while keys[order[i], column] < pivot:
                i += 1
            while keys[order[j], column] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            return


@kernel
def _summarise_all(tree: BlockTree, values: Floats) -> None:
    # blocks of a level come before those above them, so each finds the ones below it up to date
    for block in range(tree.links.shape[0] - 1):
        _summarise(tree.low, tree.high, tree.reach, tree.rows, tree.links, values, block)


@kernel
def remove(tree: BlockTree, values: Floats, row: int) -> None:
    """Remove a row; the boxes above it shrink."""
    low, high, reach, rows, links = tree.low, tree.high, tree.reach, tree.rows, tree.links
    slot = tree.slots[row]
    block = slot // LANES
    for j in range(low.shape[1]):
        low[block, j, slot % LANES] = np.nan
    reach[slot] = -np.inf
    rows[slot, FIRST], rows[slot, LAST] = NOBODY, -1
    while links[block, ABOVE] >= 0 and _summarise(low, high, reach, rows, links, values, block):
        block = links[block, ABOVE] // LANES


@kernel
def _summarise(
    low: Singles, high: Singles, reach: Singles, rows: Ints, links: Ints, values: Floats, block: int
) -> bool:
    """Summarise a block in the slot above it; return whether that slot changed."""
    leaves = low.shape[0] - high.shape[0]
    slot = links[block, ABOVE]
    above, lane = slot // LANES, slot % LANES
    changed, flat = False, True
    for j in range(low.shape[1]):
        least, most = np.float32(np.inf), np.float32(-np.inf)
        for c in range(LANES):
            x = low[block, j, c]
            y = high[block - leaves, j, c] if block >= leaves else x
            least = x if x < least else least
            most = y if y > most else most
        if least > most:
            least = most = np.float32(np.nan)
        flat = flat and least == most
        changed = changed or least != low[above, j, lane] or most != high[above - leaves, j, lane]
        low[above, j, lane], high[above - leaves, j, lane] = least, most
    farthest, first, last = np.float32(-np.inf), NOBODY, -1
    for i in range(block * LANES, (block + 1) * LANES):
        farthest = max(farthest, reach[i])
        first = min(first, rows[i, FIRST])
        last = max(last, rows[i, LAST])
    changed = changed or farthest != reach[slot]
    changed = changed or first != rows[slot, FIRST] or last != rows[slot, LAST]
    reach[slot] = farthest
    rows[slot, FIRST], rows[slot, LAST] = first, last
    rows[slot, ALIKE] = 1 if flat and _are_alike(rows, values, block, first) else 0
    return changed


@kernel
def _are_alike(rows: Ints, values: Floats, block: int, row: int) -> bool:
    """Return whether all rows of a block have the values of one of them."""
    for i in range(block * LANES, (block + 1) * LANES):
        other = rows[i, FIRST]
        if other == NOBODY:
            continue
        if rows[i, ALIKE] == 0:
            return False
        for j in range(values.shape[1]):
            if values[other, j] != values[row, j]:
                return False
    return True
