"""K-L-θ clusters of about K rows each.

Each cluster begins with the first free row and takes the nearest free row that its budget permits
until it has the target size. Rows of clusters that cannot be completed are left over; they join the
nearest cluster in which θ still holds and which has fewer than four times the target size.

Budget of a growing cluster, so that it meets the conditions and later clusters still can.

The next row must leave enough places for the L distinct values. It must also leave the other rows
in such numbers that they can be clustered: a value that is so frequent that every cluster has to
take some is *owed*; one of which there are fewer rows left than clusters to come is *scarce*, and
rows of scarce values are taken from an allowance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Ints
from swapmeet.base.jit import kernel
from swapmeet.base.parallel import ranges
from swapmeet.methods.kl_theta.clusters import Clusters, KeyMetric, add, empty_clusters, labels_of
from swapmeet.methods.kl_theta.conditions import Conditions, EncodedKeys, SensitiveCodes
from swapmeet.methods.kl_theta.joining import PROPER, JoinRule, count_values, join_rows
from swapmeet.methods.kl_theta.pool import (
    FRESH,
    REPEATED,
    DistinctRows,
    FreeRows,
    Permit,
    empty_pool,
    find_distinct_rows,
    nearest_free,
    put,
    take,
)
from swapmeet.methods.kl_theta.tree import NEVER, SearchStack, empty_stack, insert, plant

BATCH = 1_000
ROWS = 20_000
LARGEST = 4
"""No cluster grows beyond this many times the target size."""
PATIENCE = 20_000
"""A row that is left over looks at no more than this many clusters."""
TURNS = 4
"""A row tries to join this many times: a cluster that others have joined may be open again."""
MADE, LEFT, FREE = 0, 1, 2
"""Counts in `state`: clusters made, rows left over, rows still free."""


def form_balanced_clusters(
    keys: EncodedKeys,
    values: SensitiveCodes,
    conditions: Conditions,
    order: Ints,
    report: Callable[[int], None],
) -> Ints:
    """The cluster of each row, -1 for rows that fit nowhere; rows come first in this order.

    Rows so few that no cluster of theirs could hold any value even once fit nowhere. `report` is
    called with the number of rows in clusters.
    """
    if conditions.most(conditions.target(values)) < 1:
        report(0)
        return np.full(len(order), -1)
    run = _Run(keys, values, conditions, report)
    left = run.grow(order)
    if run.made > 0:
        run.place(left)
    return labels_of(run.clusters, run.made)


class _Run:
    """State that the two steps share."""

    def __init__(
        self,
        keys: EncodedKeys,
        values: SensitiveCodes,
        conditions: Conditions,
        report: Callable[[int], None],
    ) -> None:
        self.keys, self.values, self.conditions, self.report = keys, values, conditions, report
        self.metric = KeyMetric(keys.weights, keys.costs)
        self.target = conditions.target(values)
        self.distinct, self.leaves = find_distinct_rows(keys, values.codes)
        self.clusters = empty_clusters(self.distinct, len(values.codes) // conditions.k + 1)
        self.made = 0
        self.counts = np.zeros(values.ranges[-1], np.int64)
        self.stack = empty_stack()

    def grow(self, order: Ints) -> Ints:
        """Make clusters; return the rows that are in none."""
        n, m = self.values.codes.shape
        pool = empty_pool(self.distinct, self.leaves)
        put(order, self.distinct, pool)
        remaining = np.bincount(self.values.codes.ravel(), minlength=len(self.counts))
        budget = open_budget(self.values.ranges, remaining)
        permit = Permit(
            self.counts,
            np.zeros_like(self.counts),
            np.empty((m, 2), np.int64),
            np.empty(m, np.int64),
            self.conditions.most(self.target),
        )
        left, state = np.empty(n, np.int64), np.array([0, 0, n])
        while pool.least[1] < NEVER:
            _grow(BATCH, self.target, self.conditions, state, left, budget, permit, self.metric,
                  self.distinct, pool, self.clusters, self.stack)  # fmt: skip
            self.report(n - int(state[FREE] + state[LEFT]))
        self.made = int(state[MADE])
        return left[: state[LEFT]]

    def place(self, left: Ints) -> None:
        """Let rows join clusters in which θ still holds."""
        room = LARGEST * self.target
        tree = plant(self.clusters, self.made, self.keys)
        rule = JoinRule(self.conditions.theta, PROPER, self.values.in_column, self.counts)
        count_values(0, self.made, rule, self.distinct, self.clusters, tree.open)
        insert(0, self.made, room, self.clusters, tree)
        for _ in range(TURNS):
            refused = [
                join_rows(left[begin:end], room, PATIENCE, rule, self.metric, self.distinct,
                          self.clusters, tree, self.stack)
                for begin, end in ranges(len(left), ROWS)
            ]  # fmt: skip
            left = np.concatenate([left[:0], *refused])
            self.report(len(self.values.codes) - len(left))


@kernel
def _grow(
    limit: int, target: int, conditions: Conditions, state: Ints, left: Ints, budget: Stock,
    permit: Permit, metric: KeyMetric, distinct: DistinctRows, pool: FreeRows, clusters: Clusters,
    stack: SearchStack,
) -> None:  # fmt: skip
    """Make at most `limit` clusters; rows of those that fail a condition go to `left`.

    A cluster's first row is the free row of least rank: with weights of 0 all rows are equally
    near. If no row is permitted, the cluster stops caring for later ones; if none is even then, it
    stays as small as it is.
    """
    nowhere = KeyMetric(np.zeros_like(metric.weights), np.zeros_like(metric.costs))
    diversity, least = conditions.diversity, pool.least
    codes, of_row, counts, before = (
        distinct.codes, distinct.of_row, permit.counts, clusters.before,
    )  # fmt: skip
    mean, marks, size, last = clusters.mean, clusters.marks, clusters.size, clusters.last
    while limit > 0 and least[1] < NEVER:
        limit -= 1
        cluster = state[MADE]
        later = state[FREE] // target - 1
        begin_cluster(later, target, diversity, budget, permit)
        while size[cluster] < target:
            decide(target - size[cluster], diversity, budget, permit)
            begun = size[cluster] > 0
            slot = nearest_free(mean[cluster], marks[cluster], size[cluster] if begun else 1,
                                metric if begun else nowhere, permit, distinct, pool,
                                stack)  # fmt: skip
            if slot < 0 and not relax_all(budget, permit):
                break
            if slot < 0:
                continue
            row = take(slot, distinct, pool)
            state[FREE] -= 1
            add(cluster, row, distinct, clusters)
            spend(slot, later, codes, budget, permit)
        good = size[cluster] >= conditions.k and _is_diverse(cluster, conditions, budget.columns,
                                                             permit.counts, distinct,
                                                             clusters)  # fmt: skip
        _forget(last[cluster], counts, codes, of_row, before)
        relax_all(budget, permit)
        if good:
            state[MADE] += 1
        else:
            _dissolve(cluster, state, left, clusters)


@kernel
def _is_diverse(
    cluster: int, conditions: Conditions, columns: Ints, counts: Ints, distinct: DistinctRows,
    clusters: Clusters,
) -> bool:  # fmt: skip
    """Return whether a cluster has L distinct values in every sensitive column, none beyond θ."""
    codes, of_row, before = distinct.codes, distinct.of_row, clusters.before
    row, size, theta = clusters.last[cluster], clusters.size[cluster], conditions.theta
    for j in range(columns.shape[0]):
        if columns[j, DISTINCT] < conditions.diversity:
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
def _dissolve(cluster: int, state: Ints, left: Ints, clusters: Clusters) -> None:
    marks, last, before = clusters.marks, clusters.last, clusters.before
    row = last[cluster]
    while row >= 0:
        left[state[LEFT]] = row
        state[LEFT] += 1
        row = before[row]
    clusters.size[cluster], last[cluster] = 0, -1
    for j in range(marks.shape[1]):
        marks[cluster, j] = 0


BEGIN, END, TOP, DISTINCT, HAS, FULL, SHUT = range(7)
OWED, OWED_FRESH, OWED_BITS, ALLOWANCE, LIMITED = range(7, 12)
"""Names of what a budget knows about each sensitive column.

