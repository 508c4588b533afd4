"""The K-L-θ distance between two clusters; a row is a cluster of one.

A numeric key adds weight · n₁n₂/(n₁+n₂) · (mean₁ - mean₂)², a nominal key its cost unless both
clusters have the same set of values. Sets are compared by their marks: the sum of the marks of
their values.

Sums are taken in one order everywhere and rounding keeps the order of results, so the distance to a
box that holds a cluster is never above the distance to the cluster itself. Both are innermost calls
and therefore take plain arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints

SPREAD = -7046029254386353131
"""An odd number without pattern: the golden ratio in 64 bits."""


class Metric(NamedTuple):
    """The weight of each numeric key, and the cost of each nominal key."""

    weights: Floats
    costs: Floats


@kernel
def bit_of(mark: int) -> int:
    """One of 64 bits, which stands for a mark in a summary of many."""
    return 1 << (((mark * SPREAD) >> 58) & 63)


@kernel
def pull(one: int, other: int) -> float:
    """n₁n₂/(n₁+n₂): how much the sizes of two clusters weigh."""
    return float(one) * float(other) / (float(one) + float(other))


@kernel
def distance(
    mean: Floats, marks: Ints, means: Floats, markses: Ints, at: int, factor: float,
    weights: Floats, costs: Floats,
) -> float:  # fmt: skip
    """From a cluster to the one in row `at` of a table of clusters."""
    total = 0.0
    for j in range(weights.shape[0]):
        gap = mean[j] - means[at, j]
        total += weights[j] * (factor * (gap * gap))
    for j in range(costs.shape[0]):
        if marks[j] != markses[at, j]:
            total += costs[j]
    return total


@kernel
def distance_to_box(
    mean: Floats, marks: Ints, box: Floats, seen: Ints, node: int, factor: float,
    weights: Floats, costs: Floats,
) -> float:  # fmt: skip
    """A lower bound: from a cluster to the nearest that a node of a tree may hold."""
    total = 0.0
    for j in range(weights.shape[0]):
        gap = max(box[node, 2 * j] - mean[j], mean[j] - box[node, 2 * j + 1], 0.0)
        total += weights[j] * (factor * (gap * gap))
    for j in range(costs.shape[0]):
        if seen[node, j] & bit_of(marks[j]) == 0:
            total += costs[j]
    return total
