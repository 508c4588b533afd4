"""Expressions that give a value in each row, or hold in it, or of which nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from swapmeet.base.arrays import Flags
from swapmeet.errors import SchemaError
from swapmeet.tables.expressions.numbers import Numbers, holds_numbers, read_numbers

UNKNOWN = object()


class ColumnSource(Protocol):
    """A table, as far as expressions look at it."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""

    def family(self, name: str) -> str:
        """Return the sort of values that the column holds."""

    def plain(self, name: str) -> Any:
        """The column as one Arrow array."""


@dataclass(frozen=True, repr=False, eq=False)
class ExpressionContext:
    """The setting of an expression: a table, and the decimals that its doubles show.

    Doubles of columns that are not listed show what they show here. With `plain_doubles`, doubles
    are reckoned with as such.
    """

    columns: ColumnSource
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
        decimals = self.decimals.get(name, UNKNOWN)
        if self.plain_doubles or decimals is None:
            return read_numbers(column, search=False)
        return read_numbers(column, None if decimals is UNKNOWN else decimals)  # type: ignore[arg-type]


class Value(Protocol):
    """A part of an expression that gives a value in each row."""

    def columns(self) -> list[str]: ...

    def work_out(self, setting: ExpressionContext) -> Numbers | Any: ...


@dataclass(frozen=True)
class NumberLiteral:
    """A number, as it is written."""

    text: str

    def columns(self) -> list[str]:
        return []

    def work_out(self, setting: ExpressionContext) -> Numbers:
        return Numbers.constant(self.text, setting.rows)


@dataclass(frozen=True)
class TextLiteral:
    """A text between quotes."""

    text: str

    def columns(self) -> list[str]:
        return []

    def work_out(self, setting: ExpressionContext) -> Any:
        import pyarrow as pa

        return pa.repeat(pa.scalar(self.text, pa.large_string()), setting.rows)


@dataclass(frozen=True)
class Name:
    """A column."""

    name: str

    def columns(self) -> list[str]:
        return [self.name]

    def work_out(self, setting: ExpressionContext) -> Numbers | Any:
        return setting.read(self.name)


@dataclass(frozen=True)
class Arithmetic:
    """Two values joined by a sign."""

    sign: str
    one: Value
    other: Value

    def columns(self) -> list[str]:
        return self.one.columns() + self.other.columns()

    def work_out(self, setting: ExpressionContext) -> Numbers:
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

    def work_out(self, setting: ExpressionContext) -> Numbers:
        return need_numbers(self.one, setting).negate()


def need_numbers(part: Value, setting: ExpressionContext) -> Numbers:
    """The numbers that a part gives; text is refused."""
    answer = part.work_out(setting)
    if isinstance(answer, Numbers):
        return answer
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


ORDER = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
EQUAL = {"=": "equal", "==": "equal", "!=": "not_equal"}
_RIGHT = {
    "less": (-1,), "less_equal": (-1, 0), "greater": (1,), "greater_equal": (0, 1),
    "equal": (0,), "not_equal": (-1, 1),
}  # fmt: skip


class RowTruth(NamedTuple):
    """Rows in which something is true, and those in which that is known at all."""

    true: Flags
    known: Flags

    @property
    def false(self) -> Flags:
        """Rows in which it is known not to hold."""
        return self.known & ~self.true


class Test(Protocol):
    """A part of an expression that holds in a row or does not."""

    def columns(self) -> list[str]: ...

    def judge(self, setting: ExpressionContext) -> RowTruth:
        """Of a missing value, nothing is known but that it is missing."""

    def hold(self, setting: ExpressionContext) -> Flags:
        """Of a missing value, nothing holds but that it is missing; its denial does."""


@dataclass(frozen=True)
class LiteralTest:
    """A column compared with literals; without any, whether it is missing."""

    column: str
    sign: str
    literals: tuple[Any, ...]

    def columns(self) -> list[str]:
        return [self.column]

    def hold(self, setting: ExpressionContext) -> Flags:
        return self.judge(setting).true

    def judge(self, setting: ExpressionContext) -> RowTruth:
        import pyarrow as pa
        import pyarrow.compute as pc

        values = setting.columns.plain(self.column)
        missing = np.asarray(values.is_null(nan_is_null=True))
        if not self.literals:
            return RowTruth(missing, np.ones(len(values), bool))
        flags = np.zeros(len(values), bool)
        for literal in self.literals:
            try:
                known = pa.scalar(literal)
                if isinstance(literal, str) and not pa.types.is_string(values.type):
                    known = known.cast(values.type)
                answer = getattr(pc, self.sign)(values, known)
            except (pa.ArrowException, TypeError, OverflowError):
                raise SchemaError([self._refusal(setting.columns)]) from None
            flags |= np.asarray(pc.fill_null(answer, False))  # noqa: FBT003
        return RowTruth(flags, ~missing)

    def _refusal(self, table: ColumnSource) -> str:
        kind = "text" if isinstance(self.literals[0], str) else "a number"
        return (
            f"condition: {self.column!r} holds {table.family(self.column)} and cannot be compared "
            f"with {kind}."
        )


@dataclass(frozen=True)
class Comparing:
    """Two values compared with each other."""

    one: Value
    sign: str
    other: Value

    def columns(self) -> list[str]:
        return self.one.columns() + self.other.columns()

    def hold(self, setting: ExpressionContext) -> Flags:
        return self.judge(setting).true

    def judge(self, setting: ExpressionContext) -> RowTruth:
        one, other = self.one.work_out(setting), self.other.work_out(setting)
        known = ~(missing_in(one) | missing_in(other))
        return RowTruth(self._compare(one, other) & known, known)

    def _compare(self, one: Numbers | Any, other: Numbers | Any) -> Flags:
        import pyarrow.compute as pc

        if isinstance(one, Numbers) and isinstance(other, Numbers):
            return np.isin(one.compare(other), _RIGHT[self.sign])
        if isinstance(one, Numbers) or isinstance(other, Numbers):
            listed = " and ".join(map(repr, self.columns()))
            raise SchemaError(
                [f"condition: numbers and text cannot be compared ({listed or 'in one test'})."]
            )
        return np.asarray(pc.fill_null(getattr(pc, self.sign)(one, other), False))  # noqa: FBT003


@dataclass(frozen=True)
class Joined:
    """Tests joined by and / or; one alone is denied."""

    word: str
    parts: tuple[Test, ...]

    def columns(self) -> list[str]:
        return [name for part in self.parts for name in part.columns()]

    def hold(self, setting: ExpressionContext) -> Flags:
        flags = [part.hold(setting) for part in self.parts]
        if self.word == "not":
            return ~flags[0]
        join = np.logical_and if self.word == "and" else np.logical_or
        result: Flags = join.reduce(flags)
        return result

    def judge(self, setting: ExpressionContext) -> RowTruth:
        truths = [part.judge(setting) for part in self.parts]
        if self.word == "not":
            return RowTruth(truths[0].false, truths[0].known)
        true, false = ([*flags] for flags in zip(*((t.true, t.false) for t in truths), strict=True))
        some_true, all_true = np.logical_or.reduce(true), np.logical_and.reduce(true)
        some_false, all_false = np.logical_or.reduce(false), np.logical_and.reduce(false)
        if self.word == "and":
            return RowTruth(all_true, all_true | some_false)
        return RowTruth(some_true, some_true | all_false)
