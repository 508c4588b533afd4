"""Nominal columns as columns with an order, for methods that need one."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from swapmeet.algorithms.groups.level_order import MOST_OTHERS, ORDERS, SIMILAR, LevelOrder
from swapmeet.base.params import OneOf
from swapmeet.intruders.evidence import Evidence
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

OrderOfLevels = Annotated[
    str,
    OneOf(ORDERS),
    "order of the levels of nominal columns: similar ones side by side, judged by the other "
    "columns, or the most frequent first",
]


def order_levels(data: Microdata, by: str) -> Microdata:
    """The table with nominal columns as ordinal ones: each value the place of its level.

    Such a column has `levels`, their number in the whole table.
    """
    return _place(data, LevelOrder(data, by))


def describe_order(data: Microdata, by: str) -> tuple[str, ...]:
    """Note about an order that not all columns decided on."""
    others = len(data.variables) - 1
    nominal = any(v.kind is Kind.NOMINAL for v in data.variables)
    if by != SIMILAR or not nominal or others <= MOST_OTHERS:
        return ()
    note = (
        f"Which levels of a nominal column are similar was judged by {MOST_OTHERS} of the other "
        f"{others:,} columns, spread evenly over the table."
    )
    return (note,)


def order_known_levels(seen: Evidence, by: str) -> Evidence:
    """View of an intruder, with nominal columns in the order that everybody's values give.

    Someone who lacks columns that decide on the order of others, or the people themselves, does not
    know these orders (in the release they are blurred): such columns are left out.
    """
    order = LevelOrder(seen.people, by)
    knows = seen.complete and seen.everybody
    names = [
        v.name
        for v in seen.people.variables
        if knows or v.kind is not Kind.NOMINAL or not order.needs_others(v.name)
    ]
    people, released = seen.people.select(names), seen.released.select(names)
    return replace(seen, people=_place(people, order), released=_place(released, order))


def _place(data: Microdata, order: LevelOrder) -> Microdata:
    return replace(data, variables=tuple(_place_values(v, order) for v in data.variables))


def _place_values(variable: Variable, order: LevelOrder) -> Variable:
    if variable.kind is not Kind.NOMINAL:
        return variable
    places = np.append(order.find_places(variable.name), np.nan)
    count = int(np.count_nonzero(~np.isnan(places)))
    codes = np.minimum(variable.values, len(places) - 1)
    return Variable(variable.name, Kind.ORDINAL, places[codes], count, variable.role)
