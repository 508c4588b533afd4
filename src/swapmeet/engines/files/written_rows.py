"""Facts about the rows of a file for its audit record, gathered while they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.release.fingerprint import Fingerprint, RowPrinter, RowPrints
from swapmeet.tables.frame import Table

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints


class WrittenRows:
    """The rows that were written so far: which row each stands for, and its print."""

    def __init__(self, printer: RowPrinter) -> None:
        self._printer = printer
        self._owners: list[Ints] = []
        self._prints: list[RowPrints] = []

    def __repr__(self) -> str:
        return f"<WrittenRows of {len(self._owners)} parts>"

    def add(self, owners: Ints, table: Any) -> None:
        """Some more rows, as they are published."""
        self._owners.append(owners)
        self._prints.append(self._printer.print_rows(Table(table)))

    @property
    def owner(self) -> Ints:
        """The row that each released row stands for."""
        return np.concatenate(self._owners)

    @property
    def fingerprint(self) -> Fingerprint:
        """That of all rows."""
        whole = RowPrints.join(self._prints)
        rows = np.empty_like(whole.rows)
        rows[self.owner] = whole.rows
        return Fingerprint(self._printer.precisions, RowPrints(rows, whole.totals))
