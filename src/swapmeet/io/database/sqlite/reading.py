"""A table of SQLite as one consistent snapshot, in a Parquet file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from swapmeet.errors import DatabaseError
from swapmeet.io.database.address import DatabaseTable, quote
from swapmeet.io.database.origin import DatabaseColumn, Origin
from swapmeet.io.database.sqlite.catalog import (
    READ_ONLY,
    Relation,
    find_file,
    list_columns,
    open_session,
    require_relation,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from swapmeet.base.parallel import Progress
    from swapmeet.io.database.session import Session

EXAMPLES: Final = {pa.int64(): "1", pa.float64(): "0.5", pa.binary(): "x'00'"}
"""Rows that show the driver the type of a column, which it guesses from the first ones."""


def fetch(place: DatabaseTable, file: Path, progress: Progress) -> Origin:
    """Write the table to a Parquet file, as it is at one moment, in the order of its rows."""
    if not find_file(place).is_file():
        raise DatabaseError(f"{place}: there is no such file. Check the name.")
    with open_session(place, READ_ONLY) as (session, _):
        relation = require_relation(session, place)
        columns = list_columns(session, place, relation)
        _spool(session, relation, columns, file, progress)
    return Origin(
        kind=place.kind, columns=tuple(columns), identity=identify(place, relation),
        strict=relation.strict,
    )  # fmt: skip


def identify(place: DatabaseTable, relation: Relation) -> tuple[str, ...]:
    """Return an identity of the same table of the same file."""
    return (str(find_file(place).resolve()), *(part.lower() for part in relation.name.parts))


def _spool(
    session: Session,
    relation: Relation,
    columns: Sequence[DatabaseColumn],
    file: Path,
    progress: Progress,
) -> None:
    schema = pa.schema([pa.field(c.name, c.arrow, nullable=not c.not_null) for c in columns])
    first = True
    with (
        pq.ParquetWriter(file, schema) as writer,
        session.stream(_select(relation, columns)) as reader,
    ):
        for batch in reader:
            batch.validate(full=True)
            cells = [
                _to_arrow(values, column.arrow)
                for values, column in zip(batch.columns, columns, strict=True)
            ]
            rows = [values.slice(1) for values in cells] if first else cells
            first = False
            writer.write_batch(pa.RecordBatch.from_arrays(rows, schema=schema))
            progress("reading", 0, 0)


def _select(relation: Relation, columns: Sequence[DatabaseColumn]) -> str:
    """An example row, which is left out again, and the rows of the table."""
    examples = ", ".join(EXAMPLES.get(c.arrow, "'1970-01-01'") for c in columns)
    wanted = ", ".join(map(_express, columns))
    order = " order by rowid" if relation.has_rows_numbered else ""
    return (
        f"select {examples} union all select * from "
        f"(select {wanted} from {relation.name.quoted}{order})"
    )


def _express(column: DatabaseColumn) -> str:
    name = quote(column.name)
    return f"cast({name} as real)" if column.arrow == pa.float64() else name


def _to_arrow(values: Any, arrow: Any) -> Any:
    return pc.cast(values, arrow)
