"""A release as a new table of PostgreSQL: all of it in one transaction."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as pt

from swapmeet.errors import OutputError, UsageError
from swapmeet.io.database.address import DatabaseTable, TableName, quote, quote_text
from swapmeet.io.database.driver_errors import WRITING
from swapmeet.io.database.postgresql.catalog import (
    KINDS,
    Relation,
    find_relation,
    find_schema,
    identify,
    open_session,
)
from swapmeet.io.database.session import (
    Session,
    Staged,
    allow_missing,
    list_nullable,
    refuse_existing,
    refuse_source,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.io.database.origin import DatabaseColumn, NewTable


GRANTS = "The former table is replaced: its privileges, comments, keys and indexes are gone."


def check_target(place: DatabaseTable, *, overwrite: bool) -> None:
    """Refuse a table that cannot be made, before any work is done."""
    with open_session(place, "begin read only", WRITING) as session:
        _require_free(place, find_relation(session, place), overwrite=overwrite)
        schema = find_schema(session, place)
        allowed = session.ask_one(
            "select coalesce((select has_schema_privilege(oid, 'CREATE') from pg_namespace "
            f"where nspname = {quote_text(schema)}), false)"
        )
        if not allowed:
            raise UsageError(
                f"{place}: there is no schema {schema!r} in which this user may make tables. "
                "Create it, ask for the permission, or name another one: SCHEMA.TABLE."
            )


@contextmanager
def stage(place: DatabaseTable, new: NewTable) -> Iterator[Staged]:
    """The table, made and filled in a transaction that is not committed yet."""
    with open_session(place, "begin", WRITING) as session:
        former = find_relation(session, place)
        _require_free(place, former, overwrite=new.overwrite)
        if former is not None:
            refuse_source(place, new.origin, identify(session, former))
        target = TableName((find_schema(session, place), place.name.own))
        session.run("set local search_path = pg_catalog")
        columns = [
            NewColumn.of(
                field.name, field.type, new.find_origin(place.kind, field.name, field.type)
            )
            for field in pq.read_schema(new.file)
        ]
        notes = _fill(session, target, former, columns, new)
        yield Staged(place, lambda: session.run("commit"), notes)


def _require_free(place: DatabaseTable, former: Relation | None, *, overwrite: bool) -> None:
    if former is None:
        return
    if not former.is_table:
        kind = KINDS.get(former.kind, "thing of another kind")
        raise UsageError(f"{place}: is a {kind}, which is never replaced. Choose another name.")
    refuse_existing(place, overwrite=overwrite)


def _fill(
    session: Session,
    target: TableName,
    former: Relation | None,
    columns: Sequence[NewColumn],
    new: NewTable,
) -> tuple[str, ...]:
    """Make the table and fill it from a temporary one; what is to be said of it."""
    aside = f"swapmeet_{secrets.token_hex(8)}"
    session.ingest(aside, *new.read_in_pieces(columns))
    source = f"pg_temp.{aside}"
    missing = list_nullable(session.ask, source, [c.not_null for c in columns])
    made, notes = allow_missing(columns, missing)
    if former is not None:
        session.run(f"drop table {former.name.quoted}")
        notes = (*notes, GRANTS)
    session.run(f"create table {target.quoted} ({', '.join(c.definition for c in made)})")
    values = ", ".join(column.express(f"c{at}") for at, column in enumerate(made))
    session.run(f"insert into {target.quoted} select {values} from {source}")
    session.run(f"drop table {source}")
    return notes


PLAIN: Final = {
    pa.int8(): "smallint", pa.uint8(): "smallint", pa.int16(): "smallint", pa.uint16(): "integer",
    pa.int32(): "integer", pa.uint32(): "bigint", pa.int64(): "bigint", pa.uint64(): "numeric(20)",
    pa.float16(): "real", pa.float32(): "real", pa.float64(): "double precision",
    pa.bool_(): "boolean", pa.null(): "text",
}  # fmt: skip
SORTS: Final = (
    (pt.is_date, "date"),
    (pt.is_time, "time"),
    (pt.is_duration, "interval"),
    (lambda kind: pt.is_string(kind) or pt.is_large_string(kind), "text"),
    (pt.is_string_view, "text"),
    (lambda kind: pt.is_binary(kind) or pt.is_large_binary(kind), "bytea"),
    (lambda kind: pt.is_binary_view(kind) or pt.is_fixed_size_binary(kind), "bytea"),
)

CARRIERS: Final = {
    "smallint": pa.int16(), "integer": pa.int32(), "bigint": pa.int64(), "real": pa.float32(),
    "double precision": pa.float64(), "boolean": pa.bool_(), "date": pa.date32(),
    "time": pa.time64("us"), "interval": pa.int64(), "text": pa.large_string(),
    "bytea": pa.large_binary(),
}  # fmt: skip
"""Return the type that the driver takes for one of the database."""


@dataclass(frozen=True, kw_only=True)
class NewColumn:
    """A column to make: its name, its type in SQL, and what its values are on the way there."""

    name: str
    declared: str
    arrow: Any
    carrier: Any
    not_null: bool = False
    collation: str | None = None

    @classmethod
    def of(cls, name: str, arrow: Any, like: DatabaseColumn | None) -> NewColumn:
        """As it was in the database, or as its values ask."""
        carrier = choose_carrier(name, arrow)
        if like is None:
            return cls(name=name, declared=declare(name, arrow), arrow=arrow, carrier=carrier)
        return cls(
            name=name, declared=like.declared, arrow=arrow, carrier=carrier,
            not_null=like.not_null, collation=like.collation,
        )  # fmt: skip

    @property
    def definition(self) -> str:
        """As it stands in `create table`."""
        collate = f" collate {self.collation}" if self.collation else ""
        return f"{quote(self.name)} {self.declared}{collate}{' not null' * self.not_null}"

    def express(self, source: str) -> str:
        """The values of the column `source` of the temporary table in the type of this one."""
        if pt.is_duration(self.arrow):
            return f"{source} * interval '1 microsecond'"
        return f"{source}::{self.declared}"

    def carry(self, values: Any) -> Any:
        """Values as the driver takes them."""
        kind = values.type
        if pt.is_dictionary(kind):
            values = values.cast(kind.value_type)
        elif isinstance(kind, pa.BaseExtensionType):
            values = values.storage
        if pt.is_duration(values.type):
            values = self._cast(values, pa.duration("us"))
        return self._cast(values, self.carrier)

    def _cast(self, values: Any, kind: Any) -> Any:
        try:
            return pc.cast(values, kind)
        except pa.ArrowException:
            raise OutputError(
                f"column {self.name!r} of type {self.arrow} holds values that {self.declared} "
                "cannot hold. Round them, or drop the column. Nothing was written."
            ) from None


def declare(name: str, arrow: Any) -> str:
    """The type in SQL that holds such values."""
    kind = _bare(arrow)
    if kind in PLAIN:
        return PLAIN[kind]
    if pt.is_timestamp(kind):
        return "timestamp" if kind.tz is None else "timestamptz"
    if pt.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    if _is_list(kind):
        return f"{declare(name, kind.value_type)}[]"
    declaration = next((sql for test, sql in SORTS if test(kind)), None)
    if declaration is None:
        raise OutputError(
            f"column {name!r} of type {arrow} has no place in a database. Drop it, or write "
            ".parquet. Nothing was written."
        )
    return declaration


def choose_carrier(name: str, arrow: Any) -> Any:
    """The type that the driver takes such values in."""
    kind = _bare(arrow)
    if pt.is_decimal(kind) or pt.is_uint64(kind) or pt.is_null(kind):
        return pa.string()
    if pt.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if _is_list(kind):
        return pa.list_(choose_carrier(name, kind.value_type))
    return CARRIERS[declare(name, kind)]


def _bare(arrow: Any) -> Any:
    """The type of the values themselves."""
    if pt.is_dictionary(arrow):
        return arrow.value_type
    return arrow.storage_type if isinstance(arrow, pa.BaseExtensionType) else arrow


def _is_list(kind: Any) -> bool:
    listed = pt.is_list(kind) or pt.is_large_list(kind) or pt.is_fixed_size_list(kind)
    return bool(listed and not pt.is_nested(kind.value_type))
