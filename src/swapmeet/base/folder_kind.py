"""Folders that may be overwritten: they hold nothing but what was written in one piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RECORD = {"seed.json", "donors"}
"""Names of the files in the folder of an audit record."""


@dataclass(frozen=True)
class FolderKind:
    """A sort of folder: `title` says what is in it, `holds` judges by the names in a folder."""

    title: str
    holds: Callable[[set[str]], bool]

    def fits(self, folder: Path) -> bool:
        """Return whether a folder is one of this sort, or empty."""
        names = {path.name for path in folder.iterdir()}
        return not names or self.holds(names)


def is_empty(path: Path) -> bool:
    """Return whether it is a folder, and nothing in it; a link to one is something."""
    return path.is_dir() and not path.is_symlink() and not any(path.iterdir())


def _are_parquet(names: set[str]) -> bool:
    """Parquet files only, as Spark writes them, or an audit record."""
    others = names - {"_SUCCESS"}
    return others == RECORD or all(name.endswith((".parquet", ".crc")) for name in others)


PARQUET = FolderKind("Parquet files", _are_parquet)
