"""A table of PostgreSQL as one consistent snapshot, in a Parquet file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as pt

from swapmeet.errors import DatabaseError
from swapmeet.io.database.address import DatabaseTable, quote
from swapmeet.io.database.origin import DatabaseColumn, Origin, Passage, list_names
from swapmeet.io.database.postgresql.catalog import (
    Relation,
    identify,
    list_columns,
    list_primary_key,
    open_session,
    quote_names,
    require_relation,
    to_decimal,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from swapmeet.base.parallel import Progress
    from swapmeet.io.database.session import Session


SNAPSHOT: Final = "begin isolation level repeatable read, read only"


def fetch(place: DatabaseTable, file: Path, progress: Progress) -> Origin:
    """Write the table to a Parquet file, as it was at one moment.

    Rows come in the order of the primary key, if there is one: an audit record that was made of
    the table then fits it when it is read again.
    """
    with open_session(place, SNAPSHOT) as session:
        relation = require_relation(session, place)
        session.run("set local search_path = pg_catalog")
        columns = settle_types(session, place, relation, list_columns(session, relation))
        _spool(session, relation, columns, file, progress)
        identity = identify(session, relation)
    return Origin(kind=place.kind, columns=tuple(columns), identity=identity)


def _spool(
    session: Session,
    relation: Relation,
    columns: Sequence[DatabaseColumn],
    file: Path,
    progress: Progress,
) -> None:
    schema = pa.schema([pa.field(c.name, c.arrow, nullable=not c.not_null) for c in columns])
    with (
        pq.ParquetWriter(file, schema) as writer,
        session.stream(_select(session, relation, columns)) as reader,
    ):
        for batch in reader:
            cells = [_to_arrow(values, c) for values, c in zip(batch.columns, columns, strict=True)]
            writer.write_batch(pa.RecordBatch.from_arrays(cells, schema=schema))
            progress("reading", 0, 0)


def _select(session: Session, relation: Relation, columns: Sequence[DatabaseColumn]) -> str:
    wanted = ", ".join(map(_express, columns))
    order = quote_names(list_primary_key(session, relation))
    return f"select {wanted} from {relation.name.quoted}" + (f" order by {order}" if order else "")


def _express(column: DatabaseColumn) -> str:
    name = quote(column.name)
    return name if column.passage is Passage.AS_THEY_ARE else f"{name}::text"


def _to_arrow(values: Any, column: DatabaseColumn) -> Any:
    if column.passage is Passage.UNREAD:
        return pa.ExtensionArray.from_storage(column.arrow, values.cast(pa.string()))
    return pc.cast(values, column.arrow)


AT_ONCE = 300
"""Columns in one question; the server takes 1,664 answers."""


def settle_types(
    session: Session,
    place: DatabaseTable,
    relation: Relation,
    columns: Sequence[DatabaseColumn],
) -> list[DatabaseColumn]:
    """The columns, decimals with as many digits as they need; refuse what is no number or moment.

    `numeric` and moments may be infinite in PostgreSQL, and numbers without a declared length have
    any length.
    """
    candidates = [c for c in columns if c.passage is Passage.AS_DECIMAL or _is_moment(c.arrow)]
    figures: dict[str, tuple[int, int, int]] = {}
    for start in range(0, len(candidates), AT_ONCE):
        figures |= _ask(session, relation, candidates[start : start + AT_ONCE])
    odd = {name: count for name, (count, _, _) in figures.items() if count}
    if odd:
        raise DatabaseError(
            f"{place}: {list_names(odd)}: {sum(odd.values())} values are infinite or not a number, "
            "which no release can hold. Make a view that has null in their place, and give that."
        )
    return [_settle(place, column, figures.get(column.name)) for column in columns]


def _is_moment(arrow: Any) -> bool:
    return arrow is not None and bool(pt.is_date(arrow) or pt.is_timestamp(arrow))


def _ask(
    session: Session, relation: Relation, columns: Sequence[DatabaseColumn]
) -> dict[str, tuple[int, int, int]]:
    """Values that are infinite or no number, and the most digits before and behind the point."""
    wanted = ", ".join(part for column in columns for part in _questions(column))
    (answer,) = session.ask(f"select {wanted} from {relation.name.quoted}")
    places = range(0, len(answer), 3)
    return {c.name: answer[at : at + 3] for c, at in zip(columns, places, strict=True)}


def _questions(column: DatabaseColumn) -> tuple[str, str, str]:
    name = quote(column.name)
    if column.passage is not Passage.AS_DECIMAL:
        return f"count(*) filter (where not isfinite({name}))", "0", "0"
    odd = f"{name}::text in ('NaN', 'Infinity', '-Infinity')"
    plain = f"case when not {odd} then {name} end"
    return (
        f"count(*) filter (where {odd})",
        f"coalesce(max(length(trunc(abs({plain}))::text)), 0)",
        f"coalesce(max(scale({plain})), 0)",
    )


def _settle(
    place: DatabaseTable, column: DatabaseColumn, extent: tuple[int, int, int] | None
) -> DatabaseColumn:
    if column.arrow is not None or extent is None:
        return column
    arrow = to_decimal(extent[1], extent[2])
    if arrow is None:
        raise DatabaseError(
            f"{place}: column {column.name!r} holds numbers of more than 76 digits, which no "
            "release can hold. Make a view that rounds them, and give that."
        )
    return replace(column, arrow=arrow)
