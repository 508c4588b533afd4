"""Squared distances between points and boxes of the tree.

A numeric dimension contributes its squared difference. A nominal column contributes nothing where
the levels agree, else the cost of the one level plus the cost of the other: the squared distance of
their two weighted one-hot vectors. To a box of twins (rows all alike) every bound is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, ShortInts


@kernel
def gap(
    numbers: Floats, codes: ShortInts, costs: Floats, limits: Floats, pos: int,
    box: Floats, span: ShortInts, node: int,
) -> float:  # fmt: skip
    """The least that the point at `pos` can be away from a point in the box of `node`."""
    total = 0.0
    for t in range(numbers.shape[0]):
        x = numbers[t, pos]
        away = max(box[node, 2 * t] - x, x - box[node, 2 * t + 1], 0.0)
        total += away * away
    for t in range(codes.shape[0]):
        code = codes[t, pos]
        first, last = span[node, 2 * t], span[node, 2 * t + 1]
        if code < first or code > last:
            total += costs[t, code] + (costs[t, first] if first == last else limits[t, 0])
    return total


@kernel
def bounds(
    numbers: Floats, codes: ShortInts, costs: Floats, limits: Floats, pos: int,
    box: Floats, span: ShortInts, node: int,
) -> tuple[float, float]:  # fmt: skip
    """The least and the most that the point at `pos` can be away from a point in the box."""
    least, most = 0.0, 0.0
    for t in range(numbers.shape[0]):
        below = box[node, 2 * t] - numbers[t, pos]
        above = numbers[t, pos] - box[node, 2 * t + 1]
        near, far = max(below, above, 0.0), max(-below, -above)
        least += near * near
        most += far * far
    for t in range(codes.shape[0]):
        code, first, last = codes[t, pos], span[node, 2 * t], span[node, 2 * t + 1]
        if first != last:
            most += costs[t, code] + limits[t, 1]
            if code < first or code > last:
                least += costs[t, code] + limits[t, 0]
        elif code != first:
            most += costs[t, code] + costs[t, first]
            least += costs[t, code] + costs[t, first]
    return least, most


@kernel
def gap_of_boxes(box: Floats, span: ShortInts, limits: Floats, one: int, two: int) -> float:
    """The least that a point in one box can be away from a point in the other."""
    total = 0.0
    for t in range(box.shape[1] // 2):
        away = max(
            box[one, 2 * t] - box[two, 2 * t + 1], box[two, 2 * t] - box[one, 2 * t + 1], 0.0
        )
        total += away * away
    for t in range(span.shape[1] // 2):
        if span[one, 2 * t + 1] < span[two, 2 * t] or span[two, 2 * t + 1] < span[one, 2 * t]:
            total += 2.0 * limits[t, 0]
    return total


@kernel
def from_point_to_leaf(
    numbers: Floats, codes: ShortInts, costs: Floats, pos: int,
    span: ShortInts, node: int, start: int, m: int, out: Floats,
) -> None:  # fmt: skip
    """From the point at `pos` to the `m` points of a leaf, vectorised column by column."""
    base = 0.0
    for t in range(codes.shape[0]):
        code, first = codes[t, pos], span[node, 2 * t]
        if first == span[node, 2 * t + 1] and first != code:
            base += costs[t, code] + costs[t, first]
    for j in range(m):
        out[j] = base
    for t in range(numbers.shape[0]):
        x = numbers[t, pos]
        column = numbers[t, start : start + m]
        for j in range(m):
            away = column[j] - x
            out[j] += away * away
    for t in range(codes.shape[0]):
        if span[node, 2 * t] != span[node, 2 * t + 1]:
            code = codes[t, pos]
            levels = codes[t, start : start + m]
            for j in range(m):
                if levels[j] != code:
                    out[j] += costs[t, code] + costs[t, levels[j]]


@kernel
def between_points(numbers: Floats, codes: ShortInts, costs: Floats, one: int, two: int) -> float:
    """Between two points."""
    total = 0.0
    for t in range(numbers.shape[0]):
        away = numbers[t, one] - numbers[t, two]
        total += away * away
    for t in range(codes.shape[0]):
        if codes[t, one] != codes[t, two]:
            total += costs[t, codes[t, one]] + costs[t, codes[t, two]]
    return total
