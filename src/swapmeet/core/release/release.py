"""The release of a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from swapmeet.core.tables.frame import Frame, reorder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from swapmeet.core.release.audit import AuditRecord
    from swapmeet.core.release.changes import ColumnChange
    from swapmeet.core.tables.schema import Schema


@dataclass(frozen=True)
class Streamed:
    """What was done to a table that is not in memory; the release itself is in `path`."""

    path: Path
    rows: int
    schema: Schema
    method: str
    settings: Mapping[str, Any]
    changes: tuple[ColumnChange, ...]
    notes: tuple[str, ...]
    reproducible: bool


@dataclass(frozen=True, repr=False, eq=False)
class Release:
    """A masked table. Row i of `data` is owned by row i of the original: publish `shuffled()`.

    `reproducible` marks a release whose seed the user chose: for tests and studies, not for
    publication.
    """

    data: Frame
    method: str
    settings: Mapping[str, Any]
    changes: tuple[ColumnChange, ...]
    notes: tuple[str, ...]
    reproducible: bool
    audit: AuditRecord = field(repr=False)

    def __repr__(self) -> str:
        n, p = self.audit.donors.shape
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"<Release of {n} rows and {p} columns by {self.method}({settings})>"

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.audit.owner)

    def shuffled(self) -> Frame:
        """What is published: the rows in random order, with a fresh index."""
        return reorder(self.data, self.audit.owner)
