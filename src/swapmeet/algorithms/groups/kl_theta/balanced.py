"""K-L-θ clusters of about K rows each.

Each cluster begins with the first free row and takes the nearest free row that its plan permits
until it has the target size. Rows of clusters that come to nothing are left over; they join the
nearest cluster in which θ still holds and which has fewer than four times the target size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.kl_theta.clusters import add, labels_of, no_clusters
from swapmeet.algorithms.groups.kl_theta.homes import PROPER, homes_for, place, settle, take_stock
from swapmeet.algorithms.groups.kl_theta.plan import (
    DISTINCT,
    LIMITED,
    begin_cluster,
    decide,
    note_taken,
    plan_for,
    relax,
)
from swapmeet.algorithms.groups.kl_theta.pool import empty_pool, nearest_free, put, take
from swapmeet.algorithms.groups.kl_theta.slots import slots_of
from swapmeet.algorithms.groups.kl_theta.tree import DEEP, NEVER, flat
from swapmeet.core.base.jit import Floats, Ints, kernel
from swapmeet.core.base.parallel import ranges

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.algorithms.groups.kl_theta.conditions import Conditions
    from swapmeet.algorithms.groups.kl_theta.keys import EncodedKeys
    from swapmeet.algorithms.groups.kl_theta.sensitive import SensitiveCodes

BATCH = 1_000
ROWS = 20_000
LARGEST = 4
"""No cluster grows beyond so many times the target size."""
PATIENCE = 20_000
"""A row that is left over looks at no more clusters than this."""
TURNS = 4
"""So often, since a cluster that others have joined may be open again."""
MADE, LEFT, FREE = 0, 1, 2


def form_balanced_clusters(
    keys: EncodedKeys,
    values: SensitiveCodes,
    conditions: Conditions,
    order: Ints,
    report: Callable[[int], None],
) -> Ints:
    """The cluster of each row, -1 for rows that fit nowhere; rows come first in this order.

    `report` is told how many rows are in clusters.
    """
    run = _Run(keys, values, conditions, report)
    left = run.grow(order)
    if run.made > 0:
        run.place(left)
    return labels_of(run.clusters, run.made)


class _Run:
    """What the two steps share."""

    def __init__(
        self,
        keys: EncodedKeys,
        values: SensitiveCodes,
        conditions: Conditions,
        report: Callable[[int], None],
    ) -> None:
        self.keys, self.values, self.conditions, self.report = keys, values, conditions, report
        self.metric = (keys.weights, keys.costs)
        self.target = conditions.target(values)
        self.slots, self.leaves = slots_of(keys, values.codes)
        self.clusters = no_clusters(self.slots, len(values.codes) // conditions.k + 1)
        self.made = 0
        self.counts = np.zeros(values.ranges[-1], np.int64)
        self.desk = (np.empty(DEEP, np.int64), np.empty(DEEP))

    def grow(self, order: Ints) -> Ints:
        """Make clusters; return the rows that are in none."""
        n, m = self.values.codes.shape
        pool = empty_pool(self.slots, self.leaves)
        put(order, *flat(self.slots, pool))
        remaining = np.bincount(self.values.codes.ravel(), minlength=len(self.counts))
        plan = plan_for(self.values.ranges, remaining)
        nowhere = (np.zeros_like(self.keys.weights), np.zeros_like(self.keys.costs))
        permit = (np.zeros_like(self.counts), np.empty((m, 2), np.int64), np.empty(m, np.int64))
        left, state = np.empty(n, np.int64), np.array([0, 0, n])
        tables = flat((state, left, plan, remaining), self.metric, nowhere, (self.counts,), permit,
                      self.slots, pool, self.clusters[:5], self.desk)  # fmt: skip
        wish = (self.conditions.k, self.conditions.diversity, self.conditions.theta)
        most = self.conditions.most(self.target)
        while pool.least[1] < NEVER:
            _grow(BATCH, self.target, most, *wish, *tables)
            self.report(n - int(state[FREE] + state[LEFT]))
        self.made = int(state[MADE])
        return left[: state[LEFT]]

    def place(self, left: Ints) -> None:
        """Let rows join clusters in which θ still holds."""
        theta, room = self.conditions.theta, LARGEST * self.target
        homes = homes_for(self.clusters, self.made, self.keys)
        stock = (self.values.in_column, self.counts)
        tables = flat(stock, self.slots[2:], self.clusters[2:], (homes.open,))
        take_stock(0, self.made, theta, PROPER, *tables)
        settle(0, self.made, room, *flat(self.clusters[:3], homes))
        tables = flat(stock, self.metric, self.slots, self.clusters, homes, self.desk)
        for _ in range(TURNS):
            refused = [
                place(left[begin:end], room, theta, PROPER, PATIENCE, *tables)
                for begin, end in ranges(len(left), ROWS)
            ]
            left = np.concatenate([left[:0], *refused])
            self.report(len(self.values.codes) - len(left))


@kernel
def _grow(
    limit: int, target: int, most: int, k: int, diversity: int, theta: float, state: Ints,
    left: Ints, plan: Ints, remaining: Ints,
    weights: Floats, costs: Floats, no_weights: Floats, no_costs: Floats, counts: Ints,
    quota: Ints, rules: Ints, wanted: Ints,
    numbers: Floats, slot_marks: Ints, codes: Ints, of_row: Ints,
    first: Ints, following: Ints, rank: Ints, turn: Ints, box: Floats, seen: Ints, least: Ints,
    mean: Floats, marks: Ints, size: Ints, last: Ints, before: Ints,
    todo: Ints, bounds: Floats,
) -> None:  # fmt: skip
    """Make at most `limit` clusters."""
    while limit > 0 and least[1] < NEVER:
        limit -= 1
        cluster = state[MADE]
        later = state[FREE] // target - 1
        begin_cluster(later, target, most, diversity, plan, remaining, quota)
        while size[cluster] < target:
            decide(target - size[cluster], diversity, plan, rules, wanted)
            begun = size[cluster] > 0
            slot = nearest_free(mean[cluster], marks[cluster], size[cluster] if begun else 1,
                                weights if begun else no_weights, costs if begun else no_costs,
                                counts, quota, rules, wanted, most, numbers, slot_marks, codes,
                                turn, box, seen, least, todo, bounds)  # fmt: skip
            if slot < 0 and not _relaxed(plan, quota):
                break
            if slot < 0:
                continue
            row = take(slot, numbers, slot_marks, codes, first, following, rank, turn, box, seen,
                       least)  # fmt: skip
            state[FREE] -= 1
            add(cluster, row, numbers, slot_marks, of_row, mean, marks, size, last, before)
            note_taken(slot, later, most, codes, plan, remaining, counts, quota)
        good = size[cluster] >= k and _is_diverse(last[cluster], size[cluster], diversity, theta,
                                                  plan, counts, codes, of_row, before)  # fmt: skip
        _forget(last[cluster], counts, codes, of_row, before)
        _relaxed(plan, quota)
        if good:
            state[MADE] += 1
        else:
            _dissolve(cluster, state, left, marks, size, last, before)


@kernel
def _relaxed(plan: Ints, quota: Ints) -> bool:
    """Give up planning for later clusters, if that was done."""
    limited = False
    for j in range(plan.shape[0]):
        limited |= plan[j, LIMITED] == 1
        relax(j, plan, quota)
    return limited


@kernel
def _is_diverse(
    row: int, size: int, diversity: int, theta: float, plan: Ints, counts: Ints, codes: Ints,
    of_row: Ints, before: Ints,
) -> bool:  # fmt: skip
    for j in range(plan.shape[0]):
        if plan[j, DISTINCT] < diversity:
            return False
    while row >= 0:
        for j in range(codes.shape[1]):
            if counts[codes[of_row[row], j]] / size > theta:
                return False
        row = before[row]
    return True


@kernel
def _forget(row: int, counts: Ints, codes: Ints, of_row: Ints, before: Ints) -> None:
    while row >= 0:
        for j in range(codes.shape[1]):
            counts[codes[of_row[row], j]] = 0
        row = before[row]


@kernel
def _dissolve(
    cluster: int, state: Ints, left: Ints, marks: Ints, size: Ints, last: Ints, before: Ints
) -> None:
    row = last[cluster]
    while row >= 0:
        left[state[LEFT]] = row
        state[LEFT] += 1
        row = before[row]
    size[cluster], last[cluster] = 0, -1
    for j in range(marks.shape[1]):
        marks[cluster, j] = 0
