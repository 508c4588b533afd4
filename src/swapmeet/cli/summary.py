"""How a release is summed up: what moved and what changed, column by column."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from swapmeet.cli.output import Output, percent

if TYPE_CHECKING:
    from swapmeet.release import Release
    from swapmeet.schema import Schema

CHOSEN = "The seed was chosen: fit for tests and studies, not for publication."


def changes_as_json(release: Release, schema: Schema) -> list[dict[str, Any]]:
    """Kind, role and shares of each published column; unmasked columns have no shares."""
    changes = {change.name: asdict(change) for change in release.changes}
    return [
        {"name": column.name, "kind": str(column.kind), "role": str(column.role),
         **changes.get(column.name, {})}
        for column in schema
        if column.name in schema.published
    ]  # fmt: skip


def show_changes(output: Output, release: Release, schema: Schema, notes: list[str]) -> None:
    """A table for people, and what they should know."""
    lost = any(change.suppressed for change in release.changes)
    header = ["column", "kind", "role", "moved", "changed", *(["suppressed"] if lost else [])]
    changes = {change.name: change for change in release.changes}
    rows = []
    for column in schema:
        row = [column.name, str(column.kind), str(column.role)]
        change = changes.get(column.name)
        shares = [change.moved, change.changed, change.suppressed] if change else []
        row += [percent(share) for share in shares] or ["–", "–", "–"]
        rows.append(row[: len(header)])
    output.heading("What happened to the values")
    output.table(header, rows)
    output.prose("moved: comes from another row. changed: differs from the row's own value.")
    notes = [*notes, CHOSEN] if release.reproducible else notes
    if notes:
        output.heading("Notes")
    for note in notes:
        output.prose(note, bullet="-")
    output.line()
