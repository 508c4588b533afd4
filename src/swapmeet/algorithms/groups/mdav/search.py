"""The farthest row, and the nearest rows, of a tree from which rows are removed.

Both searches go down the tree, the most promising box first, and leave out boxes that cannot hold a
better row; rows that pass the prefilter are measured exactly. Rows that are all alike are measured
once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.mdav.metric import Metric, distance
from swapmeet.algorithms.groups.mdav.prefilter import (
    LANES,
    at_least,
    at_most,
    convert_query,
    distances,
    farthest_possible,
    nearest_possible,
)
from swapmeet.algorithms.groups.mdav.tree import ALIKE, BELOW, FIRST, LAST, BlockTree
from swapmeet.core.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Floats, Ints, Singles

DEPTH = 16
"""More levels than any tree has."""


@kernel
def farthest(tree: BlockTree, values: Floats, metric: Metric, query: Floats) -> int:
    """The row farthest from `query`, the first of them where several are.

    `todo` is a stack of slots and `bounds` how far their rows can be; `floor` is what a slot must
    reach to hold a row as far as the best one so far.
    """
    # fields are read once: each access inside a loop counts references anew
    low, high, reach, rows, links = tree.low, tree.high, tree.reach, tree.rows, tree.links
    weight, most, has_missing = metric.weight, metric.most, metric.has_missing
    columns, leaves = query.shape[0], low.shape[0] - high.shape[0]
    target, away = np.empty(columns, np.float32), np.empty(LANES, np.float32)
    todo, bounds = np.empty(DEPTH * LANES, np.int64), np.empty(DEPTH * LANES, np.float32)
    convert_query(query, metric, tree.anchor, target)
    best, found, floor = -1.0, -1, np.float32(-1.0)
    block, waiting = links.shape[0] - 1, 0
    while block >= 0:
        begin = waiting
        if block < leaves:
            distances(low, most, target, block, away)
        else:
            farthest_possible(low, high, reach, most, has_missing, target, block, away)
        for c in range(LANES):
            todo[waiting], bounds[waiting] = block * LANES + c, away[c]
            waiting += away[c] >= floor
        if links[block, BELOW] >= leaves:
            _sort(todo, bounds, begin, waiting, np.float32(1.0))
        block = -1
        while waiting > 0 and block < 0:
            waiting -= 1
            slot = todo[waiting]
            if bounds[waiting] < floor:
                continue
            if rows[slot, ALIKE] == 0:
                block = links[slot // LANES, BELOW] + slot % LANES
                continue
            row = rows[slot, FIRST]
            gap = distance(values, weight, most, query, row)
            if gap > best or (gap == best and row < found):
                best, found, floor = gap, row, at_least(gap, tree.size, columns)
    return found


@kernel
def nearest(
    tree: BlockTree, values: Floats, metric: Metric, query: Floats, gaps: Floats, members: Ints
) -> None:
    """Fill `members` with the rows nearest to `query`, the last ones where several are tied.

    `gaps` are their distances; the two are a heap whose root is the next to be displaced, and
    `limit` is the most that a slot may be away to hold a row that displaces it.
    """
    low, high, rows, links = tree.low, tree.high, tree.rows, tree.links
    weight, most = metric.weight, metric.most
    columns, leaves = query.shape[0], low.shape[0] - high.shape[0]
    target, away = np.empty(columns, np.float32), np.empty(LANES, np.float32)
    todo, bounds = np.empty(DEPTH * LANES, np.int64), np.empty(DEPTH * LANES, np.float32)
    length = convert_query(query, metric, tree.anchor, target)
    for i in range(members.shape[0]):
        gaps[i], members[i] = np.inf, -1
    limit = np.float32(np.inf)
    block, waiting = links.shape[0] - 1, 0
    while block >= 0:
        begin = waiting
        if block < leaves:
            distances(low, most, target, block, away)
        else:
            nearest_possible(low, high, most, target, block, away)
        for c in range(LANES):
            todo[waiting], bounds[waiting] = block * LANES + c, away[c]
            waiting += away[c] <= limit
        if links[block, BELOW] >= leaves:
            _sort(todo, bounds, begin, waiting, np.float32(-1.0))
        block = -1
        while waiting > 0 and block < 0:
            waiting -= 1
            slot = todo[waiting]
            if bounds[waiting] > limit:
                continue
            row = rows[slot, LAST]
            if rows[slot, ALIKE] == 1:
                gap = distance(values, weight, most, query, row)
                if gap > gaps[0] or (gap == gaps[0] and row < members[0]):
                    continue
                if slot < leaves * LANES:
                    _displace(gaps, members, gap, row)
                    limit = at_most(gaps[0], length, columns)
                    continue
            block = links[slot // LANES, BELOW] + slot % LANES


@kernel
def _sort(todo: Ints, bounds: Singles, begin: int, end: int, sign: np.float32) -> None:
    """Sort slots by their bounds, rising if the sign is positive."""
    for i in range(begin + 1, end):
        slot, bound = todo[i], bounds[i]
        at = i
        while at > begin and sign * bounds[at - 1] > sign * bound:
            todo[at], bounds[at] = todo[at - 1], bounds[at - 1]
            at -= 1
        todo[at], bounds[at] = slot, bound


@kernel
def _displace(gaps: Floats, members: Ints, gap: float, row: int) -> None:
    """Put a row in the place of the heap's root, and let it sink."""
    size = members.shape[0]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and _goes_first(gaps, members, child + 1, gaps[child], members[child]):
            child += 1
        if not _goes_first(gaps, members, child, gap, row):
            break
        gaps[at], members[at] = gaps[child], members[child]
        at = child
    gaps[at], members[at] = gap, row


@kernel
def _goes_first(gaps: Floats, members: Ints, at: int, gap: float, row: int) -> bool:
    """Return whether the member at a place of the heap is displaced before another one."""
    return gaps[at] > gap or (gaps[at] == gap and members[at] < row)
