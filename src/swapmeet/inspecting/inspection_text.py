"""The findings about a table, as text and as a notebook shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.base.html import (
    write_box,
    write_heading,
    write_list,
    write_table,
    write_text,
)
from swapmeet.base.sentences import align, count, percent

if TYPE_CHECKING:
    from swapmeet.inspecting.table import InspectedColumn, Inspection, Uniqueness
    from swapmeet.ties.finding import Finding

COLUMNS = ("column", "kind", "role", "missing", "distinct", "why this kind")
KEYS = ("key columns", "unique rows", "rows in groups below 5")


def write_inspection(found: Inspection) -> str:
    """Text that `print` shows."""
    lines = [describe_size(found), "", *align([COLUMNS, *map(list_cells, found.columns)])]
    if concerns := list_concerns(found):
        lines += ["", "Check these columns", *(f"- {concern}" for concern in concerns)]
    if found.findings:
        lines += ["", "What columns seem to be", *_list_findings(found)]
    lines += [line for note in found.notes for line in ("", note)]
    if found.risky:
        lines += ["", *align([KEYS, *(list_figures(one, found.rows) for one in found.risky)])]
    if found.all_keys is not None and found.rows:
        lines += ["", describe_keys(found, found.all_keys)]
    return "\n".join(lines)


def write_inspection_html(found: Inspection) -> str:
    """HTML that a notebook shows."""
    concerns, together = list_concerns(found), found.all_keys
    risky = (list_figures(one, found.rows) for one in found.risky)
    return write_box(
        write_text(describe_size(found)),
        write_table(COLUMNS, map(list_cells, found.columns)),
        write_heading("Check these columns") + write_list(concerns) if concerns else "",
        write_heading("What columns seem to be") + write_list(map(write_finding, found.findings))
        if found.findings
        else "",
        *map(write_text, found.notes),
        write_heading("Rows that stand out") if found.rows and together else "",
        write_table(KEYS, risky) if found.risky else "",
        write_text(describe_keys(found, together)) if found.rows and together else "",
    )


def write_finding(one: Finding) -> str:
    """A finding, and the options that say so."""
    return f"{one.sentence} {one.command}".rstrip()


def _list_findings(found: Inspection) -> list[str]:
    return [f"- {write_finding(one)}" for one in found.findings]


def describe_size(found: Inspection) -> str:
    """Describe the size of the table."""
    return f"{count(found.rows, 'row')}, {count(len(found.columns), 'column')}"


def list_concerns(found: Inspection) -> list[str]:
    """List what the curator should look at."""
    return [f"{column.name}: {column.concern}" for column in found.columns if column.concern]


def list_cells(column: InspectedColumn) -> tuple[str, ...]:
    """A column in a table; the number of distinct values is told once."""
    distinct = "–" if column.distinct is None else f"{column.distinct:,}"
    why = column.reason.partition(" with ")[0]
    return (column.name, column.kind, column.role, f"{column.missing:,}", distinct, why)


def list_figures(one: Uniqueness, rows: int) -> tuple[str, ...]:
    """A combination of keys in a table."""
    figures = (f"{number:,} ({percent(number / rows)})" for number in (one.unique, one.small))
    return (", ".join(one.columns), *figures)


def describe_keys(found: Inspection, together: Uniqueness) -> str:
    """Describe how many rows all keys together single out, and what was examined."""
    keys = "The only key singles" if len(together.columns) == 1 else (
        f"All {len(together.columns):,} keys together single"
    )  # fmt: skip
    return (
        f"{keys} out {count(together.unique, 'row')} ({percent(together.unique / found.rows)}). "
        f"{_describe_extent(found)} of up to 3 keys were examined."
    )


def _describe_extent(found: Inspection) -> str:
    if found.looked_at == found.combinations:
        return f"All {found.combinations:,} combinations"
    return f"{found.looked_at:,} of {found.combinations:,} combinations"
