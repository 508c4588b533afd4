"""A k-d tree over mixed points, in which numeric dimensions and nominal columns split alike.

A node holds a range of tree positions and a box: the range of each numeric dimension and the range
of codes of each nominal column. With ordinary weights a mismatch in a nominal column is the largest
difference there is, so the nominal columns are split first: the upper tree is a blocking by
category cell, the lower tree a k-d tree inside each cell. With small weights, or with thousands of
cells, the order changes by itself. Rows that are all alike stay together in one leaf, however many
they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from swapmeet.algorithms.encode import Points
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel, lengthen

SAMPLE = 24
START, STOP, RIGHT, PARENT = 0, 1, 2, 3


class Tree(NamedTuple):
    """Points in tree order; nodes in preorder, so that the left child of a node follows it.

    `nodes` has start, stop, right child (0 in a leaf) and parent; `box` the lowest and highest
    value of each numeric dimension in turn, `span` the first and last code of each nominal column;
    `limits` the least and largest cost of a level of each nominal column. `rows` has the row of a
    position and `leaves` the nodes without children. A leaf holds at most `leaf` rows, unless they
    are all alike.

    Kernels take the tree as a whole. Unpacking an array counts a reference, so they unpack once,
    before their loop, and hand plain arrays to what is called for every node or point. Unpacking
    inside the loop of `within` made masking a quarter slower.
    """

    numbers: Floats
    codes: ShortInts
    costs: Floats
    limits: Floats
    rows: Ints
    nodes: Ints
    box: Floats
    span: ShortInts
    leaves: Ints
    leaf: int


def build(points: Points, leaf: int | None = None) -> Tree:
    """Build the tree in the memory of `points`, which end up in tree order.

    Leaves are larger in high dimensions, where most of them are scanned anyway.
    """
    numbers, codes, costs = points.numbers, points.codes, points.costs
    leaf = leaf or (48 if len(numbers) <= 6 else 128)
    rows = np.arange(points.n)
    nodes = _grow(numbers, codes, costs, rows, leaf)
    box, span = _ranges(numbers, nodes), _ranges(codes, nodes)
    leaves = np.flatnonzero(nodes[:, RIGHT] == 0)
    return Tree(numbers, codes, costs, points.limits, rows, nodes, box, span, leaves, leaf)


@kernel
def _grow(numbers: Floats, codes: ShortInts, costs: Floats, rows: Ints, leaf: int) -> Ints:
    """Split range after range until each is a leaf; return the nodes."""
    nodes = np.empty((4 * (rows.shape[0] // leaf) + 64, 4), np.int64)
    todo = np.empty((64, 3), np.int64)
    todo[0, 0], todo[0, 1], todo[0, 2] = 0, rows.shape[0], -1
    waiting = 1
    count = 0
    while waiting > 0:
        waiting -= 1
        start, stop, parent = todo[waiting, 0], todo[waiting, 1], todo[waiting, 2]
        if count == nodes.shape[0]:
            nodes = lengthen(nodes)
        node = count
        count += 1
        nodes[node, START], nodes[node, STOP] = start, stop
        nodes[node, RIGHT], nodes[node, PARENT] = 0, parent
        if parent >= 0 and node != parent + 1:
            nodes[parent, RIGHT] = node
        if stop - start <= leaf:
            continue
        cut = _split(numbers, codes, costs, rows, start, stop)
        if cut == stop:
            continue
        if waiting + 2 > todo.shape[0]:
            todo = lengthen(todo)
        todo[waiting, 0], todo[waiting, 1], todo[waiting, 2] = cut, stop, node
        todo[waiting + 1, 0], todo[waiting + 1, 1], todo[waiting + 1, 2] = start, cut, node
        waiting += 2
    return nodes[:count].copy()


@kernel
def _split(
    numbers: Floats, codes: ShortInts, costs: Floats, rows: Ints, start: int, stop: int
) -> int:
    """Part a range in two; return where the second part begins, `stop` if all rows are alike."""
    column, threshold = _widest_in_sample(numbers, codes, costs, start, stop)
    if column < 0:
        column, threshold = _first_that_differs(numbers, codes, start, stop)
    if column < 0:
        return stop
    i, j = start, stop - 1
    while True:
        while i <= j and coordinate(numbers, codes, column, i) <= threshold:
            i += 1
        while i <= j and coordinate(numbers, codes, column, j) > threshold:
            j -= 1
        if i >= j:
            return i
        swap(numbers, codes, rows, i, j)
        i += 1
        j -= 1


@kernel
def coordinate(numbers: Floats, codes: ShortInts, column: int, at: int) -> float:
    """Of a point: numeric dimensions come first, then nominal columns."""
    if column < numbers.shape[0]:
        return numbers[column, at]
    return float(codes[column - numbers.shape[0], at])


@kernel
def swap(numbers: Floats, codes: ShortInts, rows: Ints, i: int, j: int) -> None:
    """Exchange two positions."""
    for t in range(numbers.shape[0]):
        numbers[t, i], numbers[t, j] = numbers[t, j], numbers[t, i]
    for t in range(codes.shape[0]):
        codes[t, i], codes[t, j] = codes[t, j], codes[t, i]
    rows[i], rows[j] = rows[j], rows[i]


@kernel
def _widest_in_sample(
    numbers: Floats, codes: ShortInts, costs: Floats, start: int, stop: int
) -> tuple[int, float]:
    """The column whose mean squared difference between sampled rows is largest, and its middle."""
    d = numbers.shape[0]
    m = min(SAMPLE, stop - start)
    step = (stop - start) // m
    sample = np.empty(m)
    widest, column, threshold = 0.0, -1, 0.0
    for t in range(d + codes.shape[0]):
        for i in range(m):
            sample[i] = coordinate(numbers, codes, t, start + i * step)
        _sort(sample)
        if sample[0] == sample[m - 1]:
            continue
        width = _numeric_width(sample) if t < d else _nominal_width(sample, costs[t - d])
        if width > widest:
            widest, column, threshold = width, t, _middle(sample)
    return column, threshold


@kernel
def _sort(values: Floats) -> None:
    for i in range(1, values.shape[0]):
        x = values[i]
        j = i
        while j > 0 and values[j - 1] > x:
            values[j] = values[j - 1]
            j -= 1
        values[j] = x


@kernel
def _numeric_width(sample: Floats) -> float:
    total, squares = 0.0, 0.0
    for x in sample:
        total += x - sample[0]
        squares += (x - sample[0]) ** 2
    m = sample.shape[0]
    return 2.0 * (squares / m - (total / m) ** 2)


@kernel
def _nominal_width(ordered: Floats, costs: Floats) -> float:
    m = ordered.shape[0]
    alike, cost, run = 0.0, 0.0, 0
    for i in range(m):
        cost += costs[int(ordered[i])]
        run += 1
        if i + 1 == m or ordered[i + 1] != ordered[i]:
            alike += (run / m) ** 2
            run = 0
    return 2.0 * cost / m * (1.0 - alike)


@kernel
def _middle(ordered: Floats) -> float:
    """The median, or the largest value below it that leaves something above."""
    last = ordered.shape[0] - 1
    h = last // 2
    while ordered[h] == ordered[last]:
        h -= 1
    return ordered[h]


@kernel
def _first_that_differs(
    numbers: Floats, codes: ShortInts, start: int, stop: int
) -> tuple[int, float]:
    """For the rare range whose sample is all alike: any column that is not, and its mid-range."""
    d = numbers.shape[0]
    for t in range(d + codes.shape[0]):
        low = coordinate(numbers, codes, t, start)
        high = low
        for at in range(start, stop):
            x = coordinate(numbers, codes, t, at)
            low, high = min(low, x), max(high, x)
        if low < high:
            middle = low + (high - low) / 2.0
            return t, middle if middle < high else low
    return -1, 0.0


@kernel
def _ranges(values: Any, nodes: Ints) -> Any:
    """The lowest and highest value of each dimension in turn, for each node; leaves first."""
    ranges = np.empty((nodes.shape[0], 2 * values.shape[0]), values.dtype)
    for node in range(nodes.shape[0] - 1, -1, -1):
        start, stop = nodes[node, START], nodes[node, STOP]
        left, right = node + 1, nodes[node, RIGHT]
        for t in range(values.shape[0]):
            if right > 0:
                low = min(ranges[left, 2 * t], ranges[right, 2 * t])
                high = max(ranges[left, 2 * t + 1], ranges[right, 2 * t + 1])
            else:
                low = high = values[t, start]
                for x in values[t, start:stop]:
                    low, high = min(low, x), max(high, x)
            ranges[node, 2 * t], ranges[node, 2 * t + 1] = low, high
    return ranges
