"""A release as a new table of a SQLite file: all of it in one transaction."""

from __future__ import annotations

import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from swapmeet.errors import UsageError
from swapmeet.io.database.driver_errors import WRITING
from swapmeet.io.database.sqlite.catalog import Relation, find_relation
from swapmeet.io.database.sqlite.reading import identify
from swapmeet.io.database.sqlite.session import READ_ONLY, WRITE, find_file, open_session
from swapmeet.io.database.sqlite.types import NewColumn
from swapmeet.io.database.staged import (
    Staged,
    allow_missing,
    list_nullable,
    refuse_existing,
    refuse_source,
)
from swapmeet.io.database.table_name import TableName

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.io.database.address import DatabaseTable
    from swapmeet.io.database.origin import NewTable
    from swapmeet.io.database.session import Session


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
