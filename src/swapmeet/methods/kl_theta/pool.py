"""The distinct rows, those in no cluster yet, and the nearest of them to a growing cluster."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.jit import kernel
from swapmeet.methods.kl_theta.clusters import KeyMetric, distance, distance_to_box, pull
from swapmeet.methods.kl_theta.conditions import EncodedKeys
from swapmeet.methods.kl_theta.tree import (
    NEVER,
    SearchStack,
    arrange,
    clear,
    empty_summary,
    include,
    join_children,
    leaves_for,
    push,
)

FRESH, REPEATED = 0, 1
"""Columns of `rules`."""


class FreeRows(NamedTuple):
    """The free rows, in a tree whose leaves hold the slots of distinct rows.

    - `first`: the first free row of each slot; `following`: the one after each row in its slot;
      `rank`: the place of each row in the order; -1 where there is none.
    - `turn`: the rank of the first free row of each slot, NEVER where none is free.
    - `box`, `seen`, `least`: the summary of each node; `seen` has the bits of the marks, then those
      of the sensitive values.
    """

    first: Ints
    following: Ints
    rank: Ints
    turn: Ints
    box: Floats
    seen: Ints
    least: Ints


class Permit(NamedTuple):
    """Permit that says which rows a growing cluster may take.

    - `counts`: how often it has each value. No value may occur more than `most` times, and none
      with a negative `quota`. A value that occurs less often than its quota is always permitted.
    - `rules`: for all other values, whether FRESH and whether REPEATED ones are permitted, in each
      sensitive column.
    - `wanted`: in each column, the bits of all values that may be permitted, so that branches
      without them are skipped.
    """

    counts: Ints
    quota: Ints
    rules: Ints
    wanted: Ints
    most: int


def empty_pool(distinct: DistinctRows, leaves: int) -> FreeRows:
    """A pool without rows."""
    n, d = len(distinct.of_row), distinct.numbers.shape[1]
    bits = distinct.marks.shape[1] + distinct.codes.shape[1]
    return FreeRows(
        np.full(len(distinct.numbers), -1),
        np.full(n, -1),
        np.full(n, -1),
        np.full(len(distinct.numbers), NEVER),
        *empty_summary(leaves, d, bits),
    )


@kernel
def put(rows: Ints, distinct: DistinctRows, pool: FreeRows) -> None:
    """Free these rows, ranked in this order; the pool must be empty."""
    of_row, first, following = distinct.of_row, pool.first, pool.following
    rank, turn = pool.rank, pool.turn
    for i in range(rows.shape[0] - 1, -1, -1):
        row = rows[i]
        slot = of_row[row]
        following[row] = first[slot]
        first[slot] = row
        rank[row] = turn[slot] = i
    _refresh(rows, distinct, pool)


@kernel
def drain(rows: Ints, distinct: DistinctRows, pool: FreeRows) -> None:
    """Take all free rows, which must be these, out of the pool."""
    of_row, first, rank, turn = distinct.of_row, pool.first, pool.rank, pool.turn
    for row in rows:
        first[of_row[row]] = rank[row] = -1
        turn[of_row[row]] = NEVER
    _refresh(rows, distinct, pool)


@kernel
def _refresh(rows: Ints, distinct: DistinctRows, pool: FreeRows) -> None:
    """Bring the nodes above these rows up to date, or all nodes if the rows are many."""
    numbers, marks, codes = distinct.numbers, distinct.marks, distinct.codes
    turn, box, seen, least = pool.turn, pool.box, pool.seen, pool.least
    leaves = least.shape[0] // 2
    if rows.shape[0] < leaves // 16:
        for row in rows:
            slot = distinct.of_row[row]
            _update_ancestors(slot, numbers, marks, codes, turn, box, seen, least)
        return
    for leaf in range(leaves):
        _summarise(leaf, numbers, marks, codes, turn, box, seen, least)
    for node in range(leaves - 1, 0, -1):
        join_children(node, box, seen, least)


@kernel
def take(slot: int, distinct: DistinctRows, pool: FreeRows) -> int:
    """Take the first row out of a slot."""
    first, rank = pool.first, pool.rank
    row = first[slot]
    first[slot] = pool.following[row]
    pool.turn[slot] = rank[first[slot]] if first[slot] >= 0 else NEVER
    rank[row] = -1
    _update_ancestors(slot, distinct.numbers, distinct.marks, distinct.codes, pool.turn, pool.box,
                      pool.seen, pool.least)  # fmt: skip
    return row


@kernel
def _update_ancestors(
    slot: int, numbers: Floats, marks: Ints, codes: Ints, turn: Ints,
    box: Floats, seen: Ints, least: Ints,
) -> None:  # fmt: skip
    """Bring the nodes above a slot up to date, up to the first that does not change."""
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


@kernel
def permits(codes: Ints, slot: int, counts: Ints, quota: Ints, rules: Ints, most: int) -> bool:
    """Return whether a cluster may take a row of this slot: see `Permit`."""
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
    mean: Floats, own: Ints, size: int, metric: KeyMetric, permit: Permit, distinct: DistinctRows,
    pool: FreeRows, stack: SearchStack,
) -> int:  # fmt: skip
    """The slot of the nearest free row that a cluster may take (`permits`), -1 if there is none.

    Among equally near rows it is the one of least rank. The cluster has this mean, these marks
    (`own`) and this size. Branches are skipped if they are farther than the best row so far, or
    have no row that is wanted.
    """
    weights, costs = metric.weights, metric.costs
    counts, quota, rules = permit.counts, permit.quota, permit.rules
    wanted, most = permit.wanted, permit.most
    numbers, marks, codes = distinct.numbers, distinct.marks, distinct.codes
    turn, box, seen, least = pool.turn, pool.box, pool.seen, pool.least
    todo, bounds = stack.nodes, stack.bounds
    leaves = least.shape[0] // 2
    width = turn.shape[0] // leaves
    factor = pull(size, 1)
    best, best_rank, best_slot = np.inf, NEVER, -1
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
                best, best_rank, best_slot = away, turn[slot], slot
    return best_slot


@kernel
def _offers(node: int, wanted: Ints, seen: Ints, least: Ints, c: int) -> bool:
    """Return whether a branch has free rows and, in each column, wanted values."""
    if least[node] == NEVER:
        return False
    for j in range(wanted.shape[0]):  # noqa: SIM110
        if seen[node, c + j] & wanted[j] == 0:
            return False
    return True


@kernel
def slot_of_first(pool: FreeRows) -> int:
    """The slot of the free row of least rank."""
    turn, least = pool.turn, pool.least
    leaves = least.shape[0] // 2
    node = 1
    while node < leaves:
        node = 2 * node + (least[2 * node] != least[node])
    slot = (node - leaves) * (turn.shape[0] // leaves)
    while turn[slot] != least[1]:
        slot += 1
    return slot


class DistinctRows(NamedTuple):
    """Numbers, marks and sensitive values of each distinct row, and the distinct row of each row.

    Distinct rows stand in slots, in the order of the leaves of a tree, all of which have the same
    number of slots; some slots are for no row.
    """

    numbers: Floats
    marks: Ints
    codes: Ints
    of_row: Ints


def find_distinct_rows(keys: EncodedKeys, codes: Ints) -> tuple[DistinctRows, int]:
    """The distinct rows, and the number of leaves."""
    number, example = _number_alike([*keys.numbers.T, *keys.marks.T, *codes.T])
    leaves = leaves_for(len(example))
    order = arrange(keys.numbers[example], keys.marks[example], keys.weights, keys.costs, leaves)
    slot = np.empty(len(order), np.int64)
    slot[order] = np.arange(len(order))
    row = example[np.where(order < len(example), order, 0)]
    return DistinctRows(keys.numbers[row], keys.marks[row], codes[row], slot[number]), leaves


def _number_alike(columns: list[npt.NDArray[Any]]) -> tuple[Ints, Ints]:
    """A number for each row, the same where all columns agree, and for each number a row."""
    order = np.lexsort(columns)
    differs = np.zeros(len(order), bool)
    differs[0] = True
    for column in columns:
        ordered = column[order]
        differs[1:] |= ordered[1:] != ordered[:-1]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(differs) - 1
    return number, order[differs]
