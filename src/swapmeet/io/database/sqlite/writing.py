"""A release as a new table of a SQLite file: all of it in one transaction."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.errors import OutputError, UsageError
from swapmeet.io.database.address import DatabaseTable, TableName
from swapmeet.io.database.rows import NewColumn, SqlDialect, bare_type, fill, make_columns
from swapmeet.io.database.session import (
    WRITING,
    Relation,
    Session,
    Staged,
    refuse_source,
    require_free,
)
from swapmeet.io.database.sqlite.reading import (
    READ_ONLY,
    WRITE,
    find_file,
    find_relation,
    identify,
    open_session,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.io.database.origin import NewTable


def check_target(place: DatabaseTable, *, overwrite: bool) -> None:
    """Refuse a table that cannot be made, before any work is done."""
    file = find_file(place)
    if not file.parent.is_dir():
        raise UsageError(f"{place}: the folder {file.parent} does not exist. Create it first.")
    if not file.exists():
        return
    with open_session(place, READ_ONLY, WRITING) as (session, _):
        require_free(place, find_relation(session, place), overwrite=overwrite)


@contextmanager
def stage(place: DatabaseTable, new: NewTable) -> Iterator[Staged]:
    """The table, made and filled in a transaction that is not committed yet."""
    file = find_file(place)
    is_new, done = not file.exists(), []
    try:
        with open_session(place, WRITE, WRITING) as (session, connection):
            former = find_relation(session, place)
            require_free(place, former, overwrite=new.overwrite)
            if former is not None:
                refuse_source(place, new.origin, identify(place, former))
            notes = _fill(session, place, former, new)

            def commit() -> None:
                connection.commit()
                done.append(True)

            yield Staged(place, commit, notes)
    finally:
        if is_new and not done:
            with suppress(OSError):
                file.unlink(missing_ok=True)


def _fill(
    session: Session, place: DatabaseTable, former: Relation | None, new: NewTable
) -> tuple[str, ...]:
    target = TableName((place.name.schema or "main", place.name.own))
    columns = make_columns(new, DIALECT)
    ending = " strict" if _stays_strict(place, new, columns) else ""
    return fill(session, target, former, columns, new, DIALECT, ending)


def _stays_strict(place: DatabaseTable, new: NewTable, columns: Sequence[NewColumn]) -> bool:
    """Return whether the original checks types, and each column still has one."""
    same = new.origin is not None and new.origin.kind == place.kind and new.origin.strict
    return same and all(column.declared for column in columns)


def declare(name: str, arrow: Any) -> tuple[str, Any]:
    """The type in SQL that holds such values, and the type that the driver takes them in."""
    kind = bare_type(arrow)
    if pt.is_boolean(kind):
        return "BOOLEAN", pa.int64()
    if pt.is_integer(kind):
        return "INTEGER", pa.int64()
    if pt.is_floating(kind) or pt.is_decimal(kind):
        return "REAL", pa.float64()
    if pt.is_date(kind) or pt.is_timestamp(kind):
        return ("DATE" if pt.is_date(kind) else "DATETIME"), pa.string()
    if pt.is_binary(kind) or pt.is_large_binary(kind) or pt.is_fixed_size_binary(kind):
        return "BLOB", pa.binary()
    texts = (pt.is_string, pt.is_large_string, pt.is_string_view, pt.is_time, pt.is_null)
    if any(test(kind) for test in texts):
        return "TEXT", pa.string()
    raise OutputError(
        f"column {name!r} of type {arrow} has no place in a SQLite database. Drop it, or write "
        ".parquet. Nothing was written."
    )


def _spell(values: Any, carrier: Any) -> Any:
    if pt.is_timestamp(values.type):
        seconds = pa.timestamp("s", values.type.tz)
        whole = pc.all(pc.equal(values, values.cast(seconds, safe=False))).as_py()
        zone = "+00:00" if values.type.tz else ""
        values = values.cast(seconds) if whole is not False else values.cast(pa.timestamp("us"))
        return pc.strftime(values, format=f"%Y-%m-%d %H:%M:%S{zone}").cast(carrier)
    if pt.is_date(values.type):
        return pc.strftime(values, format="%Y-%m-%d").cast(carrier)
    return pc.cast(values, carrier)


DIALECT: Final = SqlDialect(
    kind="sqlite",
    temporary="temp",
    describe=declare,
    spell=_spell,
    express=lambda _, source: source,
    replaced="The former table is replaced: its keys, indexes and triggers are gone.",
    unfit="SQLite cannot hold. Drop the column.",
    order=" order by rowid",
)
