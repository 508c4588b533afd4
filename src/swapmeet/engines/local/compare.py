"""A comparison of two tables in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.core.tables.microdata import Microdata
from swapmeet.engines.local.pair import pair_tables
from swapmeet.engines.provenance import find_provenance
from swapmeet.measures.comparison import Comparison
from swapmeet.measures.matching import find_ownership

if TYPE_CHECKING:
    from swapmeet.core.tables.frame import Table
    from swapmeet.engines.protocol import Request


def compare_tables(original: Table, release: Any, request: Request) -> Comparison:
    """The common columns of both tables, in the order of the original's rows."""
    pair = pair_tables(original, release, request.read_audit(), request.match)
    tables = (original, pair.released, *([] if request.control is None else [request.control]))
    one, other, *control = Microdata.of_all(
        tables, request.columns, request.household, request.person
    )
    return Comparison(
        original=one,
        released=other if pair.places is None else other.take(pair.places),
        masked=request.masked,
        known=request.known,
        ownership=find_ownership(pair.audit, request.match, request.known, request.masked),
        at_most=request.at_most,
        workers=request.workers.inside(),
        keys=request.keys,
        level=request.level,
        provenance=find_provenance(
            pair.audit, request.match, len(original), without=(request.household, request.person)
        ),
        notes=pair.notes,
        control=control[0] if control else None,
    )
