"""Expressions that give a value in each row: numbers or text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from swapmeet.errors import SchemaError
from swapmeet.tables.expressions.arrow_numbers import holds_numbers, read_numbers
from swapmeet.tables.expressions.numbers import Numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

UNKNOWN = object()


class Columns(Protocol):
    """A table, as far as expressions look at it."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""

    def family(self, name: str) -> str:
        """Return the sort of values that the column holds."""

    def plain(self, name: str) -> Any:
        """The column as one Arrow array."""


@dataclass(frozen=True, repr=False, eq=False)
class Setting:
    """The setting of an expression: a table, and the decimals that its doubles show.

    Doubles of columns that are not listed show what they show here. With `plain_doubles`, doubles
    are reckoned with as such.
    """

    columns: Columns
    rows: int
    decimals: Mapping[str, int | None] = field(default_factory=dict)
    plain_doubles: bool = False

    def __repr__(self) -> str:
        return f"<Setting of {self.rows} rows>"

    def read(self, name: str) -> Numbers | Any:
        """A column as numbers, or else as an Arrow array of text."""
        column = self.columns.plain(name)
        if not holds_numbers(column):
            return as_text(column)
        told = self.decimals.get(name, UNKNOWN)
        if self.plain_doubles or told is None:
            return read_numbers(column, search=False)
        return read_numbers(column, None if told is UNKNOWN else told)  # type: ignore[arg-type]


class Value(Protocol):
    """A part of an expression that gives a value in each row."""

    def columns(self) -> list[str]: ...

    def work_out(self, setting: Setting) -> Numbers | Any: ...


@dataclass(frozen=True)
class NumberLiteral:
    """A number, as it is written."""

    text: str

    def columns(self) -> list[str]:
        return []

    def work_out(self, setting: Setting) -> Numbers:
        return Numbers.constant(self.text, setting.rows)


@dataclass(frozen=True)
class TextLiteral:
    """A text between quotes."""

    text: str

    def columns(self) -> list[str]:
        return []

    def work_out(self, setting: Setting) -> Any:
        import pyarrow as pa

        return pa.repeat(pa.scalar(self.text, pa.large_string()), setting.rows)


@dataclass(frozen=True)
class Name:
    """A column."""

    name: str

    def columns(self) -> list[str]:
        return [self.name]

    def work_out(self, setting: Setting) -> Numbers | Any:
        return setting.read(self.name)


@dataclass(frozen=True)
class Arithmetic:
    """Two values joined by a sign."""

    sign: str
    one: Value
    other: Value

    def columns(self) -> list[str]:
        return self.one.columns() + self.other.columns()

    def work_out(self, setting: Setting) -> Numbers:
        one, other = need_numbers(self.one, setting), need_numbers(self.other, setting)
        if self.sign == "-":
            return one.add(other.negate())
        work = {"+": one.add, "*": one.multiply, "/": one.divide, "//": one.divide_whole,
                "**": one.power}  # fmt: skip
        return work[self.sign](other)


@dataclass(frozen=True)
class Negated:
    """A value below zero."""

    one: Value

    def columns(self) -> list[str]:
        return self.one.columns()

    def work_out(self, setting: Setting) -> Numbers:
        return need_numbers(self.one, setting).negate()


def need_numbers(part: Value, setting: Setting) -> Numbers:
    """The numbers that a part gives; text is refused."""
    found = part.work_out(setting)
    if isinstance(found, Numbers):
        return found
    held = f"{part.name!r} holds {setting.columns.family(part.name)}" if isinstance(part, Name) \
        else "a part of the expression is text"  # fmt: skip
    raise SchemaError([f"{held}, and cannot be reckoned with; numbers are needed."])


def as_text(column: Any) -> Any:
    """A column as Arrow text."""
    import pyarrow as pa

    return column.cast(pa.large_string())


def missing_in(values: Numbers | Any) -> Any:
    """Rows without a value."""
    return values.missing if isinstance(values, Numbers) else np.asarray(values.is_null())
