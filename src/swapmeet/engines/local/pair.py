"""Original and release in memory, whose row is whose, and the comparison of both."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from swapmeet.base.sentences import count
from swapmeet.comparison.comparison import Comparison
from swapmeet.engines.protocol import Request, is_spark
from swapmeet.engines.provenance import find_provenance
from swapmeet.errors import TableError, UsageError
from swapmeet.measures.matching import attribute_rows, find_owners, find_ownership
from swapmeet.release.record_check import check_record
from swapmeet.release.release import Release
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.rests import find_rest_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.base.arrays import Ints
    from swapmeet.release.audit import AuditRecord
    from swapmeet.release.fingerprint import RowPrinter, RowPrints
    from swapmeet.tables.schema import Column


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


def compare_tables(original: Table, release: Any, request: Request) -> Comparison:
    """The common columns of both tables, in the order of the original's rows."""
    pair = pair_tables(original, release, request.read_audit(), request.match)
    tables = (original, pair.released, *([] if request.control is None else [request.control]))
    one, other, *control = Microdata.of_all(
        tables, request.columns, request.household, request.person
    )
    origin = find_provenance(
        pair.audit, request.match, len(original), without=(request.household, request.person)
    )
    texts = (*(request.schema.ties.rests if request.schema else ()),
             *(pair.audit.rests if pair.audit else ()))  # fmt: skip
    return Comparison(
        original=replace(one, context=_read_columns(original, request.find_dropped(origin))),
        released=other if pair.places is None else other.take(pair.places),
        masked=request.masked,
        known=request.known,
        ownership=find_ownership(pair.audit, request.match, request.known, request.masked),
        at_most=request.at_most,
        workers=request.workers.inside(),
        keys=request.keys,
        level=request.level,
        provenance=origin,
        notes=pair.notes,
        control=control[0] if control else None,
        rests=find_rest_columns(texts, request.schema, tables, pair.places)
        if request.schema is not None
        else (),
    )


def _read_columns(original: Table, columns: Iterable[Column]) -> tuple[Variable, ...]:
    (microdata,) = Microdata.of_all((original,), columns)
    return microdata.variables
