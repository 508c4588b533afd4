"""A release as a new table of a SQLite file: all of it in one transaction."""

from __future__ import annotations

import secrets
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as pt

from swapmeet.errors import OutputError, UsageError
from swapmeet.io.database.address import DatabaseTable, TableName, quote
from swapmeet.io.database.driver_errors import WRITING
from swapmeet.io.database.session import (
    Session,
    Staged,
    allow_missing,
    list_nullable,
    refuse_existing,
    refuse_source,
)
from swapmeet.io.database.sqlite.catalog import (
    READ_ONLY,
    WRITE,
    Relation,
    find_file,
    find_relation,
    open_session,
)
from swapmeet.io.database.sqlite.reading import identify

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.io.database.origin import DatabaseColumn, NewTable


def check_target(place: DatabaseTable, *, overwrite: bool) -> None:
    """Refuse a table that cannot be made, before any work is done."""
    file = find_file(place)
    if not file.parent.is_dir():
        raise UsageError(f"{place}: the folder {file.parent} does not exist. Create it first.")
    if not file.exists():
        return
    with open_session(place, READ_ONLY, WRITING) as (session, _):
        _require_free(place, find_relation(session, place), overwrite=overwrite)


@contextmanager
def stage(place: DatabaseTable, new: NewTable) -> Iterator[Staged]:
    """The table, made and filled in a transaction that is not committed yet."""
    file = find_file(place)
    is_new, done = not file.exists(), []
    try:
        with open_session(place, WRITE, WRITING) as (session, connection):
            former = find_relation(session, place)
            _require_free(place, former, overwrite=new.overwrite)
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


def _require_free(place: DatabaseTable, former: Relation | None, *, overwrite: bool) -> None:
    if former is None:
        return
    if not former.is_table:
        raise UsageError(
            f"{place}: is a {former.kind}, which is never replaced. Choose another name."
        )
    refuse_existing(place, overwrite=overwrite)


def _fill(
    session: Session, place: DatabaseTable, former: Relation | None, new: NewTable
) -> tuple[str, ...]:
    """Make the table and fill it from a temporary one; what is to be said of it."""
    columns = [
        NewColumn.of(field.name, field.type, new.find_origin(place.kind, field.name, field.type))
        for field in pq.read_schema(new.file)
    ]
    aside = f"swapmeet_{secrets.token_hex(8)}"
    session.ingest(aside, *new.read_in_pieces(columns))
    source = f"temp.{aside}"
    missing = list_nullable(session.ask, source, [c.not_null for c in columns])
    made, notes = allow_missing(columns, missing)
    target = TableName((place.name.schema or "main", place.name.own))
    if former is not None:
        session.run(f"drop table {former.name.quoted}")
        notes = (*notes, "The former table is replaced: its keys, indexes and triggers are gone.")
    strict = " strict" if _stays_strict(place, new, made) else ""
    session.run(f"create table {target.quoted} ({', '.join(c.definition for c in made)}){strict}")
    session.run(f"insert into {target.quoted} select * from {source} order by rowid")
    session.run(f"drop table {source}")
    return notes


def _stays_strict(place: DatabaseTable, new: NewTable, columns: Sequence[NewColumn]) -> bool:
    """Return whether the original checks types, and each column still has one."""
    same = new.origin is not None and new.origin.kind == place.kind and new.origin.strict
    return same and all(column.declared for column in columns)


@dataclass(frozen=True, kw_only=True)
class NewColumn:
    """A column to make: its name, its declared type, and what its values are on the way there."""

    name: str
    declared: str
    arrow: Any
    carrier: Any
    not_null: bool = False

    @classmethod
    def of(cls, name: str, arrow: Any, like: DatabaseColumn | None) -> NewColumn:
        """As it was in the database, or as its values ask."""
        declared, carrier = declare(name, arrow)
        if like is None:
            return cls(name=name, declared=declared, arrow=arrow, carrier=carrier)
        return cls(
            name=name, declared=like.declared, arrow=arrow, carrier=carrier, not_null=like.not_null
        )

    @property
    def definition(self) -> str:
        """As it stands in `create table`."""
        return f"{quote(self.name)} {self.declared}{' not null' * self.not_null}"

    def carry(self, values: Any) -> Any:
        """Values as the driver takes them; days and moments as SQLite writes them."""
        kind = values.type
        if pt.is_dictionary(kind):
            values = values.cast(kind.value_type)
        elif isinstance(kind, pa.BaseExtensionType):
            values = values.storage
        try:
            return _spell(values, self.carrier)
        except pa.ArrowException:
            raise OutputError(
                f"column {self.name!r} of type {self.arrow} holds values that SQLite cannot hold. "
                "Drop the column. Nothing was written."
            ) from None


def declare(name: str, arrow: Any) -> tuple[str, Any]:
    """The type in SQL that holds such values, and the type that the driver takes them in."""
    kind = arrow.value_type if pt.is_dictionary(arrow) else arrow
    kind = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
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
