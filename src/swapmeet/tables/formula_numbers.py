"""Numbers that a formula computes from columns: log(income), I(age^2), I(a / b). Own arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from swapmeet.base.sentences import join_names
from swapmeet.errors import SchemaError, TableError
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from swapmeet.base.arrays import Floats
    from swapmeet.tables.microdata import Microdata

FUNCTIONS: Final[Mapping[str, Callable[[Floats], Floats]]] = {
    "I": np.positive,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "square": np.square,
    "abs": np.abs,
}
"""Functions by the name that R, patsy and formulaic have for them; I() is the identity."""
_SIGNS: Final[Mapping[str, Callable[[Floats, Floats], Floats]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
}
_REMEDIES: Final = {
    "log": "A logarithm needs values above 0: recode them, or write log1p(...), which allows 0",
    "sqrt": "A square root needs values of 0 or more",
}


class UndefinedTermError(TableError):
    """A term of a formula has no value in some rows whose columns have one."""


@dataclass(frozen=True)
class Constant:
    """A number in a formula."""

    value: float
    columns = ()

    def __str__(self) -> str:
        return f"{self.value:g}"

    def compute(self, data: Microdata) -> Floats:
        """The same in each row."""
        return np.full(data.n, self.value)


@dataclass(frozen=True)
class Reference:
    """A column in a formula."""

    name: str

    def __str__(self) -> str:
        return self.name

    @property
    def columns(self) -> tuple[str, ...]:
        """Its name."""
        return (self.name,)

    def compute(self, data: Microdata) -> Floats:
        """Its values, NaN where they are missing; a nominal column has none."""
        variable = data[self.name]
        if variable.kind is Kind.NOMINAL:
            raise SchemaError(
                [f"model: {self.name!r} is nominal; a function needs numbers. Make it numeric."]
            )
        return variable.values.astype(np.float64)


@dataclass(frozen=True)
class Operation:
    """Two numbers and a sign between them."""

    sign: str
    left: Number
    right: Number

    def __str__(self) -> str:
        left, right = (
            f"({side})" if isinstance(side, Operation) else str(side)
            for side in (self.left, self.right)
        )
        return f"{left}{self.sign}{right}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of both sides."""
        return tuple(dict.fromkeys((*self.left.columns, *self.right.columns)))

    def compute(self, data: Microdata) -> Floats:
        """The result in each row."""
        with np.errstate(all="ignore"):
            return _SIGNS[self.sign](self.left.compute(data), self.right.compute(data))


@dataclass(frozen=True)
class Function:
    """A function of a number."""

    name: str
    argument: Number

    def __str__(self) -> str:
        return f"{self.name}({self.argument})"

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of its argument."""
        return self.argument.columns

    def compute(self, data: Microdata) -> Floats:
        """The result in each row."""
        with np.errstate(all="ignore"):
            return FUNCTIONS[self.name](self.argument.compute(data))

    def list_names(self) -> set[str]:
        """The functions that are part of it."""
        return {self.name} | _list_functions(self.argument)


Number = Constant | Reference | Operation | Function


def compute_number(number: Function, data: Microdata) -> Floats:
    """The value in each row, NaN where one of the columns is missing; refuse rows without one."""
    values = number.compute(data)
    present = np.ones(data.n, np.bool_)
    for name in number.columns:
        present &= ~data[name].missing
    undefined = int((present & ~np.isfinite(values)).sum())
    if undefined:
        raise UndefinedTermError(f"model: {_explain(number, undefined, data.n)}")
    return np.where(present, values, np.nan)


def _explain(number: Function, undefined: int, rows: int) -> str:
    of = join_names(number.columns)
    remedy = next((_REMEDIES[name] for name in _REMEDIES if name in number.list_names()), None)
    hint = f" {remedy}." if remedy else " It divides by 0 there, or its values are too large."
    return f"{number} has no value in {undefined} of {rows} rows in which {of} has one.{hint}"


def _list_functions(number: Number) -> set[str]:
    if isinstance(number, Function):
        return number.list_names()
    if isinstance(number, Operation):
        return _list_functions(number.left) | _list_functions(number.right)
    return set()
