"""Original and release in memory, and which released row stands for which original one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from swapmeet.base.sentences import count
from swapmeet.engines.protocol import is_spark
from swapmeet.errors import TableError, UsageError
from swapmeet.measures.matching import attribute_rows, find_owners
from swapmeet.release.record_check import check_record
from swapmeet.release.release import Release
from swapmeet.tables.frame import Table

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints
    from swapmeet.release.audit import AuditRecord
    from swapmeet.release.fingerprint import RowPrinter, RowPrints


class Pair(NamedTuple):
    """A table and its release; `places[i]` is the released row of the person of original row i.

    `places` is None where rows are in the same order, or where nothing is known of their order.
    `notes` say what else there is to know about it.
    """

    original: Table
    released: Table
    places: Ints | None
    audit: AuditRecord | None
    notes: tuple[str, ...] = ()


class TableRows(NamedTuple):
    """A released table whose rows are compared with those of an audit record."""

    table: Table

    @property
    def names(self) -> tuple[str, ...]:
        """Its columns."""
        return self.table.names

    def print_rows(self, printer: RowPrinter) -> RowPrints:
        """The bits of all its rows."""
        return printer.print_rows(self.table)


def pair_tables(original: Table, release: Any, audit: AuditRecord | None, match: str) -> Pair:
    """Match a table with its release, which may have been made elsewhere."""
    released = table_of(release)
    if isinstance(release, Release):
        if len(released) != len(original):
            raise TableError(
                f"the release was made of a table of {count(len(released), 'row')}, and this one "
                f"has {len(original):,}. Give the table that was masked."
            )
        own = attribute_rows(release.audit, np.arange(len(original)))
        return Pair(original, released, own, release.audit)
    notes: tuple[str, ...] = ()
    if audit is not None:
        audit, notes = check_record(audit, TableRows(released))
    places = find_owners(len(original), len(released), audit, match, lambda: (original, released))
    return Pair(original, released, places, audit, notes)


def table_of(data: Any) -> Table:
    """A frame in memory, or that of a release."""
    if isinstance(data, Release):
        return Table(data.data)
    if is_spark(data):
        raise UsageError("assess: original and release must both be Spark frames, or neither.")
    return Table.of(data)
