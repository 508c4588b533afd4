"""Words about a release by record swapping."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.algorithms.groups.by_value import number_combinations
from swapmeet.base.arrays import Flags, Ints
from swapmeet.base.sentences import count
from swapmeet.methods.record_swap.area_trades import Trades
from swapmeet.methods.record_swap.plan import SwapPlan
from swapmeet.tables.microdata import Variable

MOST = 0.5
"""If more than this share must trade, a note tells the curator why."""
FEW = 0.1
"""Mistakes that are few, as a share of those of a blind guess."""
REPEATED = 4
"""A column whose values are found less often on average is no code of a place."""


def list_facts(plan: SwapPlan, trades: Trades) -> Iterator[str]:
    """Say how many were at risk, and how many traded."""
    if plan.method.k > 1:
        yield _describe_risk(plan)
    traded = int((trades.partner >= 0).sum())
    yield f"{traded:,} of {count(plan.units.count, plan.unit)} traded."


def list_notes(plan: SwapPlan, trades: Trades) -> Iterator[str]:
    """Note what a curator must heed: who found nobody, and what stayed as it was."""
    alone = trades.failures & (trades.partner < 0)
    must = int(np.logical_or.reduce(plan.must).sum())
    if must > MOST * plan.units.count:
        yield (
            f"{must:,} of {count(plan.units.count, plan.unit)} must trade, because the risk "
            "columns tell most people apart. Name fewer in `risk`, or lower `k`, if most should "
            "stay."
        )
    if alone.any():
        yield _describe_alone(plan, alone)
    telling = find_telling_columns(plan)
    if telling:
        named = ", ".join(f"{name} (the {level})" for name, level in telling.items())
        yield (
            f"these columns stay, and reveal the place that was traded away: {named}. Give them "
            "the "
            "role place, or drop."
        )
    kept = [name for name in plan.data.names if name not in plan.moved_columns]
    if kept:
        yield (
            f"left as they are: {', '.join(kept)}. Mask them by another method with per-column, "
            "or name those that should move in `columns`."
        )


def find_telling_columns(plan: SwapPlan) -> dict[str, str]:
    """Columns that stay and give the place away, and the smallest level that they reveal."""
    first = plan.units.first
    staying = [v for v in plan.data.variables if v.name not in plan.moved_columns]
    staying += [v for v in plan.data.context if not v.role.masked]
    columns = {}
    for variable in staying:
        levels = _list_told_levels(plan, variable, first)
        if levels:
            columns[variable.name] = levels[-1]
    return columns


def _list_told_levels(plan: SwapPlan, variable: Variable, first: Ints) -> list[str]:
    known = ~variable.missing[first]
    values = variable.values[first[known]]
    return [
        level
        for level, areas in zip(plan.levels, plan.areas, strict=False)
        if tells_area(values, areas[known])
    ]


def tells_area(values: npt.NDArray[Any], areas: Ints) -> bool:
    """Return whether values that are found several times reveal the area, with few mistakes.

    So few that the best guess without the values is wrong ten times as often.
    """
    labels = number_combinations([values], len(values))
    if not len(values) or REPEATED * (int(labels.max()) + 1) > len(values):
        return False
    cells = number_combinations([labels, areas], len(values))
    order = np.unique(cells, return_index=True)[1]
    best = np.zeros(int(labels.max()) + 1, np.int64)
    np.maximum.at(best, labels[order], np.bincount(cells))
    wrong, blind = (len(values) - int(right) for right in (best.sum(), np.bincount(areas).max()))
    return blind > 0 and wrong <= FEW * blind


def _describe_risk(plan: SwapPlan) -> str:
    """Count the units at risk, by level."""
    risky = [f"{int((counts < plan.method.k).sum()):,}" for counts in plan.counts]
    if plan.levels:
        risky = [f"{level} {number}" for level, number in zip(plan.levels, risky, strict=True)]
    who = "rows" if plan.unit == "row" else f"{plan.unit}s with somebody"
    alike = f" in {', '.join(plan.risk_columns)}" if plan.risk_columns else ""
    where = ", in their area" if plan.levels else ""
    return (
        f"{who} of whom there are fewer than {plan.method.k} alike{alike}{where}: "
        f"{', '.join(risky)} of {plan.units.count:,}."
    )


def _describe_alone(plan: SwapPlan, alone: Flags) -> str:
    number, rows = int(alone.sum()), int(plan.units.sizes[alone].sum())
    forced = int((alone & np.logical_or.reduce(plan.must)).sum())
    in_rows = "" if plan.unit == "row" else f" ({count(rows, 'row')})"
    return (
        f"no partner for {count(number, plan.unit)}{in_rows}, of which {forced:,} must trade: "
        f"{'it stays' if number == 1 else 'they stay'} in place. Give a further, wider profile in "
        "`similar`."
    )
