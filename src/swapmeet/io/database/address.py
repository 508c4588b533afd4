"""The address of a table in a database: that of the database, and the name of the table."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import Final, Self
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from swapmeet.errors import UsageError

_PART: Final = re.compile(r'"(?:[^"]|"")+"|[^".]+')


@dataclass(frozen=True)
class TableName:
    """The parts of a name: of the table, and of the schema it is in, where one was given.

    >>> TableName.parse("clinic.patients").parts
    ('clinic', 'patients')
    >>> TableName.parse('"first.second"').quoted
    '"first.second"'
    """

    parts: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """A name; parts with a dot or a quote of their own stand in double quotes, as in SQL."""
        parts = _PART.findall(text)
        if ".".join(parts) != text or not 1 <= len(parts) <= 2 or "\0" in text:
            raise UsageError(
                f"{text!r}: is not the name of a table. Write TABLE or SCHEMA.TABLE; a name with a "
                'dot or a quote of its own in double quotes, as in SQL: "my.table".'
            )
        return cls(tuple(map(_unquote, parts)))

    @property
    def text(self) -> str:
        """As people write it."""
        return ".".join(p if re.fullmatch(r'[^".]+', p) else quote(p) for p in self.parts)

    @property
    def quoted(self) -> str:
        """As SQL takes it, whatever characters it holds."""
        return ".".join(map(quote, self.parts))

    @property
    def own(self) -> str:
        """That of the table alone."""
        return self.parts[-1]

    @property
    def schema(self) -> str | None:
        """That of the schema, if there is one."""
        return self.parts[0] if len(self.parts) == 2 else None


def quote(name: str) -> str:
    """A name as SQL takes it.

    >>> print(quote('a"; drop table b'))
    "a""; drop table b"
    """
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """A text as SQL takes it."""
    return "'" + text.replace("'", "''") + "'"


def _unquote(part: str) -> str:
    return part[1:-1].replace('""', '"') if part.startswith('"') else part


SCHEMES: Final = {"postgresql": "postgresql", "postgres": "postgresql", "sqlite": "sqlite"}
TITLES: Final = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}
FORMS: Final = "postgresql://USER@HOST/DATABASE or sqlite:///FILE"
_SECRET: Final = ("password", "sslpassword")


@dataclass(frozen=True, kw_only=True)
class DatabaseTable:
    """A table of a PostgreSQL or SQLite database. `url` never holds a password.

    >>> place = DatabaseTable.parse("postgresql://ann@db.example/clinic#patients")
    >>> place.kind, place.url, place.name.text
    ('postgresql', 'postgresql://ann@db.example/clinic', 'patients')
    >>> str(place)
    'postgresql://ann@db.example/clinic#patients'
    """

    kind: str
    url: str
    table: TableName | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """The address that a text stands for; its table may follow behind a number sign."""
        parts = _split(text)
        if not parts.scheme or parts.scheme not in SCHEMES:
            raise UsageError(
                f"{parts.scheme}://: tables are read from files, PostgreSQL and SQLite. "
                f"Give the name of a file, or {FORMS}."
            )
        _refuse_password(parts)
        kind = SCHEMES[parts.scheme]
        (_check_sqlite if kind == "sqlite" else _check_postgresql)(parts)
        table = TableName.parse(unquote(parts.fragment)) if parts.fragment else None
        return cls(kind=kind, url=text.partition("#")[0], table=table)

    def __str__(self) -> str:
        return self.url if self.table is None else f"{self.url}#{self.table.text}"

    @property
    def name(self) -> TableName:
        """The name of the table."""
        if self.table is None:
            raise UsageError(
                f"{self.url}: which table? Name it behind the address: {self.url}#TABLE."
            )
        return self.table

    @property
    def title(self) -> str:
        """Return what people call the kind of database."""
        return TITLES[self.kind]

    @property
    def stem(self) -> str:
        """The name of the table as that of a file: what no file system likes is left out."""
        return re.sub(r"[^\w.-]+", "_", ".".join(self.name.parts)).lstrip(".") or "table"

    def beside(self, name: str) -> DatabaseTable:
        """Another table of the same schema."""
        return replace(self, table=TableName((*self.name.parts[:-1], name)))

    def with_table(self, text: str) -> DatabaseTable:
        """The same database, and a table of this name."""
        if self.table is not None:
            raise UsageError(
                f"{self}: the table is named twice, here and by --table. Name it once."
            )
        return replace(self, table=TableName.parse(text))


def is_address(text: str | os.PathLike[str]) -> bool:
    """Return whether a text is the address of something else than a file here.

    >>> is_address("postgresql://db.example/clinic"), is_address("people.csv")
    (True, False)
    """
    return isinstance(text, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text) is not None


def _split(text: str) -> SplitResult:
    """The parts of an address; a text that has none is not repeated, for it may hold a password."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise UsageError(f"the address of the database is not well formed. Give {FORMS}.") from None
    return parts


def _refuse_password(parts: SplitResult) -> None:
    named = {name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if parts.password is not None or named.intersection(_SECRET):
        raise UsageError(
            "the address of the database holds a password, which others can read in the list of "
            "processes and in the history of the shell. Leave it out: set PGPASSWORD, or put it in "
            "a file (PGPASSFILE, ~/.pgpass)."
        )


def _check_postgresql(parts: SplitResult) -> None:
    if not parts.path.strip("/"):
        raise UsageError(f"{parts.scheme}://: the address names no database. Give {FORMS}.")
    if "@" in parts.path or ("@" in parts.fragment and "@" not in parts.netloc):
        raise UsageError(
            f"{parts.scheme}://: an @ stands behind the host, as if the address held a password. "
            f"Give {FORMS}; write %40 for an @ in the name of a database, and name a table that "
            "has one by --table."
        )


def _check_sqlite(parts: SplitResult) -> None:
    if parts.netloc or parts.query or not parts.path.strip("/"):
        raise UsageError(
            "sqlite://: three slashes stand before the name of the file, four before one that "
            "begins with a slash: sqlite:///people.db, sqlite:////data/people.db."
        )
