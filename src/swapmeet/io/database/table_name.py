"""The name of a table, perhaps with its schema, as people write it and as SQL quotes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self

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
        found = _PART.findall(text)
        if ".".join(found) != text or not 1 <= len(found) <= 2 or "\0" in text:
            raise UsageError(
                f"{text!r}: is not the name of a table. Write TABLE or SCHEMA.TABLE; a name with a "
                'dot or a quote of its own in double quotes, as in SQL: "my.table".'
            )
        return cls(tuple(map(_unquote, found)))

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
