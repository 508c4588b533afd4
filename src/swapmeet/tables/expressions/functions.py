"""The functions that expressions may call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from swapmeet.errors import SchemaError
from swapmeet.tables.expressions.numbers import Numbers, choose_numbers
from swapmeet.tables.expressions.values import (
    ExpressionContext,
    Name,
    NumberLiteral,
    Test,
    TextLiteral,
    Value,
    need_numbers,
)

DOUBLES: dict[str, Callable[[Any], Any]] = {
    "log": np.log, "log10": np.log10, "exp": np.exp, "sqrt": np.sqrt,
}  # fmt: skip
PARTS_OF_DATES = ("year", "month", "day")
LEAST_ARGUMENTS = {
    **dict.fromkeys((*DOUBLES, *PARTS_OF_DATES, "abs", "floor", "ceil", "round"), 1),
    "min": 2, "max": 2, "cut": 2, "lookup": 1,
}  # fmt: skip
MOST_ARGUMENTS = LEAST_ARGUMENTS | {"round": 2, "min": 99, "max": 99, "cut": 999}
CHOICE = "if"
FUNCTIONS = (*LEAST_ARGUMENTS, CHOICE)


@dataclass(frozen=True)
class Call:
    """A function of values."""

    name: str
    arguments: tuple[Value, ...]

    def columns(self) -> list[str]:
        return [name for one in self.arguments for name in one.columns()]

    def work_out(self, setting: ExpressionContext) -> Numbers | Any:
        if self.name == "cut":
            return _cut(self.arguments, setting)
        if self.name in PARTS_OF_DATES:
            return _read_part_of_date(self.name, self.arguments[0], setting)
        if self.name == "lookup":
            raise SchemaError(
                ["lookup(...) stands alone: write, for example, group = lookup(age)."]
            )
        numbers = [need_numbers(one, setting) for one in self.arguments]
        if self.name in ("min", "max"):
            return _find_extreme(self.name, numbers)
        return _work_out(self.name, numbers[0], numbers[1:])


@dataclass(frozen=True)
class IfElse:
    """One value where a test holds, and another where it does not."""

    test: Test
    one: Value
    other: Value

    def columns(self) -> list[str]:
        return [*self.test.columns(), *self.one.columns(), *self.other.columns()]

    def work_out(self, setting: ExpressionContext) -> Numbers | Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        truth = self.test.judge(setting)
        one, other = self.one.work_out(setting), self.other.work_out(setting)
        if isinstance(one, Numbers) and isinstance(other, Numbers):
            return choose_numbers(truth.true, one, other, truth.known)
        if isinstance(one, Numbers) or isinstance(other, Numbers):
            raise SchemaError(["if(...): give two numbers or two texts, not one of each."])
        flags = pa.array(truth.true, mask=~truth.known)
        return pc.if_else(flags, one, other)


def _work_out(name: str, one: Numbers, others: list[Numbers]) -> Numbers:
    if name == "round":
        places = others[0].whole_constant() if others else 0
        if places is None and len(one.digits):
            raise SchemaError(["round(x, n): `n` must be a whole number, the same in all rows."])
        return one.round_to(places or 0)
    if name == "abs":
        return Numbers(np.abs(one.digits), one.scale, one.missing)
    if name == "floor":
        return one.round_down()
    if name == "ceil":
        return one.negate().round_down().negate()
    with np.errstate(all="ignore"):
        doubles = DOUBLES[name](one.doubles())
    return Numbers.of_doubles_as_they_are(doubles, one.missing)


def _find_extreme(name: str, numbers: list[Numbers]) -> Numbers:
    extreme, *others = numbers
    for other in others:
        sign = extreme.compare(other)
        first = sign <= 0 if name == "min" else sign >= 0
        missing = extreme.missing | other.missing
        extreme = choose_numbers(first, extreme, other, ~missing)
    return extreme


def _cut(arguments: tuple[Value, ...], setting: ExpressionContext) -> Numbers | Any:
    """The number of the group of each value, or its label: groups begin at the bounds."""
    import pyarrow as pa

    numbers = need_numbers(arguments[0], setting)
    bounds = [one.text for one in arguments[1:] if isinstance(one, NumberLiteral)]
    labels = [one.text for one in arguments[1:] if isinstance(one, TextLiteral)]
    if len(bounds) + len(labels) + 1 != len(arguments) or len(labels) not in (0, len(bounds) + 1):
        problem = (
            "cut: write cut(age, 18, 65), or with a label for each group, below the first bound, "
            'between each two, and above the last: cut(age, 18, 65, "minor", "adult", "old").'
        )
        raise SchemaError([problem])
    groups = np.zeros(setting.rows, np.int64)
    for bound in sorted(bounds, key=float):
        groups += numbers.compare(Numbers.constant(bound, setting.rows)) >= 0
    if not labels:
        return Numbers(np.where(numbers.missing, 0, groups), 0, numbers.missing)
    return pa.array(labels, pa.large_string()).take(pa.array(groups, mask=numbers.missing))


def _read_part_of_date(part: str, of: Value, setting: ExpressionContext) -> Numbers:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as pt

    column = setting.columns.plain(of.name) if isinstance(of, Name) else None
    if column is None or not (pt.is_date(column.type) or pt.is_timestamp(column.type)):
        raise SchemaError([f"{part}(...) needs a column of dates."])
    numbers = getattr(pc, part)(column).cast(pa.int64())
    missing = np.asarray(numbers.is_null())
    return Numbers(numbers.fill_null(0).to_numpy(zero_copy_only=False), 0, missing)
