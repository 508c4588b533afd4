"""Rows of a table: out of a database to a Parquet file, and from such a file to a new table.

What differs between kinds of databases when a table is written is their `SqlDialect`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as pt

from swapmeet.errors import OutputError
from swapmeet.io.database.address import TableName, quote
from swapmeet.io.database.origin import DatabaseColumn, NewTable, list_names

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.base.parallel import Progress
    from swapmeet.io.database.session import Relation, Session


def spool(
    file: Path, columns: Sequence[DatabaseColumn], batches: Iterable[list[Any]], progress: Progress
) -> None:
    """Write the cells of batches to a Parquet file."""
    schema = pa.schema([pa.field(c.name, c.arrow, nullable=not c.not_null) for c in columns])
    with pq.ParquetWriter(file, schema) as writer:
        for cells in batches:
            writer.write_batch(pa.RecordBatch.from_arrays(cells, schema=schema))
            progress("reading", 0, 0)


@dataclass(frozen=True, kw_only=True)
class SqlDialect:
    """What is particular to a kind of database when a table is written.

    `describe` gives the type in SQL for values of an Arrow type, and the type that the driver takes
    them in; `spell` has values in that type; `express` has a column of the temporary table in the
    type of the new one. `replaced` says what a former table loses, `unfit` what no column holds.
    """

    kind: str
    temporary: str
    describe: Callable[[str, Any], tuple[str, Any]]
    spell: Callable[[Any, Any], Any]
    express: Callable[[NewColumn, str], str]
    replaced: str
    unfit: str
    order: str = ""


@dataclass(frozen=True, kw_only=True)
class NewColumn:
    """A column to make: its name, its type in SQL, and what its values are on the way there."""

    name: str
    declared: str
    arrow: Any
    carrier: Any
    dialect: SqlDialect
    not_null: bool = False
    collation: str | None = None

    @property
    def definition(self) -> str:
        """As it stands in `create table`."""
        collate = f" collate {self.collation}" if self.collation else ""
        return f"{quote(self.name)} {self.declared}{collate}{' not null' * self.not_null}"

    def carry(self, values: Any) -> Any:
        """Values as the driver takes them."""
        kind = values.type
        if pt.is_dictionary(kind):
            values = values.cast(kind.value_type)
        elif isinstance(kind, pa.BaseExtensionType):
            values = values.storage
        try:
            return self.dialect.spell(values, self.carrier)
        except pa.ArrowException:
            unfit = self.dialect.unfit.format(declared=self.declared)
            raise OutputError(
                f"column {self.name!r} of type {self.arrow} holds values that {unfit} "
                "Nothing was written."
            ) from None


def bare_type(arrow: Any) -> Any:
    """The type of the values themselves."""
    if pt.is_dictionary(arrow):
        return arrow.value_type
    return arrow.storage_type if isinstance(arrow, pa.BaseExtensionType) else arrow


def make_columns(new: NewTable, dialect: SqlDialect) -> list[NewColumn]:
    """The columns of a file as they were in the database, or as their values ask."""
    return [_make_column(new, field, dialect) for field in pq.read_schema(new.file)]


def _make_column(new: NewTable, field: Any, dialect: SqlDialect) -> NewColumn:
    declared, carrier = dialect.describe(field.name, field.type)
    column = NewColumn(
        name=field.name, declared=declared, arrow=field.type, carrier=carrier, dialect=dialect
    )
    like = new.find_origin(dialect.kind, field.name, field.type)
    if like is None:
        return column
    return replace(column, declared=like.declared, not_null=like.not_null, collation=like.collation)


def fill(
    session: Session,
    target: TableName,
    former: Relation | None,
    columns: Sequence[NewColumn],
    new: NewTable,
    dialect: SqlDialect,
    ending: str = "",
) -> tuple[str, ...]:
    """Make the table and fill it from a temporary one; what is to be said of it."""
    aside = f"swapmeet_{secrets.token_hex(8)}"
    session.ingest(aside, *new.read_in_pieces(columns))
    source = f"{dialect.temporary}.{aside}"
    missing = _list_nullable(session.ask, source, [c.not_null for c in columns])
    made, notes = _allow_missing(columns, missing)
    if former is not None:
        session.run(f"drop table {former.name.quoted}")
        notes = (*notes, dialect.replaced)
    definitions = ", ".join(column.definition for column in made)
    session.run(f"create table {target.quoted} ({definitions}){ending}")
    values = ", ".join(dialect.express(column, f"c{at}") for at, column in enumerate(made))
    session.run(f"insert into {target.quoted} select {values} from {source}{dialect.order}")
    session.run(f"drop table {source}")
    return notes


def _list_nullable(
    ask: Callable[[str], list[tuple[Any, ...]]], source: str, required: Sequence[bool]
) -> set[int]:
    """Count, by column, the missing values of columns that need all."""
    wanted = [at for at, needed in enumerate(required) if needed]
    if not wanted:
        return set()
    counts = ", ".join(f"count(*) - count(c{at})" for at in wanted)
    (answer,) = ask(f"select {counts} from {source}")
    return {at for at, lacking in zip(wanted, answer, strict=True) if lacking}


def _allow_missing(
    columns: Sequence[NewColumn], missing: set[int]
) -> tuple[list[NewColumn], tuple[str, ...]]:
    """Columns in which values were suppressed may be empty, whatever the original says."""
    if not missing:
        return list(columns), ()
    made = [replace(c, not_null=False) if at in missing else c for at, c in enumerate(columns)]
    names = list_names(columns[at].name for at in sorted(missing))
    return made, (f"{names}: values were suppressed, so the table allows null there.",)
