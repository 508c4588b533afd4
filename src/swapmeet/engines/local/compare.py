"""A comparison of two tables in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from swapmeet.comparison.comparison import Comparison
from swapmeet.engines.local.pair import pair_tables
from swapmeet.engines.provenance import find_provenance
from swapmeet.measures.matching import find_ownership
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.rests import find_rest_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.engines.protocol import Request
    from swapmeet.tables.frame import Table
    from swapmeet.tables.microdata import Variable
    from swapmeet.tables.schema import Column


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
    (found,) = Microdata.of_all((original,), columns)
    return found.variables
