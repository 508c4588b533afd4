"""The summary of a release: what moved and what changed, column by column."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from swapmeet.cli.output import Output, percent

if TYPE_CHECKING:
    from swapmeet.release.release import Summary

MEANINGS = {
    "moved": "comes from another row",
    "changed": "differs from the row's own value",
    "suppressed": "missing from the release",
    "made": "a new value, not necessarily anyone's own",
}
CHOSEN = "The seed was given: this release is for tests and studies, not for publication."


def changes_as_json(release: Summary) -> list[dict[str, Any]]:
    """Kind, role and shares of each published column; unmasked columns have no shares."""
    schema = release.schema
    changes = {change.name: asdict(change) for change in release.changes}
    return [
        {"name": column.name, "kind": str(column.kind), "role": str(column.role),
         **changes.get(column.name, {})}
        for column in schema
        if column.name in schema.published
    ]  # fmt: skip


def show_changes(output: Output, release: Summary, notes: list[str]) -> None:
    """A table for people, and what they should know."""
    changes = {change.name: change for change in release.changes}
    shares = ["moved", "changed", *_select_occurring(release, "suppressed", "made")]
    rows = []
    for column in release.schema:
        change = changes.get(column.name)
        shown = [percent(getattr(change, share)) if change else "–" for share in shares]
        rows.append([column.name, str(column.kind), str(column.role), *shown])
    output.heading("What happened to the values")
    output.table(["column", "kind", "role", *shares], rows)
    output.prose(" ".join(f"{share}: {MEANINGS[share]}." for share in shares))
    notes = [*notes, CHOSEN] if release.reproducible else notes
    if notes:
        output.heading("Notes")
    for note in notes:
        output.prose(note, bullet="-")
    output.line()


def _select_occurring(release: Summary, *shares: str) -> list[str]:
    return [share for share in shares if any(getattr(c, share) for c in release.changes)]
