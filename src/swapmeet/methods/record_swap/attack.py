"""Expectation of an intruder who knows record swapping about a place, or what else trades."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from swapmeet.algorithms.groups.by_value import number_combinations
from swapmeet.base.arrays import Floats, Ints
from swapmeet.intruders.evidence import ATTACK, UNSURE, Evidence, KeptOrTraded, Likelihood
from swapmeet.intruders.evidence.base import DOUBT
from swapmeet.methods.record_swap import RecordSwap
from swapmeet.methods.record_swap.plan import SwapPlan
from swapmeet.tables.microdata import Microdata

TRIES = 8
"""So often the intruder tries the method out, to learn who trades."""
FINE = 16
"""Up to this many people who are alike, each count is told apart; larger ones by powers of two."""


def attack_trades(method: RecordSwap, seen: Evidence) -> tuple[Likelihood, ...]:
    """One piece for all that trades as one, as far as the intruder knows it.

    Columns of the rule that they do not know are left out of it.
    """
    plan = SwapPlan.of(_restrict(method, seen.people), seen.people)
    if not plan.moved_columns:
        return ()
    codes = seen.code(*plan.moved_columns)
    doubt = DOUBT if seen.complete else UNSURE
    of = plan.units.of_row
    piece = KeptOrTraded(
        plan.moved_columns, codes, plan.classes[0][of], _learn_who_stays(plan)[of],
        1.0 / plan.counts[-1][of], doubt=doubt,
    )  # fmt: skip
    return (piece,)


def _restrict(method: RecordSwap, people: Microdata) -> RecordSwap:
    """The method as far as its columns are known."""
    visible = {*people.names, *(v.name for v in people.context)}

    def keep(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if name in visible)

    return replace(
        method,
        hierarchy=None if method.hierarchy is None else keep(method.hierarchy) or None,
        columns=None if method.columns is None else keep(method.columns) or None,
        risk=None if method.risk is None else keep(method.risk),
        similar=None if method.similar is None else tuple(map(keep, method.similar)),
    )


def _learn_who_stays(plan: SwapPlan) -> Floats:
    """The probability that each unit keeps what it has, from trying the method out.

    It depends on how rare the unit is, level by level; units that are as rare stay as often.
    """
    tries = [plan.trade(ATTACK.within("record-swap", number)) for number in range(TRIES)]
    stayed = np.mean([trades.partner < 0 for trades in tries], axis=0)
    rarity = number_combinations([_coarsen(counts) for counts in plan.counts], plan.units.count)
    return (np.bincount(rarity, stayed) / np.bincount(rarity))[rarity]


def _coarsen(counts: Ints) -> Ints:
    return np.where(counts <= FINE, counts, FINE + np.log2(counts).astype(np.int64))
