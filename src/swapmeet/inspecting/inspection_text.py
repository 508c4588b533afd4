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
    from swapmeet.inspecting.table import InspectedColumn, Inspection, KeyUniqueness
    from swapmeet.ties.finding import Finding

COLUMNS = ("column", "kind", "role", "missing", "distinct", "why this kind")
KEYS = ("key columns", "unique rows", "rows in groups below 5")


def write_inspection(inspection: Inspection) -> str:
    """Text that `print` shows."""
    lines = [describe_size(inspection), "", *align([COLUMNS, *map(list_cells, inspection.columns)])]
    if concerns := list_concerns(inspection):
        lines += ["", "Check these columns", *(f"- {concern}" for concern in concerns)]
    if inspection.findings:
        lines += ["", "What columns seem to be", *_list_findings(inspection)]
    lines += [line for note in inspection.notes for line in ("", note)]
    if inspection.risky:
        lines += [
            "",
            *align([KEYS, *(list_figures(one, inspection.rows) for one in inspection.risky)]),
        ]
    if inspection.all_keys is not None and inspection.rows:
        lines += ["", describe_keys(inspection, inspection.all_keys)]
    return "\n".join(lines)


def write_inspection_html(inspection: Inspection) -> str:
    """HTML that a notebook shows."""
    concerns, together = list_concerns(inspection), inspection.all_keys
    risky = (list_figures(one, inspection.rows) for one in inspection.risky)
    return write_box(
        write_text(describe_size(inspection)),
        write_table(COLUMNS, map(list_cells, inspection.columns)),
        write_heading("Check these columns") + write_list(concerns) if concerns else "",
        write_heading("What columns seem to be")
        + write_list(map(write_finding, inspection.findings))
        if inspection.findings
        else "",
        *map(write_text, inspection.notes),
        write_heading("Rows that stand out") if inspection.rows and together else "",
        write_table(KEYS, risky) if inspection.risky else "",
        write_text(describe_keys(inspection, together)) if inspection.rows and together else "",
    )


def write_finding(one: Finding) -> str:
    """A finding, and the options that say so."""
    return f"{one.sentence} {one.command}".rstrip()


def _list_findings(inspection: Inspection) -> list[str]:
    return [f"- {write_finding(one)}" for one in inspection.findings]


def describe_size(inspection: Inspection) -> str:
    """Describe the size of the table."""
    return f"{count(inspection.rows, 'row')}, {count(len(inspection.columns), 'column')}"


def list_concerns(inspection: Inspection) -> list[str]:
    """List what the curator should look at."""
    return [f"{column.name}: {column.concern}" for column in inspection.columns if column.concern]


def list_cells(column: InspectedColumn) -> tuple[str, ...]:
    """A column in a table; the number of distinct values is told once."""
    distinct = "–" if column.distinct is None else f"{column.distinct:,}"
    why = column.reason.partition(" with ")[0]
    return (column.name, column.kind, column.role, f"{column.missing:,}", distinct, why)


def list_figures(one: KeyUniqueness, rows: int) -> tuple[str, ...]:
    """A combination of keys in a table."""
    figures = (f"{number:,} ({percent(number / rows)})" for number in (one.unique, one.small))
    return (", ".join(one.columns), *figures)


def describe_keys(inspection: Inspection, together: KeyUniqueness) -> str:
    """Describe how many rows all keys together single out, and what was examined."""
    keys = "The only key singles" if len(together.columns) == 1 else (
        f"All {len(together.columns):,} keys together single"
    )  # fmt: skip
    share = percent(together.unique / inspection.rows)
    return (
        f"{keys} out {count(together.unique, 'row')} ({share}). "
        f"{_describe_extent(inspection)} of up to 3 keys were examined."
    )


def _describe_extent(inspection: Inspection) -> str:
    if inspection.looked_at == inspection.combinations:
        return f"All {inspection.combinations:,} combinations"
    return f"{inspection.looked_at:,} of {inspection.combinations:,} combinations"
