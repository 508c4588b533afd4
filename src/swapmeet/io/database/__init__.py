"""Tables of databases: read as one snapshot into a private file, written in one transaction."""

from __future__ import annotations

from swapmeet.io.database.address import DatabaseTable, is_address
from swapmeet.io.database.databases import check_target, stage
from swapmeet.io.database.origin import NewTable, Origin
from swapmeet.io.database.snapshot import Snapshot, open_snapshot, take_snapshot
from swapmeet.io.database.staged import Staged

__all__ = [
    "DatabaseTable", "NewTable", "Origin", "Snapshot", "Staged", "check_target", "is_address",
    "open_snapshot", "stage", "take_snapshot",
]  # fmt: skip
