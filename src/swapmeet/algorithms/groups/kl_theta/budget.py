"""Budget of a growing cluster, so that it meets the conditions and later clusters still can.

The next row must leave enough places for the L distinct values. It must also leave the other rows
in such numbers that they can be clustered: a value that is so frequent that every cluster has to
take some is *owed*; one of which there are fewer rows left than clusters to come is *scarce*, and
rows of scarce values are taken from an allowance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.algorithms.groups.kl_theta.pool import FRESH, REPEATED, Permit
from swapmeet.algorithms.groups.kl_theta.tree import NEVER
from swapmeet.core.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Ints

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


class Budget(NamedTuple):
    """Facts about each sensitive column (see above), and the rows left of each value."""

    columns: Ints
    remaining: Ints


def open_budget(ranges: Ints, remaining: Ints) -> Budget:
    """A budget for columns whose values occur this often."""
    columns = np.zeros((len(ranges) - 1, 12), np.int64)
    columns[:, BEGIN], columns[:, END] = ranges[:-1], ranges[1:]
    columns[:, TOP] = np.maximum.reduceat(remaining, ranges[:-1])
    return Budget(columns, remaining)


@kernel
def begin_cluster(later: int, target: int, diversity: int, budget: Budget, permit: Permit) -> None:
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
def relax_all(budget: Budget, permit: Permit) -> bool:
    """Give up planning for later clusters; return whether that was being done."""
    plan, limited = budget.columns, False
    for j in range(plan.shape[0]):
        limited |= plan[j, LIMITED] == 1
        _relax(j, plan, permit.quota)
    return limited


@kernel
def spend(slot: int, later: int, codes: Ints, budget: Budget, permit: Permit) -> None:
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
def decide(places: int, diversity: int, budget: Budget, permit: Permit) -> None:
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
