"""Groups by maximum distance to average vector (Domingo-Ferrer and Torra 2005).

The farthest row, and the nearest rows, of a tree from which rows are removed.

Both searches go down the tree, the most promising box first, and leave out boxes that cannot hold a
better row; rows that pass the prefilter are measured exactly. Rows that are all alike are measured
once.
"""

from __future__ import annotations

import numpy as np

from swapmeet.algorithms.groups.mdav.distances import (
    FAR_OUT,
    LANES,
    Metric,
    at_least,
    at_most,
    convert_query,
    distance,
    distances,
    farthest_possible,
    measure_columns,
    nearest_possible,
)
from swapmeet.algorithms.groups.mdav.tree import (
    ALIKE,
    BELOW,
    FIRST,
    LAST,
    BlockTree,
    grow,
    remaining_rows,
    remove,
)
from swapmeet.base.arrays import Floats, Ints, Singles
from swapmeet.base.jit import kernel
from swapmeet.base.parallel import Workers

SMALL = 1024
"""A tree of this many rows or fewer is not grown anew."""
STEP = 4096
"""Progress is reported after about this many rows."""


def mdav(columns: Floats, k: int, workers: Workers, *, scaled: bool = False) -> Ints:
    """The group of each row of `columns` (column by row), `scaled` if they count as they are.

    While 2k or more rows are left: r is the row farthest from their mean and s the row farthest
    from r, the first one where several are. The k rows nearest to r become a group, and if 3k or
    more were left, so do the k nearest to s; among equally near rows the last ones come first. What
    is left in the end is the last group, so a table of fewer than 2k rows is one group.

    The tree is grown anew whenever half of its rows are gone.
    """
    labels = np.full(columns.shape[1], -1)
    groups = 0
    if len(labels) >= 2 * k:
        groups = _form_all(*measure_columns(columns, scaled=scaled), labels, k, workers)
    labels[labels < 0] = groups
    return labels


def _form_all(values: Floats, metric: Metric, labels: Ints, k: int, workers: Workers) -> int:
    """Form groups while enough rows are left; return how many there are."""
    n = left = len(labels)
    rows = np.arange(n)
    groups = 0
    while left >= 2 * k:
        totals = totals_of(values, rows)
        tree = grow(values, metric, rows, mean_of(totals))
        half = left // 2 if left > SMALL else 0
        while left >= 2 * k and left > half:
            until = max(left - STEP, half)
            groups = _form(tree, values, metric, totals, labels, k, groups, until)
            left = n - k * groups
            workers.progress("groups", n - left, n)
        rows = remaining_rows(tree)
    return groups


@kernel
def _form(
    tree: BlockTree, values: Floats, metric: Metric, totals: Floats, labels: Ints, k: int,
    groups: int, until: int,
) -> int:  # fmt: skip
    """Form groups until `until` rows are left, or fewer; return how many groups there are."""
    gaps = np.empty(k)
    members = np.empty(k, np.int64)
    left = labels.shape[0] - k * groups
    while left >= 2 * k and left > until:
        mean = mean_of(totals)
        r = farthest(tree, values, metric, mean)
        s = farthest(tree, values, metric, values[r])
        for side in range(2 if left >= 3 * k else 1):
            query = values[s if side else r]
            nearest(tree, values, metric, query, gaps, members)
            for i in range(k):
                row = members[i]
                labels[row] = groups
                remove(tree, values, row)
                add(totals, values, row, -1.0)
            groups += 1
            left -= k
    return groups


TOTAL, REST, COUNT = range(3)
"""Of each column: the sum of the values present, what rounding took from it, and their number."""


@kernel
def totals_of(values: Floats, rows: Ints) -> Floats:
    """The totals of some rows."""
    totals = np.zeros((3, values.shape[1]))
    for row in rows:
        add(totals, values, row, 1.0)
    return totals


@kernel
def add(totals: Floats, values: Floats, row: int, sign: float) -> None:
    """Add a row, or with sign -1 remove it; the rest gets exactly what rounding took."""
    for j in range(values.shape[1]):
        if values[row, j] == FAR_OUT:
            continue
        x, old = sign * values[row, j], totals[TOTAL, j]
        new = old + x
        added = new - old
        totals[TOTAL, j] = new
        totals[REST, j] += (old - (new - added)) + (x - added)
        totals[COUNT, j] += sign


@kernel
def mean_of(totals: Floats) -> Floats:
    """The mean; in a column that all rows miss it is missing."""
    mean = np.empty(totals.shape[1])
    for j in range(totals.shape[1]):
        count = totals[COUNT, j]
        mean[j] = (totals[TOTAL, j] + totals[REST, j]) / count if count > 0.0 else FAR_OUT
    return mean


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
    best, best_row, floor = -1.0, -1, np.float32(-1.0)
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
            if gap > best or (gap == best and row < best_row):
                best, best_row, floor = gap, row, at_least(gap, tree.size, columns)
    return best_row


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