BEGIN and END of the numbers of its values, and an upper bound on the rows left of any (TOP); how
many DISTINCT values the cluster has, which ones (HAS) and which of these may not occur again
(FULL), as bits; the bits of scarce values beyond the allowance (SHUT); how many rows are still
OWED, of how many values that the cluster does not have yet (OWED_FRESH), and the bits of these
values; how many rows of scarce values may still be taken (ALLOWANCE); and whether the column is
LIMITED, that is, uses `quota`.
"""


class Stock(NamedTuple):
    """Facts about each sensitive column (see above), and the rows left of each value."""

    columns: Ints
    remaining: Ints


def open_budget(ranges: Ints, remaining: Ints) -> Stock:
    """A budget for columns whose values occur this often."""
    columns = np.zeros((len(ranges) - 1, 12), np.int64)
    columns[:, BEGIN], columns[:, END] = ranges[:-1], ranges[1:]
    columns[:, TOP] = np.maximum.reduceat(remaining, ranges[:-1])
    return Stock(columns, remaining)


@kernel
def begin_cluster(later: int, target: int, diversity: int, budget: Stock, permit: Permit) -> None:
    """Plan a cluster of `target` rows, after which `later` of that size are to come."""
    plan, remaining, quota, most = budget.columns, budget.remaining, permit.quota, permit.most
    free = (later + 1) * target
    for j in range(plan.shape[0]):
        for field in range(DISTINCT, LIMITED):
            plan[j, field] = 0
        plan[j, ALLOWANCE] = NEVER
        if later >= 1 and not _is_easy(plan[j, TOP], later, free, target, most, diversity):
            _limit(j, later, target, most, diversity, plan, remaining, quota)


@kernel
def _is_easy(top: int, later: int, free: int, target: int, most: int, diversity: int) -> bool:
    """Return whether nothing is owed and no counts below `top` can exceed an allowance."""
    least_distinct = free * min(1.0, later / top)
    return top <= most * later and least_distinct - diversity * later >= target


@kernel
def _limit(
    j: int, later: int, target: int, most: int, diversity: int, plan: Ints, remaining: Ints,
    quota: Ints,
) -> None:  # fmt: skip
    """Find out what is owed, and the allowance for scarce values."""
    plan[j, TOP], plan[j, LIMITED] = 0, 1
    available = 0
    for value in range(plan[j, BEGIN], plan[j, END]):
        plan[j, TOP] = max(plan[j, TOP], remaining[value])
        available += min(remaining[value], later)
        owed = min(remaining[value] - most * later, most)
        if owed > 0:
            quota[value] = owed
            plan[j, OWED] += owed
            plan[j, OWED_FRESH] += 1
            plan[j, OWED_BITS] |= 1 << (value & 63)
    plan[j, ALLOWANCE] = available - diversity * later
    if plan[j, OWED] > target:
        _relax(j, plan, quota)
    elif plan[j, ALLOWANCE] <= 0:
        _shut(j, plan[j, BEGIN], plan[j, END], later, plan, remaining, quota)


@kernel
def _shut(
    j: int, begin: int, end: int, later: int, plan: Ints, remaining: Ints, quota: Ints
) -> None:
    """Permit no more rows of those values from `begin` to `end` that are scarce and not owed."""
    for value in range(begin, end):
        if remaining[value] <= later and quota[value] == 0:
            quota[value] = -1
            plan[j, SHUT] |= 1 << (value & 63)


@kernel
def _relax(j: int, plan: Ints, quota: Ints) -> None:
    """Plan for this cluster only, not for later ones."""
    if plan[j, LIMITED] == 0:
        return
    for value in range(plan[j, BEGIN], plan[j, END]):
        quota[value] = 0
    for field in (SHUT, OWED, OWED_FRESH, OWED_BITS, LIMITED):
        plan[j, field] = 0
    plan[j, ALLOWANCE] = NEVER


@kernel
def relax_all(budget: Stock, permit: Permit) -> bool:
    """Give up planning for later clusters; return whether that was being done."""
    plan, limited = budget.columns, False
    for j in range(plan.shape[0]):
        limited |= plan[j, LIMITED] == 1
        _relax(j, plan, permit.quota)
    return limited


@kernel
def spend(slot: int, later: int, codes: Ints, budget: Stock, permit: Permit) -> None:
    """Bring the budget up to date after the cluster took a row of this slot."""
    plan, remaining = budget.columns, budget.remaining
    counts, quota, most = permit.counts, permit.quota, permit.most
    for j in range(plan.shape[0]):
        value = codes[slot, j]
        bit = 1 << (value & 63)
        scarce = remaining[value] <= later
        remaining[value] -= 1
        if counts[value] < quota[value]:
            plan[j, OWED] -= 1
            plan[j, OWED_FRESH] -= counts[value] == 0
        counts[value] += 1
        plan[j, DISTINCT] += counts[value] == 1
        plan[j, HAS] |= bit
        if counts[value] >= most:
            plan[j, FULL] |= bit
        if plan[j, LIMITED] == 1 and scarce:
            plan[j, ALLOWANCE] -= 1
            if plan[j, ALLOWANCE] == 0:
                _shut(j, plan[j, BEGIN], plan[j, END], later, plan, remaining, quota)
        elif plan[j, ALLOWANCE] <= 0:
            _shut(j, value, value + 1, later, plan, remaining, quota)


@kernel
def decide(places: int, diversity: int, budget: Stock, permit: Permit) -> None:
    """Set which rows are permitted next, if this many places are free: `rules` and `wanted`."""
    plan, rules, wanted = budget.columns, permit.rules, permit.wanted
    for j in range(plan.shape[0]):
        lacking = max(diversity - plan[j, DISTINCT], 0)
        spare = places - plan[j, OWED] - max(lacking - plan[j, OWED_FRESH], 0)
        rules[j, REPEATED] = spare > 0
        rules[j, FRESH] = spare > 0 or lacking > plan[j, OWED_FRESH]
        if rules[j, FRESH] == 0:
            wanted[j] = plan[j, OWED_BITS]
        elif plan[j, END] - plan[j, BEGIN] > 64:
            wanted[j] = -1
        elif spare > 0:
            wanted[j] = ~(plan[j, FULL] | plan[j, SHUT])
        else:
            wanted[j] = (~plan[j, HAS] | plan[j, OWED_BITS]) & ~(plan[j, FULL] | plan[j, SHUT])
