"""A table of PostgreSQL as one consistent snapshot, in a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.errors import DatabaseError, SwapmeetError, did_you_mean
from swapmeet.io.database.address import DatabaseTable, TableName, quote, quote_text
from swapmeet.io.database.origin import DatabaseColumn, Origin, Passage, list_names
from swapmeet.io.database.rows import spool
from swapmeet.io.database.session import (
    READING,
    Relation,
    Session,
    require_driver,
    translate_errors,
)

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.base.parallel import Progress


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
    with session.stream(_select(session, relation, columns)) as reader:
        spool(file, columns, (_read(batch, columns) for batch in reader), progress)


def _select(session: Session, relation: Relation, columns: Sequence[DatabaseColumn]) -> str:
    wanted = ", ".join(map(_express, columns))
    order = quote_names(list_primary_key(session, relation))
    return f"select {wanted} from {relation.name.quoted}" + (f" order by {order}" if order else "")


def _express(column: DatabaseColumn) -> str:
    name = quote(column.name)
    return name if column.passage is Passage.AS_THEY_ARE else f"{name}::text"


def _read(batch: Any, columns: Sequence[DatabaseColumn]) -> list[Any]:
    return [_to_arrow(values, c) for values, c in zip(batch.columns, columns, strict=True)]


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


ARROW: Final = {
    "int2": pa.int16(), "int4": pa.int32(), "int8": pa.int64(),
    "float4": pa.float32(), "float8": pa.float64(), "bool": pa.bool_(),
    "date": pa.date32(), "time": pa.time64("us"), "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"), "text": pa.string(), "varchar": pa.string(),
    "bytea": pa.binary(),
}  # fmt: skip
"""Types that the driver has a type for."""
TEXTS: Final = frozenset(
    {"bpchar", "name", "char", "citext", "uuid", "interval", "timetz", "inet", "cidr", "macaddr",
     "macaddr8", "money", "bit", "varbit", "oid"}
)  # fmt: skip
"""Types whose values are compared and moved as the text that stands for them."""
KINDS: Final = {"r": "table", "p": "partitioned table", "v": "view", "m": "materialized view",
                "f": "foreign table"}  # fmt: skip
"""List what can be read."""
OTHER: Final = "thing of another kind"

_COLUMNS: Final = """
with recursive kinds as (
  select a.attnum, t.oid, t.typtype, t.typbasetype, t.typname, t.typtypmod, a.atttypmod as typmod
  from pg_attribute a join pg_type t on t.oid = a.atttypid
  where a.attrelid = {oid} and a.attnum > 0 and not a.attisdropped
  union all
  select k.attnum, t.oid, t.typtype, t.typbasetype, t.typname, t.typtypmod, k.typtypmod
  from kinds k join pg_type t on t.oid = k.typbasetype where k.typtype = 'd')
select a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull, k.typname::text,
  k.typtype::text, k.typmod,
  case when a.attcollation not in (0, own.typcollation)
    then quote_ident(n.nspname) || '.' || quote_ident(c.collname) end
from pg_attribute a join kinds k on k.attnum = a.attnum and k.typtype <> 'd'
  join pg_type own on own.oid = a.atttypid
  left join pg_collation c on c.oid = a.attcollation
  left join pg_namespace n on n.oid = c.collnamespace
where a.attrelid = {oid} order by a.attnum
"""
_PRIMARY_KEY: Final = """
select a.attname::text from pg_index i
  cross join lateral unnest(i.indkey::int2[]) with ordinality as k(attnum, place)
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
where i.indrelid = {oid} and i.indisprimary order by k.place
"""
_IDENTITY: Final = """
select pg_postmaster_start_time()::text, coalesce(inet_server_port(), 0)::text,
  (select oid from pg_database where datname = current_database())::text, {oid}::text
