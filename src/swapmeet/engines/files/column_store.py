"""Columns of a table on the disk, an array of numbers each, read by ranges of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.parallel import ranges

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.base.arrays import Rows, Values


class ColumnStore:
    """Arrays in files of a folder, by name; each grows at its end."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._kinds: dict[str, np.dtype[Any]] = {}
        self._numbers: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"<ColumnStore of {len(self._kinds)} columns>"

    def __contains__(self, name: str) -> bool:
        return name in self._kinds

    def append(self, name: str, values: Values) -> None:
        """Add values at the end of an array, which begins with the first."""
        self._kinds.setdefault(name, values.dtype)
        with self._path(name).open("ab") as file:
            np.ascontiguousarray(values, self._kinds[name]).tofile(file)

    def read(self, name: str, begin: int, end: int) -> Values:
        """Values of a range of rows."""
        kind = self._kinds[name]
        return np.fromfile(self._path(name), kind, end - begin, offset=begin * kind.itemsize)

    def whole(self, name: str) -> Values:
        """All values."""
        return np.fromfile(self._path(name), self._kinds[name])

    def pick_rows(self, name: str, rows: Rows, n: int, piece: int) -> Values:
        """The values of some rows, in their order; `n` are there, and `piece` are read at once."""
        order = np.argsort(rows, kind="stable")
        ordered, found = rows[order], np.empty(len(rows), self._kinds[name])
        for begin, end in ranges(n, piece):
            first, last = np.searchsorted(ordered, (begin, end))
            if first < last:
                values = self.read(name, begin, end)
                found[order[first:last]] = values[ordered[first:last] - begin]
        return found

    def _path(self, name: str) -> Path:
        """Files are numbered, since a name may be no name of a file."""
        return self._folder / str(self._numbers.setdefault(name, len(self._numbers)))
