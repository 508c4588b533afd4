"""Guesses of what a column is, by its values and its name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from swapmeet.base.sentences import count
from swapmeet.tables.arrow import Family
from swapmeet.tables.column import Column, Kind
from swapmeet.tables.role_hints import find_role_hint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.tables.frame import Table

FEW = 10
"""Integers with at most this many distinct values are taken for categories."""
NUMERIC_FAMILIES = {Family.INTEGER, Family.FLOAT, Family.DECIMAL, Family.TIME}


def infer_column(table: Table, name: str, hints: Mapping[str, str]) -> Column:
    """A column as its values suggest it; `hints` are kinds that the file itself declares."""
    return examine_column(_infer_kind(table, name, hints), table)


def examine_column(column: Column, table: Table) -> Column:
    """The column, with why it looks like an identifier or made for some role, if it does."""
    return replace(
        column,
        identifier=table.find_identifier(column.name),
        hint=find_role_hint(column.name, table),
        examined=True,
    )


def _infer_kind(table: Table, name: str, hints: Mapping[str, str]) -> Column:
    family = table.family(name)
    if family is Family.MIXED:
        concern = f"holds mixed types ({table.types(name)}); convert it, or keep or drop it."
        return Column(name, Kind.NOMINAL, reason="mixed types", concern=concern)
    if family is Family.NESTED:
        concern = "holds nested or binary values; give it the role keep or drop."
        return Column(name, Kind.NOMINAL, reason="nested values", concern=concern)
    if name in hints:
        return Column(name, Kind(hints[name]), reason="declared in the file")
    if family is Family.ORDERED:
        return Column(name, Kind.ORDINAL, reason="ordered categories")
    if family is Family.INTEGER:
        return _infer_integer(table, name)
    if family in NUMERIC_FAMILIES:
        return Column(name, Kind.NUMERIC, reason=str(family))
    if family is Family.TEXT:
        distinct = table.codes(name).levels
        return Column(name, Kind.NOMINAL, reason=f"text with {count(distinct, 'distinct value')}")
    reason = "no values" if family is Family.EMPTY else str(family)
    return Column(name, Kind.NOMINAL, reason=reason)


def _infer_integer(table: Table, name: str) -> Column:
    return guess_integer_kind(Column(name, Kind.NUMERIC), table.codes(name).levels, len(table))


def guess_integer_kind(column: Column, distinct: int, rows: int) -> Column:
    """The column of whole numbers, with the kind that so many distinct ones suggest."""
    kind = Kind.NOMINAL if distinct <= FEW and distinct * 2 <= rows else Kind.NUMERIC
    return replace(column, kind=kind, reason=f"integers with {count(distinct, 'distinct value')}")