"""


def find_relation(session: Session, place: DatabaseTable) -> Relation | None:
    """The table of this name, if there is one; names without a schema are looked for as usual."""
    name = place.name
    visible = (
        "pg_table_is_visible(c.oid)" if name.schema is None
        else f"n.nspname = {quote_text(name.schema)}"
    )  # fmt: skip
    rows = session.ask(
        "select c.oid::bigint, n.nspname::text, c.relname::text, c.relkind::text from pg_class c "
        "join pg_namespace n on n.oid = c.relnamespace where "
        f"c.relname = {quote_text(name.own)} and {visible}"
    )
    for oid, schema, own, kind in rows:
        return Relation(
            oid=oid, name=TableName((schema, own)), kind=KINDS.get(kind, OTHER),
            is_table=kind == "r",
        )  # fmt: skip
    return None


def require_relation(session: Session, place: DatabaseTable) -> Relation:
    """The table of this name; refuse a name that no table has."""
    relation = find_relation(session, place)
    if relation is None or relation.kind == OTHER:
        raise DatabaseError(f"{place}: there is no such table{_suggest(session, place)}")
    return relation


def list_columns(session: Session, relation: Relation) -> list[DatabaseColumn]:
    """The columns, in order."""
    return [_describe(*row) for row in session.ask(_COLUMNS.format(oid=relation.oid))]


def list_primary_key(session: Session, relation: Relation) -> list[str]:
    """The columns that tell rows apart, if the table says so."""
    return [name for (name,) in session.ask(_PRIMARY_KEY.format(oid=relation.oid))]


def identify(session: Session, relation: Relation) -> tuple[str, ...]:
    """Return an identity of the same table of the same server, however it is addressed."""
    return tuple(session.ask(_IDENTITY.format(oid=relation.oid))[0])


def find_schema(session: Session, place: DatabaseTable) -> str:
    """The schema in which a new table of this name is made."""
    own = place.name.schema or session.ask_one("select current_schema()::text")
    if own is None:
        raise DatabaseError(f"{place}: no schema to make a table in. Write SCHEMA.TABLE.")
    return str(own)


def _describe(
    name: str, declared: str, not_null: bool, kind: str, sort: str, typmod: int,  # noqa: FBT001
    collation: str | None,
) -> DatabaseColumn:  # fmt: skip
    passage, arrow = _choose_passage(kind, sort, typmod)
    return DatabaseColumn(
        name=name, declared=declared, not_null=bool(not_null), passage=passage, arrow=arrow,
        collation=collation,
    )  # fmt: skip


def _choose_passage(kind: str, sort: str, typmod: int) -> tuple[Passage, Any]:
    if sort == "e" or (sort == "b" and kind in TEXTS):
        return Passage.AS_TEXT, pa.string()
    if sort == "b" and kind in ARROW:
        return Passage.AS_THEY_ARE, ARROW[kind]
    if sort == "b" and kind == "numeric":
        return Passage.AS_DECIMAL, None if typmod < 0 else _to_decimal(typmod)
    return Passage.UNREAD, pa.opaque(pa.string(), kind, "PostgreSQL")


def _to_decimal(typmod: int) -> Any:
    """numeric(precision, scale), of which the scale may be negative or above the precision."""
    precision, scale = ((typmod - 4) >> 16) & 0xFFFF, (((typmod - 4) & 0x7FF) ^ 1024) - 1024
    return to_decimal(precision - min(scale, 0) - max(scale, 0), max(scale, 0))


def to_decimal(whole: int, scale: int) -> Any:
    """A decimal type with so many digits before and behind the point; None if there is none."""
    digits = max(whole, 0) + scale
    if digits > 76:
        return None
    return pa.decimal128(max(digits, 1), scale) if digits <= 38 else pa.decimal256(digits, scale)


def _suggest(session: Session, place: DatabaseTable) -> str:
    """A hint, with the names of tables that the user may see."""
    rows = session.ask(
        "select n.nspname::text, c.relname::text, pg_table_is_visible(c.oid) from pg_class c join "
        "pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'f') and "
        "n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'"
    )
    names = [TableName((own,) if seen else (schema, own)).text for schema, own, seen in rows]
    return did_you_mean(place.name.text, names)


def quote_names(names: list[str]) -> str:
    """Names of columns as SQL takes them."""
    return ", ".join(map(quote, names))


SETTINGS: Final = {
    "standard_conforming_strings": "on",
    "client_encoding": "UTF8",
    "datestyle": "ISO, YMD",
    "intervalstyle": "postgres",
    "timezone": "UTC",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "lc_monetary": "C",
    "xmloption": "content",
    "synchronize_seqscans": "off",
    "max_parallel_workers_per_gather": "0",
}
"""Values as text that is read back exactly; rows in the order in which they are stored."""
DRIVER: Final = "adbc_driver_postgresql"
PATIENCE: Final = {"connect_timeout": "20", "application_name": "swapmeet"}


@contextmanager
def open_session(
    place: DatabaseTable, begin: str, kind: type[SwapmeetError] = READING
) -> Iterator[Session]:
    """A connection in a transaction, which is rolled back at the end unless it was committed."""
    require_driver(DRIVER)
    from adbc_driver_postgresql import dbapi

    with (
        translate_errors(place, kind),
        dbapi.connect(_add_patience(place.url), autocommit=True) as c,
    ):
        session = Session(c)
        for name, value in SETTINGS.items():
            session.run(f"set {name} = {quote_text(value)}")
        session.run(begin)
        yield session


def _add_patience(url: str) -> str:
    """The address, with a limit to waiting unless it has one of its own."""
    parts = urlsplit(url)
    given = parts.query.split("&") if parts.query else []
    named = {unquote(setting.partition("=")[0]) for setting in given}
    ours = [f"{name}={value}" for name, value in PATIENCE.items() if name not in named]
    return parts._replace(query="&".join([*given, *ours])).geturl()
