"""A table of PostgreSQL as one consistent snapshot, in a Parquet file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from swapmeet.io.database.origin import DatabaseColumn, Origin, Passage
from swapmeet.io.database.postgresql.catalog import (
    identify,
    list_columns,
    list_primary_key,
    quote_names,
    require_relation,
)
from swapmeet.io.database.postgresql.extent import settle_types
from swapmeet.io.database.postgresql.session import open_session
from swapmeet.io.database.table_name import quote

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from swapmeet.core.base.parallel import Progress
    from swapmeet.io.database.address import DatabaseTable
    from swapmeet.io.database.postgresql.catalog import Relation
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
