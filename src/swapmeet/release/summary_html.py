"""Summary of a release as a notebook shows it; nothing in it is a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.base.html import (
    BAD,
    write_box,
    write_fold,
    write_list,
    write_mark,
    write_table,
    write_text,
)
from swapmeet.base.sentences import percent

if TYPE_CHECKING:
    from swapmeet.release.changes import ColumnChange
    from swapmeet.release.release import Summary
    from swapmeet.tables.schema import Column

CHOSEN = "The seed was chosen: for tests and studies, not for publication."
SHARES = ("moved", "changed", "suppressed", "made")
ALWAYS = 2
"""The first of the shares are shown in any case, the others where they occur."""


def write_summary(summary: Summary) -> str:
    """Write how much of each column moved and changed, and what the curator should know."""
    shares = [*SHARES[:ALWAYS], *(name for name in SHARES[ALWAYS:] if _occurs(summary, name))]
    changes = {change.name: change for change in summary.changes}
    published = [summary.schema[name] for name in summary.schema.published]
    rows = (_list_cells(column, changes.get(column.name), shares) for column in published)
    return write_box(
        write_text(repr(summary).strip("<>")),
        write_mark(CHOSEN, BAD) if summary.reproducible else "",
        write_table(["column", "kind", "role", *shares], rows),
        write_fold("Notes", write_list(summary.notes)) if summary.notes else "",
    )


def _occurs(summary: Summary, share: str) -> bool:
    return any(getattr(change, share) for change in summary.changes)


def _list_cells(column: Column, change: ColumnChange | None, shares: list[str]) -> tuple[str, ...]:
    """A column that is not masked has no shares."""
    shown = [percent(getattr(change, share)) if change else "–" for share in shares]
    return (column.name, str(column.kind), str(column.role), *shown)
