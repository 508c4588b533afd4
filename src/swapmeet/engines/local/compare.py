"""A comparison of two tables in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from swapmeet.core.tables.microdata import Microdata
from swapmeet.engines.local.pair import pair_tables
from swapmeet.engines.provenance import find_provenance
from swapmeet.measures.comparison import Comparison
from swapmeet.measures.matching import find_ownership

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.core.release.provenance import Provenance
    from swapmeet.core.tables.frame import Table
    from swapmeet.core.tables.microdata import Variable
    from swapmeet.core.tables.schema import Column
    from swapmeet.engines.protocol import Request


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
    return Comparison(
        original=replace(one, context=_read_dropped(original, origin, request.dropped)),
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
    )


def _read_dropped(
    original: Table, origin: Provenance | None, dropped: Iterable[Column]
) -> tuple[Variable, ...]:
    """The columns that the method looked at and that are not released: intruders may know them."""
    method = None if origin is None else origin.method
    columns = [] if method is None else [c for c in dropped if c.name in method.looks_at]
    (found,) = Microdata.of_all((original,), columns)
    return found.variables
