"""Derivations and rules, checked in a Spark frame: each partition tells what it saw."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from swapmeet.engines.spark.failures import guard
from swapmeet.engines.spark.names import select_plainly
from swapmeet.engines.spark.scan import as_row, read_tables
from swapmeet.engines.ties import (
    bind_ties,
    check_piece,
    find_facts,
    list_tied,
    require_obeyed,
    ties_with_facts,
)
from swapmeet.tables.derived_columns import TableFacts
from swapmeet.tables.frame import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from swapmeet.engines.ties import FittedTies
    from swapmeet.tables.schema import Schema


def fit_ties_on_cluster(frame: Any, schema: Schema) -> FittedTies:
    """Derivations and rules that the whole frame obeys; what it breaks is refused."""
    ties = bind_ties(schema)
    if not ties.derived and not ties.rules:
        return ties
    names = list_tied(schema)
    facts: TableFacts | None = None
    for found in ask_pieces(frame, names, lambda piece: find_facts(ties, piece)):
        facts = found if facts is None else facts.merge(found)
    known = ties_with_facts(ties, facts or TableFacts())
    return require_obeyed(known, ask_pieces(frame, names, lambda piece: check_piece(known, piece)))


def ask_pieces(frame: Any, names: tuple[str, ...], look: Callable[[Table], Any]) -> list[Any]:
    """Return what `look` finds in each piece of the frame."""

    def see(batches: Iterable[Any]) -> Iterator[Any]:
        for table in read_tables(batches, names):
            yield from as_row(look(Table(table)))

    told = select_plainly(frame, list(names)).mapInArrow(guard(see), "piece binary").collect()
    return [pickle.loads(row.piece) for row in told]
