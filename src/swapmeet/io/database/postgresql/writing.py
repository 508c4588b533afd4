"""A release as a new table of PostgreSQL: all of it in one transaction."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.errors import OutputError, UsageError
from swapmeet.io.database.address import DatabaseTable, TableName, quote_text
from swapmeet.io.database.postgresql.reading import (
    find_relation,
    find_schema,
    identify,
    open_session,
)
from swapmeet.io.database.rows import NewColumn, SqlDialect, bare_type, fill, make_columns
from swapmeet.io.database.session import WRITING, Staged, refuse_source, require_free

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.io.database.origin import NewTable


def check_target(place: DatabaseTable, *, overwrite: bool) -> None:
    """Refuse a table that cannot be made, before any work is done."""
    with open_session(place, "begin read only", WRITING) as session:
        require_free(place, find_relation(session, place), overwrite=overwrite)
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
        require_free(place, former, overwrite=new.overwrite)
        if former is not None:
            refuse_source(place, new.origin, identify(session, former))
        target = TableName((find_schema(session, place), place.name.own))
        session.run("set local search_path = pg_catalog")
        notes = fill(session, target, former, make_columns(new, DIALECT), new, DIALECT)
        yield Staged(place, lambda: session.run("commit"), notes)


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


def declare(name: str, arrow: Any) -> str:
    """The type in SQL that holds such values."""
    kind = bare_type(arrow)
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
    kind = bare_type(arrow)
    if pt.is_decimal(kind) or pt.is_uint64(kind) or pt.is_null(kind):
        return pa.string()
    if pt.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if _is_list(kind):
        return pa.list_(choose_carrier(name, kind.value_type))
    return CARRIERS[declare(name, kind)]


def _is_list(kind: Any) -> bool:
    listed = pt.is_list(kind) or pt.is_large_list(kind) or pt.is_fixed_size_list(kind)
    return bool(listed and not pt.is_nested(kind.value_type))


def _describe(name: str, arrow: Any) -> tuple[str, Any]:
    return declare(name, arrow), choose_carrier(name, arrow)


def _spell(values: Any, carrier: Any) -> Any:
    if pt.is_duration(values.type):
        values = pc.cast(values, pa.duration("us"))
    return pc.cast(values, carrier)


def _express(column: NewColumn, source: str) -> str:
    if pt.is_duration(column.arrow):
        return f"{source} * interval '1 microsecond'"
    return f"{source}::{column.declared}"


DIALECT: Final = SqlDialect(
    kind="postgresql",
    temporary="pg_temp",
    describe=_describe,
    spell=_spell,
    express=_express,
    replaced="The former table is replaced: its privileges, comments, keys and indexes are gone.",
    unfit="{declared} cannot hold. Round them, or drop the column.",
)
