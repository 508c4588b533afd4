"""Findings about a table: in words, and as options for every command."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from swapmeet.errors import SwapmeetError
from swapmeet.tables.derivations import REST, Derivation
from swapmeet.tables.missing_codes import Code
from swapmeet.ties.column_view import ColumnView


class ColumnRelation(Protocol):
    """A relation that holds among the columns of a row."""

    def count(self, columns: ColumnView, original: ColumnView) -> tuple[int, int]:
        """The rows that obey it, and those that have its values; it was found in the `original`."""


class Tie(NamedTuple):
    """A relation, and how it is written."""

    text: str
    relation: ColumnRelation


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something about columns that a curator should decide on, why, and the options that do it.

    `rows` is the number of rows that bear it out, of those that could, and `codes` those found for
    missing values. `ties` are what holds in these rows. It holds names, counts and such codes,
    never a value of a person.
    """

    about: str
    columns: tuple[str, ...]
    reason: str
    rows: int
    options: tuple[str, ...] = ()
    codes: tuple[Code, ...] = ()
    ties: tuple[Tie, ...] = ()

    @property
    def sentence(self) -> str:
        """In words."""
        return f"{', '.join(self.columns)}: {self.about}; {self.reason}."

    @property
    def is_unit(self) -> bool:
        """Return whether the column numbers households or persons."""
        return bool({"--household", "--person"} & {*self.options})

    @property
    def has_words(self) -> bool:
        """Return whether it is about words that stand for missing values."""
        return not all(map(_is_number, self.codes))

    @property
    def command(self) -> str:
        """The options as they are typed."""
        return shlex.join(self.options)

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "about": self.about,
            "columns": list(self.columns),
            "reason": self.reason,
            "rows": self.rows,
            "options": list(self.options),
            "ties": [one.text for one in self.ties],
        }


def write_derivation(
    text: str, columns: Iterable[str], *, nearly: bool = False, beside: Collection[str] = ()
) -> tuple[str, ...]:
    """The option that derives a column; none where names cannot be written in an expression.

    What holds only `nearly` leaves a rest, `beside` other columns of which one may have this name.

    >>> write_derivation("a = b + c", ["a", "b", "c"])
    ('--derive', 'a = b + c')
    >>> write_derivation("`x`y` = b + c", ["x`y", "b", "c"])
    ()
    >>> write_derivation("a = b + c", ["a", "b", "c"], nearly=True)
    ('--derive', 'a = b + c + rest')
    """
    if nearly:
        text += f" + {REST}()" if REST in beside else f" + {REST}"
    try:
        read = Derivation(text)
    except SwapmeetError:
        return ()
    return ("--derive", text) if {read.name, *read.parents} == set(columns) else ()


def write_together(names: Iterable[str]) -> tuple[str, ...]:
    """The option that has columns move as one; none where a name has a comma of its own."""
    names = list(names)
    return () if any("," in name for name in names) else ("--together", ",".join(names))


def write_option(option: str, names: Iterable[str]) -> tuple[str, ...]:
    """An option with its names; one that has a comma itself stands alone.

    >>> write_option("--place", ["region", "district"]), write_option("--drop", ["a,b", "c"])
    (('--place', 'region,district'), ('--drop', 'a,b', '--drop', 'c'))
    """
    names = list(names)
    listed = names if any("," in name for name in names) else [",".join(names)]
    return tuple(word for text in listed if text for word in (option, text))


def _is_number(code: Code) -> bool:
    try:
        float(code)
    except ValueError:
        return False
    return str(code).lower() != "nan"
