"""Expressions that hold in a row, or do not, or of which nobody knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from swapmeet.errors import SchemaError
from swapmeet.tables.expressions.numbers import Numbers
from swapmeet.tables.expressions.values import missing_in

if TYPE_CHECKING:
    from swapmeet.base.arrays import Flags
    from swapmeet.tables.expressions.values import Columns, Setting, Value


ORDER = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
EQUAL = {"=": "equal", "==": "equal", "!=": "not_equal"}
_RIGHT = {
    "less": (-1,), "less_equal": (-1, 0), "greater": (1,), "greater_equal": (0, 1),
    "equal": (0,), "not_equal": (-1, 1),
}  # fmt: skip


class Truth(NamedTuple):
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

    def judge(self, setting: Setting) -> Truth:
        """Of a missing value, nothing is known but that it is missing."""

    def hold(self, setting: Setting) -> Flags:
        """Of a missing value, nothing holds but that it is missing; its denial does."""


@dataclass(frozen=True)
class LiteralTest:
    """A column compared with literals; without any, whether it is missing."""

    column: str
    sign: str
    literals: tuple[Any, ...]

    def columns(self) -> list[str]:
        return [self.column]

    def hold(self, setting: Setting) -> Flags:
        return self.judge(setting).true

    def judge(self, setting: Setting) -> Truth:
        import pyarrow as pa
        import pyarrow.compute as pc

        values = setting.columns.plain(self.column)
        missing = np.asarray(values.is_null(nan_is_null=True))
        if not self.literals:
            return Truth(missing, np.ones(len(values), bool))
        found = np.zeros(len(values), bool)
        for literal in self.literals:
            try:
                known = pa.scalar(literal)
                if isinstance(literal, str) and not pa.types.is_string(values.type):
                    known = known.cast(values.type)
                answer = getattr(pc, self.sign)(values, known)
            except (pa.ArrowException, TypeError, OverflowError):
                raise SchemaError([self._refusal(setting.columns)]) from None
            found |= np.asarray(pc.fill_null(answer, False))  # noqa: FBT003
        return Truth(found, ~missing)

    def _refusal(self, table: Columns) -> str:
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

    def hold(self, setting: Setting) -> Flags:
        return self.judge(setting).true

    def judge(self, setting: Setting) -> Truth:
        one, other = self.one.work_out(setting), self.other.work_out(setting)
        known = ~(missing_in(one) | missing_in(other))
        return Truth(self._compare(one, other) & known, known)

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

    def hold(self, setting: Setting) -> Flags:
        flags = [part.hold(setting) for part in self.parts]
        if self.word == "not":
            return ~flags[0]
        join = np.logical_and if self.word == "and" else np.logical_or
        result: Flags = join.reduce(flags)
        return result

    def judge(self, setting: Setting) -> Truth:
        truths = [part.judge(setting) for part in self.parts]
        if self.word == "not":
            return Truth(truths[0].false, truths[0].known)
        true, false = ([*flags] for flags in zip(*((t.true, t.false) for t in truths), strict=True))
        some_true, all_true = np.logical_or.reduce(true), np.logical_and.reduce(true)
        some_false, all_false = np.logical_or.reduce(false), np.logical_and.reduce(false)
        if self.word == "and":
            return Truth(all_true, all_true | some_false)
        return Truth(some_true, some_true | all_false)
