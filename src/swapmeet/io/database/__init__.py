"""Tables of databases: read as one snapshot into a private file, written in one transaction."""

from __future__ import annotations

from swapmeet.io.database.address import DatabaseTable, is_address
from swapmeet.io.database.databases import (
    Snapshot,
    open_private_folder,
    open_snapshot,
    stage,
    take_snapshot,
)
from swapmeet.io.database.origin import NewTable, Origin
from swapmeet.io.database.session import CommitUnknownError, Staged

__all__ = [
    "CommitUnknownError", "DatabaseTable", "NewTable", "Origin", "Snapshot", "Staged", "databases",
    "is_address", "open_private_folder", "open_snapshot", "stage", "take_snapshot",
]  # fmt: skip
