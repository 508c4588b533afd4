"""Refusals of record swapping before any work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.by_value import number_combinations
from swapmeet.base.sentences import count
from swapmeet.errors import SchemaError, TableError, did_you_mean
from swapmeet.methods.record_swap.plan import SwapPlan

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from swapmeet.methods.record_swap import RecordSwap
    from swapmeet.tables.microdata import Microdata


def check_names(method: RecordSwap, data: Microdata) -> None:
    """Refuse columns that are not there, and a table in which nothing could trade."""
    data.require_names(method.hierarchy or (), "record-swap: `hierarchy`")
    data.require_names(method.columns or (), "record-swap: `columns`")
    problems = list_unknown(method, (*data.names, *(v.name for v in data.context)))
    if not SwapPlan.of(method, data).moved_columns:
        problems.append(
            "record-swap: nothing would trade, because no column has the role place. Give the "
            "levels of the place that role (or name them in `hierarchy`), or name in `columns` "
            "what should trade."
        )
    if problems:
        raise SchemaError(problems)


def list_unknown(method: RecordSwap, visible: Collection[str]) -> list[str]:
    """Say what is wrong with the columns that the method only looks at."""
    wanted = {"risk": method.risk or (), "similar": method.profile_columns}
    return [
        f"record-swap: `{parameter}`: no column {name!r}{did_you_mean(name, visible)}"
        for parameter, names in wanted.items()
        for name in dict.fromkeys(names)
        if name not in visible
    ]


def check_table(method: RecordSwap, data: Microdata) -> None:
    """Refuse places that are not nested, units that are not whole, and a single area."""
    plan = SwapPlan.of(method, data)
    problems = [*_find_mixed_units(plan), *_find_unnested(plan)]
    if problems:
        raise SchemaError(problems)
    if int(plan.contents.max(initial=-1)) < 1:
        what = f"in the same area of {plan.levels[-1]!r}" if plan.levels else "alike in `columns`"
        raise TableError(
            f"record-swap: all {plan.units.count} {plan.unit}s are {what}; nobody could trade."
        )


def _find_mixed_units(plan: SwapPlan) -> Iterator[str]:
    """Units whose rows differ in what is said about the unit."""
    uses = dict.fromkeys(plan.method.profile_columns, "partners agree in") | dict.fromkeys(
        plan.moved_columns, "moves with"
    )
    for name, use in uses.items():
        mixed = plan.units.count_mixed(plan.find(name).values)
        if mixed:
            yield _say_mixed(plan, name, mixed, use)
    mixed = plan.units.count_mixed(plan.data.strata)
    if mixed:
        yield (
            f"record-swap: {count(mixed, plan.unit)} {_have(mixed)} rows in several strata; a "
            f"{plan.unit} trades as one. Use strata that hold whole {plan.unit}s."
        )


def _say_mixed(plan: SwapPlan, name: str, mixed: int, use: str) -> str:
    if name in plan.levels:
        return (
            f"record-swap: {count(mixed, plan.unit)} {_have(mixed)} rows in several areas of "
            f"{name!r}; a {plan.unit} has one place. Correct them, or check the column of the "
            f"role {plan.unit}."
        )
    what = "`similar`" if use == "partners agree in" else "`columns`"
    return (
        f"record-swap: {what}: {name!r} differs inside {count(mixed, plan.unit)}; only what is the "
        f"same for a whole {plan.unit} will do. Leave it out, or use a column that is."
    )


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _find_unnested(plan: SwapPlan) -> Iterator[str]:
    """Levels whose areas lie in several areas of the level above."""
    first = plan.units.first
    for level in range(1, len(plan.levels)):
        larger, smaller = plan.levels[level - 1], plan.levels[level]
        variable = plan.find(smaller)
        present = first[~variable.missing[first]]
        if not len(present):
            continue
        areas = number_combinations([variable.values[present]], len(present))
        above = [plan.find(name).values[present] for name in plan.levels[:level]]
        pairs = number_combinations([areas, *above], len(present))
        parents = np.bincount(areas[np.unique(pairs, return_index=True)[1]])
        several = int((parents > 1).sum())
        if several:
            yield (
                f"record-swap: {several} of {len(parents)} areas of {smaller!r} lie in several "
                f"areas of {larger!r}; each must lie in one. Name the levels in `hierarchy` from "
                "large to small, or make their codes unique."
            )
