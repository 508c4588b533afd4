"""Findings about columns that belong together, and the view of a table in which they are sought."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from swapmeet.base.arrays import Floats, Rows, ShortInts
from swapmeet.base.seeds import Seed
from swapmeet.errors import SwapmeetError
from swapmeet.tables.derivations import REST, Derivation
from swapmeet.tables.roles import Code

SAMPLE = 5_000
"""So many random rows are looked at before all."""
DIGITS = 6
"""So many decimals count; a column with more shows none in particular."""
WHOLE = 2.0**53
"""Doubles from here on have no decimals."""
_STREAM = Seed(bytes(32)).within("inspect")
"""Not a secret: the same table gives the same findings."""


class ColumnView(ABC):
    """Columns whose values compare. A missing value is a value of its own (code 0)."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """Number of rows."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""

    @property
    @abstractmethod
    def all_names(self) -> Collection[str]:
        """These and all others of the table."""

    @abstractmethod
    def codes(self, name: str) -> ShortInts:
        """The values as numbers from 0 to `room` - 1; 0 is missing."""

    def nearest_codes(self, name: str) -> ShortInts:
        """The same, where a number that has no code of its own has that of the nearest below."""
        return self.codes(name)

    @abstractmethod
    def room(self, name: str) -> int:
        """A number above all codes of the column."""

    @abstractmethod
    def numbers(self, name: str) -> Floats:
        """The values as doubles, NaN where missing."""

    @abstractmethod
    def quantities(self, name: str) -> Floats:
        """Numbers as they are reckoned with: moments as days."""

    @abstractmethod
    def is_masked(self, name: str) -> bool:
        """Return whether a method masks the column."""

    @abstractmethod
    def has_numbers(self, name: str) -> bool:
        """Return whether the column holds numbers, and neither dates nor categories."""

    @abstractmethod
    def has_dates(self, name: str) -> bool:
        """Return whether the column holds moments."""

    @abstractmethod
    def can_have_rest(self, name: str) -> bool:
        """Return whether what is left of the column by others could be masked in its place."""

    @cached_property
    def _distinct(self) -> dict[str, int]:
        return {}

    @cached_property
    def _units(self) -> dict[str, float]:
        return {}

    @cached_property
    def sample(self) -> Rows:
        """Some random rows, in order; all where there are few."""
        if self.rows <= SAMPLE:
            return np.arange(self.rows)
        drawn = _STREAM.stream("sample").integers(0, self.rows, SAMPLE)
        return np.unique(drawn)

    def unit(self, name: str) -> float:
        """The smallest decimal unit that the values of a column show; 0 if they show none."""
        if name not in self._units:
            self._units[name] = find_unit(self.quantities(name))
        return self._units[name]

    def distinct(self, name: str) -> int:
        """The number of distinct values; missing is not counted."""
        if name not in self._distinct:
            counts = np.bincount(self.codes(name))
            self._distinct[name] = int(np.count_nonzero(counts[1:]))
        return self._distinct[name]

    def missing(self, name: str) -> int:
        """Return the number of rows that miss the value."""
        return int(np.count_nonzero(self.codes(name) == 0))

    def list_quantities(self, leave_out: Collection[str]) -> list[str]:
        """Columns of numbers that vary and that a method masks, without some."""
        return [name for name in self._list_varied(leave_out) if self.has_numbers(name)]

    def list_dates(self, leave_out: Collection[str] = ()) -> list[str]:
        """Columns of moments that vary and that a method masks, without some."""
        return [name for name in self._list_varied(leave_out) if self.has_dates(name)]

    def _list_varied(self, leave_out: Collection[str]) -> list[str]:
        return [
            name
            for name in self.names
            if name not in leave_out and self.is_masked(name) and self.distinct(name) > 1
        ]

    def determines(self, one: str, other: str, rows: Rows | None = None) -> bool:
        """Return whether rows that agree in one column agree in the other."""
        return self.count_exceptions(one, other, rows) == 0

    def count_exceptions(self, one: str, other: str, rows: Rows | None = None) -> int:
        """Rows that differ in `other` from the last row with the same value in `one`."""
        key, value = self.codes(one), self.codes(other)
        if rows is not None:
            key, value = key[rows], value[rows]
        last = np.zeros(self.room(one), np.int32)
        last[key] = value
        return int(np.count_nonzero(last[key] != value))

    def count_followers(self, one: str, other: str, rows: Rows | None = None) -> int:
        """Rows that have in `other` what most rows with the same value in `one` have there."""
        key, value = self.codes(one), self.codes(other)
        if rows is not None:
            key, value = key[rows], value[rows]
        pairs, counts = np.unique(key.astype(np.int64) * self.room(other) + value,
                                  return_counts=True)  # fmt: skip
        most = np.zeros(self.room(one), np.int64)
        np.maximum.at(most, pairs // self.room(other), counts)
        return int(most.sum())


def find_unit(numbers: Floats) -> float:
    """The smallest decimal unit that numbers show; 0 if they show none in particular.

    >>> find_unit(np.array([12.5, np.nan, 3.25])), find_unit(np.array([1 / 3]))
    (0.01, 0.0)
    """
    there = numbers[np.abs(numbers) < WHOLE]
    for digits in range(DIGITS + 1):
        shifted = there * 10.0**digits
        if np.abs(shifted - np.rint(shifted)).max(initial=0.0) <= 1e-6 * 10.0 ** (digits / 2):
            return 10.0**-digits
    return 0.0


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
