"""Dates of a row that come one after the other: admitted before discharged."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from swapmeet.errors import SwapmeetError
from swapmeet.tables.conditions import Condition
from swapmeet.ties.column_view import ColumnView
from swapmeet.ties.finding import Finding, Tie, write_derivation
from swapmeet.ties.sums import write_name

FEWEST = 20
"""Fewer rows with both dates tell nothing."""
NEARLY = 0.98
"""An order holds in at least this share of the rows."""
BY_CHANCE = 0.9
"""Dates of different rows are in order less often than this."""
CLOSE = 0.5
"""What lies between two dates varies less than the later one, by this factor: it can be masked in
its place."""
MOST_COLUMNS = 40


@dataclass(frozen=True)
class Order:
    """That one date is not after another."""

    first: str
    second: str

    def count(self, columns: ColumnView, original: ColumnView) -> tuple[int, int]:  # noqa: ARG002
        """The rows in order, of those that have both."""
        one, two = columns.quantities(self.first), columns.quantities(self.second)
        there = np.isfinite(one) & np.isfinite(two)
        return int((one <= two)[there].sum()), int(there.sum())


def find_orders(columns: ColumnView, leave_out: Collection[str]) -> Iterator[Finding]:
    """Pairs of dates in the same order in nearly all rows; not those that follow from others."""
    names = columns.list_dates(leave_out)[:MOST_COLUMNS]
    held = {
        pair: counts
        for pair in permutations(names, 2)
        if (counts := _count_rows(columns, *pair)) is not None
    }
    later: set[str] = set()
    for (first, second), (rows, tried) in held.items():
        between = any((first, name) in held and (name, second) in held for name in names)
        if not between:
            options = _choose_option(columns, first, second, later, complete=rows == tried)
            later |= {second} if options[:1] == ("--derive",) else set()
            yield Finding(
                about=f"{second} is not before {first}",
                columns=(second, first),
                reason=f"in all {tried:,} rows that have both"
                if rows == tried
                else f"in {rows:,} of {tried:,} rows",
                rows=rows,
                options=options,
                ties=(Tie(f"{write_name(first)} <= {write_name(second)}", Order(first, second)),),
            )


def _count_rows(columns: ColumnView, first: str, second: str) -> tuple[int, int] | None:
    """The rows in order, and those that have both dates; None where that is nothing special."""
    for rows in (columns.sample, np.arange(columns.rows)):
        one, two = columns.quantities(first)[rows], columns.quantities(second)[rows]
        there = np.isfinite(one) & np.isfinite(two)
        one, two = one[there], two[there]
        held = int((one <= two).sum())
        if len(one) < FEWEST or held < NEARLY * len(one):
            return None
    by_chance = np.searchsorted(np.sort(one), two, side="right").mean() / len(one)
    return (held, len(one)) if by_chance < BY_CHANCE and (one < two).any() else None


def _choose_option(
    columns: ColumnView, first: str, second: str, later: set[str], *, complete: bool
) -> tuple[str, ...]:
    """Choose between masking the time in between instead of the later date, and a rule."""
    one, two = columns.quantities(first), columns.quantities(second)
    is_close = np.nanstd(two - one) < CLOSE * np.nanstd(two)
    if is_close and second not in later and columns.can_have_rest(second):
        text = f"{write_name(second)} = {write_name(first)}"
        return write_derivation(text, [first, second], nearly=True, beside=columns.all_names)
    rule = _write_rule(first, second) if complete else ()
    return ("--rule", *rule) if rule else ()


def _write_rule(first: str, second: str) -> tuple[str, ...]:
    text = f"{write_name(first)} <= {write_name(second)}"
    try:
        return (text,) if set(Condition(text).columns) == {first, second} else ()
    except SwapmeetError:
        return ()
