"""All that ties columns to each other, each column once."""

from __future__ import annotations

from collections.abc import Iterable

from swapmeet.ties.column_view import ColumnView
from swapmeet.ties.dependencies import find_dependencies
from swapmeet.ties.finding import Finding
from swapmeet.ties.orders import find_orders
from swapmeet.ties.ratios import find_ratios
from swapmeet.ties.sums import find_sums

FEWEST = 20
"""Of a table with fewer rows nothing is proposed: what holds in all of them may be chance."""


def find_ties(
    columns: ColumnView, leave_out: set[str], births: set[str], household: str | None
) -> list[Finding]:
    """Columns that follow from others, and dates in order; each column follows only once.

    Dates of birth are recoded first: only what moves as one with them agrees with them then.
    """
    findings: list[Finding] = []
    for find in (find_sums, find_ratios, find_orders):
        computed = {one.columns[0] for one in findings if one.options}
        findings += find(columns, leave_out | births | computed)
    return [*findings, *find_dependencies(columns, leave_out | _list_computed(findings), household)]


def _list_computed(ties: Iterable[Finding]) -> set[str]:
    return {one.columns[0] for one in ties if "--derive" in one.options}
