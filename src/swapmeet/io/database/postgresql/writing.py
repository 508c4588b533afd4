"""A release as a new table of PostgreSQL: all of it in one transaction."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from swapmeet.errors import UsageError
from swapmeet.io.database.driver_errors import WRITING
from swapmeet.io.database.postgresql.catalog import KINDS, find_relation, find_schema, identify
from swapmeet.io.database.postgresql.session import open_session
from swapmeet.io.database.postgresql.types import NewColumn
from swapmeet.io.database.staged import (
    Staged,
    allow_missing,
    list_nullable,
    refuse_existing,
    refuse_source,
)
from swapmeet.io.database.table_name import TableName, quote_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.io.database.address import DatabaseTable
    from swapmeet.io.database.origin import NewTable
    from swapmeet.io.database.postgresql.catalog import Relation
    from swapmeet.io.database.session import Session

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
