"""The rows that are in no cluster yet, and the nearest of them to a growing cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.algorithms.groups.kl_theta.distance import distance, distance_to_box, pull
from swapmeet.algorithms.groups.kl_theta.tree import (
    NEVER,
    clear,
    include,
    join_children,
    no_summary,
    push,
)
from swapmeet.core.base.jit import Floats, Ints, kernel

if TYPE_CHECKING:
    from swapmeet.algorithms.groups.kl_theta.slots import Slots


class Pool(NamedTuple):
    """The first free row of each slot, the one that follows each, and the rank of each.

    `turn` is the rank of the first free row of each slot. Then the summary of each node of the tree
    of slots; `seen` has marks, then sensitive values.
    """

    first: Ints
    following: Ints
    rank: Ints
    turn: Ints
    box: Floats
    seen: Ints
    least: Ints


def empty_pool(slots: Slots, leaves: int) -> Pool:
    """A pool without rows."""
    n, d = len(slots.of_row), slots.numbers.shape[1]
    bits = slots.marks.shape[1] + slots.codes.shape[1]
    return Pool(
        np.full(len(slots.numbers), -1),
        np.full(n, -1),
        np.full(n, -1),
        np.full(len(slots.numbers), NEVER),
        *no_summary(leaves, d, bits),
    )


@kernel
def put(
    rows: Ints, numbers: Floats, marks: Ints, codes: Ints, of_row: Ints,
    first: Ints, following: Ints, rank: Ints, turn: Ints, box: Floats, seen: Ints, least: Ints,
) -> None:  # fmt: skip
    """Free these rows, ranked in this order; the pool must be empty."""
    for i in range(rows.shape[0] - 1, -1, -1):
        row = rows[i]
        slot = of_row[row]
        following[row] = first[slot]
        first[slot] = row
        rank[row] = turn[slot] = i
    _refresh(rows, numbers, marks, codes, of_row, turn, box, seen, least)


@kernel
def drain(
    rows: Ints, numbers: Floats, marks: Ints, codes: Ints, of_row: Ints,
    first: Ints, following: Ints, rank: Ints, turn: Ints, box: Floats, seen: Ints, least: Ints,  # noqa: ARG001
) -> None:  # fmt: skip
    """Take all free rows, which must be these, out of the pool."""
    for row in rows:
        first[of_row[row]] = rank[row] = -1
        turn[of_row[row]] = NEVER
    _refresh(rows, numbers, marks, codes, of_row, turn, box, seen, least)


@kernel
def _refresh(
    rows: Ints, numbers: Floats, marks: Ints, codes: Ints, of_row: Ints,
    turn: Ints, box: Floats, seen: Ints, least: Ints,
) -> None:  # fmt: skip
    """Bring the nodes above these rows up to date, or all nodes if the rows are many."""
    leaves = least.shape[0] // 2
    if rows.shape[0] < leaves // 16:
        for row in rows:
            _climb(of_row[row], numbers, marks, codes, turn, box, seen, least)
        return
    for leaf in range(leaves):
        _summarise(leaf, numbers, marks, codes, turn, box, seen, least)
    for node in range(leaves - 1, 0, -1):
        join_children(node, box, seen, least)


@kernel
def take(
    slot: int, numbers: Floats, marks: Ints, codes: Ints,
    first: Ints, following: Ints, rank: Ints, turn: Ints, box: Floats, seen: Ints, least: Ints,
) -> int:  # fmt: skip
    """Take the first row out of a slot."""
    row = first[slot]
    first[slot] = following[row]
    turn[slot] = rank[first[slot]] if first[slot] >= 0 else NEVER
    rank[row] = -1
    _climb(slot, numbers, marks, codes, turn, box, seen, least)
    return row


@kernel
def _climb(
    slot: int, numbers: Floats, marks: Ints, codes: Ints, turn: Ints,
    box: Floats, seen: Ints, least: Ints,
) -> None:  # fmt: skip
    """Bring the nodes above a slot up to date, as far up as there is news."""
    leaves = least.shape[0] // 2
    leaf = slot // (turn.shape[0] // leaves)
    _summarise(leaf, numbers, marks, codes, turn, box, seen, least)
    node = (leaves + leaf) // 2
    while node > 0 and join_children(node, box, seen, least):
        node //= 2


@kernel
def _summarise(
    leaf: int, numbers: Floats, marks: Ints, codes: Ints, turn: Ints,
    box: Floats, seen: Ints, least: Ints,
) -> None:  # fmt: skip
    leaves = least.shape[0] // 2
    width = turn.shape[0] // leaves
    node = leaves + leaf
    clear(node, box, seen, least)
    for slot in range(leaf * width, (leaf + 1) * width):
        if turn[slot] < NEVER:
            include(node, numbers, marks, slot, turn[slot], box, seen, least)
            for j in range(codes.shape[1]):
                seen[node, marks.shape[1] + j] |= 1 << (codes[slot, j] & 63)


FRESH, REPEATED = 0, 1


@kernel
def permits(codes: Ints, slot: int, counts: Ints, quota: Ints, rules: Ints, most: int) -> bool:
    """Whether a cluster with these counts of values may take a row of this slot.

    No value may come more than `most` times, and none with a negative `quota`. One that has not
    come as often as its quota always may. For others `rules` tells in each column whether values
    may come that are FRESH or REPEATED.
    """
    for j in range(codes.shape[1]):
        value = codes[slot, j]
        if counts[value] >= most or quota[value] < 0:
            return False
        if counts[value] < quota[value]:
            continue
        if rules[j, FRESH if counts[value] == 0 else REPEATED] == 0:
            return False
    return True


@kernel
def nearest_free(
    mean: Floats, own: Ints, size: int, weights: Floats, costs: Floats,
    counts: Ints, quota: Ints, rules: Ints, wanted: Ints, most: int,
    numbers: Floats, marks: Ints, codes: Ints,
    turn: Ints, box: Floats, seen: Ints, least: Ints, todo: Ints, bounds: Floats,
) -> int:  # fmt: skip
    """The slot of the nearest free row that a cluster may take (`permits`), -1 if there is none.

    Among equally near rows it is the one of least rank. `wanted` has the bits of all values that
    may be permitted.
    """
    leaves = least.shape[0] // 2
    width = turn.shape[0] // leaves
    factor = pull(size, 1)
    best, best_rank, found = np.inf, NEVER, -1
    todo[0], bounds[0] = 1, 0.0
    waiting = 1 if _offers(1, wanted, seen, least, marks.shape[1]) else 0
    while waiting > 0:
        waiting -= 1
        node, bound = todo[waiting], bounds[waiting]
        if bound > best or (bound == best and least[node] > best_rank):
            continue
        if node < leaves:
            left, right = np.inf, np.inf
            if _offers(2 * node, wanted, seen, least, marks.shape[1]):
                left = distance_to_box(mean, own, box, seen, 2 * node, factor, weights, costs)
            if _offers(2 * node + 1, wanted, seen, least, marks.shape[1]):
                right = distance_to_box(mean, own, box, seen, 2 * node + 1, factor, weights, costs)
            waiting = push(node, left, right, waiting, todo, bounds)
            continue
        for slot in range((node - leaves) * width, (node - leaves + 1) * width):
            if turn[slot] == NEVER or not permits(codes, slot, counts, quota, rules, most):
                continue
            away = distance(mean, own, numbers, marks, slot, factor, weights, costs)
            if away < best or (away == best and turn[slot] < best_rank):
                best, best_rank, found = away, turn[slot], slot
    return found


@kernel
def _offers(node: int, wanted: Ints, seen: Ints, least: Ints, c: int) -> bool:
    """Whether a branch has free rows and, in each column, wanted values."""
    if least[node] == NEVER:
        return False
    for j in range(wanted.shape[0]):  # noqa: SIM110
        if seen[node, c + j] & wanted[j] == 0:
            return False
    return True


@kernel
def slot_of_first(turn: Ints, least: Ints) -> int:
    """The slot of the free row of least rank."""
    leaves = least.shape[0] // 2
    node = 1
    while node < leaves:
        node = 2 * node + (least[2 * node] != least[node])
    slot = (node - leaves) * (turn.shape[0] // leaves)
    while turn[slot] != least[1]:
        slot += 1
    return slot
