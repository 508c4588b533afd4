"""What a growing cluster may take, so that it meets the conditions and later clusters still can.

The next row must leave places enough for the L distinct values. It must also leave the other rows
such that they can be clustered: a value that is so frequent that every cluster has to take some is
*owed*; one of which there are fewer rows left than clusters to come is *scarce*, and taking it is
limited by a budget.
"""

from __future__ import annotations

import numpy as np

from swapmeet.algorithms.groups.kl_theta.pool import FRESH, REPEATED
from swapmeet.algorithms.groups.kl_theta.tree import NEVER
from swapmeet.core.base.jit import Ints, kernel

BEGIN, END, TOP, DISTINCT, HAS, FULL, SHUT, OWED, OWED_FRESH, OWED_BITS, BUDGET, LIMITED = range(12)
"""What a plan knows of each sensitive column.

The numbers of its values (BEGIN to END), and an upper bound on the rows left of any (TOP); how many
values the cluster has, which ones as bits, and which of these may not come again; the bits of
scarce values beyond the budget; how many rows are still owed, of how many values that the cluster
does not have yet, and their bits; how many rows of scarce values may still be taken; and whether
`quota` is in use.
"""


def plan_for(ranges: Ints, remaining: Ints) -> Ints:
    """A plan for columns whose values come so often."""
    plan = np.zeros((len(ranges) - 1, 12), np.int64)
    plan[:, BEGIN], plan[:, END] = ranges[:-1], ranges[1:]
    plan[:, TOP] = np.maximum.reduceat(remaining, ranges[:-1])
    return plan


@kernel
def begin_cluster(
    later: int, target: int, most: int, diversity: int, plan: Ints, remaining: Ints, quota: Ints
) -> None:
    """Plan a cluster of `target` rows, after which so many of that size are to come."""
    free = (later + 1) * target
    for j in range(plan.shape[0]):
        for field in range(DISTINCT, LIMITED):
            plan[j, field] = 0
        plan[j, BUDGET] = NEVER
        if later >= 1 and not _is_easy(plan[j, TOP], later, free, target, most, diversity):
            _limit(j, later, target, most, diversity, plan, remaining, quota)


@kernel
def _is_easy(top: int, later: int, free: int, target: int, most: int, diversity: int) -> bool:
    """Whether nothing is owed, and no budget can be exceeded, whatever the counts below `top`."""
    least_distinct = free * min(1.0, later / top)
    return top <= most * later and least_distinct - diversity * later >= target


@kernel
def _limit(
    j: int, later: int, target: int, most: int, diversity: int, plan: Ints, remaining: Ints,
    quota: Ints,
) -> None:  # fmt: skip
    """Find out what is owed, and the budget for scarce values."""
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
    plan[j, BUDGET] = available - diversity * later
    if plan[j, OWED] > target:
        relax(j, plan, quota)
    elif plan[j, BUDGET] <= 0:
        _shut(j, plan[j, BEGIN], plan[j, END], later, plan, remaining, quota)


@kernel
def _shut(
    j: int, begin: int, end: int, later: int, plan: Ints, remaining: Ints, quota: Ints
) -> None:
    """Let no more of the values `begin` to `end` come that are scarce and not owed."""
    for value in range(begin, end):
        if remaining[value] <= later and quota[value] == 0:
            quota[value] = -1
            plan[j, SHUT] |= 1 << (value & 63)


@kernel
def relax(j: int, plan: Ints, quota: Ints) -> None:
    """Plan for the cluster only, not for later ones."""
    if plan[j, LIMITED] == 0:
        return
    for value in range(plan[j, BEGIN], plan[j, END]):
        quota[value] = 0
    for field in (SHUT, OWED, OWED_FRESH, OWED_BITS, LIMITED):
        plan[j, field] = 0
    plan[j, BUDGET] = NEVER


@kernel
def note_taken(
    slot: int, later: int, most: int, codes: Ints, plan: Ints, remaining: Ints, counts: Ints,
    quota: Ints,
) -> None:  # fmt: skip
    """Note that the cluster took a row of this slot."""
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
            plan[j, BUDGET] -= 1
            if plan[j, BUDGET] == 0:
                _shut(j, plan[j, BEGIN], plan[j, END], later, plan, remaining, quota)
        elif plan[j, BUDGET] <= 0:
            _shut(j, value, value + 1, later, plan, remaining, quota)


@kernel
def decide(places: int, diversity: int, plan: Ints, rules: Ints, wanted: Ints) -> None:
    """Which rows may come next, if so many places are free: `rules`, and the bits `wanted`."""
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
