"""A table of SQLite as one consistent snapshot, in a Parquet file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote as percent_encode
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.errors import DatabaseError, SwapmeetError, did_you_mean
from swapmeet.io.database.address import DatabaseTable, TableName, quote, quote_text
from swapmeet.io.database.origin import DatabaseColumn, Origin
from swapmeet.io.database.rows import spool
from swapmeet.io.database.session import (
    READING,
    Relation,
    Session,
    require_driver,
    translate_errors,
)

if TYPE_CHECKING:
    from swapmeet.base.parallel import Progress


CLASSES: Final = ("integer", "real", "text", "blob")
"""Kinds of values that a cell of SQLite may hold, whatever its column is declared."""
ARROW: Final = {"integer": pa.int64(), "real": pa.float64(), "text": pa.string(),
                "blob": pa.binary()}  # fmt: skip
DAYS, MOMENTS = pa.date32(), pa.timestamp("s")
EXACT: Final = 2**53
"""Up to here, every whole number is a double."""
AT_ONCE: Final = 200
"""Columns in one question; SQLite takes 2,000 answers."""


def find_relation(session: Session, place: DatabaseTable) -> Relation | None:
    """The table of this name, if there is one; capital letters do not matter to SQLite."""
    name = place.name
    rows = session.ask(
        "select schema, name, type, wr, strict from pragma_table_list where "
        f"name = {quote_text(name.own)} collate nocase and "
        f"schema = {quote_text(name.schema or 'main')} collate nocase"
    )
    for schema, own, kind, without, strict in rows:
        return Relation(
            name=TableName((schema, own)), kind=kind, is_table=kind == "table", strict=bool(strict),
            has_rows_numbered=kind == "table" and not without,
        )  # fmt: skip
    return None


def require_relation(session: Session, place: DatabaseTable) -> Relation:
    """The table of this name; refuse a name that no table has."""
    relation = find_relation(session, place)
    if relation is None:
        rows = session.ask("select name from pragma_table_list where name not like 'sqlite\\_%' "
                           "escape '\\'")  # fmt: skip
        known = [TableName((name,)).text for (name,) in rows]
        raise DatabaseError(
            f"{place}: there is no such table{did_you_mean(place.name.text, known)}"
        )
    return relation


def list_columns(
    session: Session, place: DatabaseTable, relation: Relation
) -> list[DatabaseColumn]:
    """The columns, in order, each with the type of what it holds; refuse one of mixed types."""
    schema, own = relation.name.parts
    rows = session.ask(
        'select name, type, "notnull" from '
        f"pragma_table_xinfo({quote_text(own)}, {quote_text(schema)}) where hidden <> 1"
    )
    held: list[dict[str, int]] = []
    for start in range(0, len(rows), AT_ONCE):
        held += _count_classes(session, relation, [name for name, *_ in rows[start:][:AT_ONCE]])
    return [
        DatabaseColumn(
            name=name, declared=_clean(declared), not_null=bool(not_null),
            arrow=_choose_type(session, place, relation, name, declared, classes),
        )
        for (name, declared, not_null), classes in zip(rows, held, strict=True)
    ]  # fmt: skip


def _count_classes(
    session: Session, relation: Relation, names: Sequence[str]
) -> list[dict[str, int]]:
    wanted = ", ".join(
        f"total(typeof({quote(name)}) = '{each}')" for name in names for each in CLASSES
    )
    (answer,) = session.ask(f"select {wanted} from {relation.name.quoted}")
    counts = [int(value) for value in answer]
    parts = [counts[at : at + len(CLASSES)] for at in range(0, len(counts), len(CLASSES))]
    return [
        {each: count for each, count in zip(CLASSES, part, strict=True) if count} for part in parts
    ]


def _choose_type(
    session: Session,
    place: DatabaseTable,
    relation: Relation,
    name: str,
    declared: str,
    held: dict[str, int],
) -> Any:
    if not held:
        return ARROW[find_affinity(declared)]
    if set(held) == {"integer", "real"} and find_affinity(declared) != "blob":
        _require_exact(session, place, relation, name)
        return pa.float64()
    if len(held) > 1:
        counts = ", ".join(f"{count} {each}" for each, count in held.items())
        raise DatabaseError(
            f"{place}: column {name!r} holds mixed types ({counts}). Make a view that has one "
            "type, by cast(), and give that."
        )
    (only,) = held
    is_time = only == "text" and re.search("date|time", declared, re.IGNORECASE)
    return _find_moments(session, relation, name) if is_time else ARROW[only]


def _require_exact(session: Session, place: DatabaseTable, relation: Relation, name: str) -> None:
    """Refuse whole numbers among others that are too large for these."""
    large = session.ask_one(
        f"select total(typeof({quote(name)}) = 'integer' and not ({quote(name)} between "
        f"{-EXACT} and {EXACT})) from {relation.name.quoted}"
    )
    if large:
        raise DatabaseError(
            f"{place}: column {name!r} holds {int(large)} whole numbers of more than 15 digits "
            "beside fractions. Make a view that has one type, by cast(), and give that."
        )


def _find_moments(session: Session, relation: Relation, name: str) -> Any:
    """Days or moments, if each is written as SQLite itself writes them; text otherwise."""
    column = quote(name)
    days, moments = session.ask(
        f"select total({column} is not date({column}) and {column} is not null), "
        f"total({column} is not datetime({column}) and {column} is not null) "
        f"from {relation.name.quoted}"
    )[0]
    return DAYS if not days else MOMENTS if not moments else pa.string()


def find_affinity(declared: str) -> str:
    """Guess what a column without values would hold, by SQLite's rules for its declared type.

    >>> [find_affinity(each) for each in ("VARCHAR(10)", "bigint", "DECIMAL(12,2)", "")]
    ['text', 'integer', 'real', 'blob']
    """
    upper = declared.upper()
    if "INT" in upper:
        return "integer"
    if any(word in upper for word in ("CHAR", "CLOB", "TEXT")):
        return "text"
    return "blob" if not upper or "BLOB" in upper or upper == "ANY" else "real"


def _clean(declared: str) -> str:
    """The declared type, where it is one; SQLite takes any words for one."""
    return declared if re.fullmatch(r"[A-Za-z_][\w ]*(\([\w ,+-]*\))?", declared) else ""


DRIVER: Final = "adbc_driver_sqlite"
READ_ONLY, WRITE = "ro", "rwc"
"""Way to open the file: it must be there, or it is made."""


def find_file(place: DatabaseTable) -> Path:
    """The file that an address names: from the current folder, or from the root.

    >>> from swapmeet.io.database import DatabaseTable
    >>> find_file(DatabaseTable.parse("sqlite:///clinic.db")).as_posix()
    'clinic.db'
    >>> find_file(DatabaseTable.parse("sqlite:////data/clinic.db")).as_posix()
    '/data/clinic.db'
    """
    return Path(unquote(urlsplit(place.url).path)[1:])


@contextmanager
def open_session(
    place: DatabaseTable, mode: str, kind: type[SwapmeetError] = READING
) -> Iterator[tuple[Session, Any]]:
    """A connection in a transaction, which is rolled back at the end unless it was committed."""
    require_driver(DRIVER)
    from adbc_driver_sqlite import dbapi

    file = f"file:{percent_encode(str(find_file(place)))}?mode={mode}"
    with translate_errors(place, kind), dbapi.connect(file) as connection:
        try:
            yield Session(connection), connection
        finally:
            connection.rollback()


EXAMPLES: Final = {pa.int64(): "1", pa.float64(): "0.5", pa.binary(): "x'00'"}
"""Rows that show the driver the type of a column, which it guesses from the first ones."""


def fetch(place: DatabaseTable, file: Path, progress: Progress) -> Origin:
    """Write the table to a Parquet file, as it is at one moment, in the order of its rows."""
    if not find_file(place).is_file():
        raise DatabaseError(f"{place}: there is no such file. Check the name.")
    with open_session(place, READ_ONLY) as (session, _):
        relation = require_relation(session, place)
        columns = list_columns(session, place, relation)
        with session.stream(_select(relation, columns)) as reader:
            spool(file, columns, _read(reader, columns), progress)
    return Origin(
        kind=place.kind, columns=tuple(columns), identity=identify(place, relation),
        strict=relation.strict,
    )  # fmt: skip


def identify(place: DatabaseTable, relation: Relation) -> tuple[str, ...]:
    """Return an identity of the same table of the same file."""
    return (str(find_file(place).resolve()), *(part.lower() for part in relation.name.parts))


def _read(reader: Any, columns: Sequence[DatabaseColumn]) -> Iterator[list[Any]]:
    """The cells of each batch; the example row, which comes first, is left out."""
    first = 1
    for batch in reader:
        batch.validate(full=True)
        cells = zip(batch.columns, columns, strict=True)
        yield [pc.cast(values, column.arrow).slice(first) for values, column in cells]
        first = 0


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
