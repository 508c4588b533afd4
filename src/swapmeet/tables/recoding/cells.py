"""The cells of a column that is recoded, and what a text stands for among them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.errors import SchemaError
from swapmeet.tables.arrow import Family, family_of

NUMBERS = {Family.INTEGER, Family.FLOAT, Family.DECIMAL}
WITH_ORDER = {*NUMBERS, Family.TIME, Family.ORDERED}
ANY = set(Family) - {Family.MIXED, Family.NESTED, Family.EMPTY}
WITH_LEVELS = {*NUMBERS, Family.TEXT, Family.CATEGORY, Family.ORDERED, Family.BOOLEAN}


@dataclass(frozen=True, repr=False)
class Cells:
    """An Arrow array of plain values of a column; of a column of categories, its levels.

    `family` is that of the column. Of categories, `levels` are those of the column before any step:
    they tell the order.
    """

    name: str
    array: Any
    family: Family
    levels: Any = None

    def __repr__(self) -> str:
        return f"<Cells of {self.name!r}>"

    @classmethod
    def of(cls, name: str, column: Any, *, ordered: bool) -> Cells:
        """Return the cells of a column, which may hold categories."""
        family = family_of(column, ordered=ordered)
        if not is_coded(column):
            return cls(name, _to_plain(column), family)
        levels = _to_plain(column.dictionary)
        return cls(name, levels, family, levels)

    def become(self, array: Any) -> Cells:
        """The same cells after a step."""
        return Cells(self.name, array, self.family, self.levels)

    def require(self, families: set[Family], step: str, needed: str) -> None:
        """Refuse a step that does not fit what the column holds."""
        if self.family not in families:
            raise SchemaError(
                [f"recode: column {self.name!r} holds {self.family}; {step!r} needs {needed}."]
            )

    @cached_property
    def order(self) -> Any:
        """Return what decides which cell is larger: the values, or the ranks of ordered levels."""
        if self.family is Family.ORDERED:
            return pc.index_in(self.array, value_set=self.levels)
        return self.array

    def place(self, text: str) -> Any:
        """Return the place in the `order` of the value that a text means."""
        value = self.read(text)
        if self.family is not Family.ORDERED:
            return value
        place = pc.index(self.levels, value).as_py()
        if place < 0:
            raise SchemaError([f"recode: {text!r} is no level of column {self.name!r}."])
        return pa.scalar(place, pa.int32())

    def read(self, text: str) -> Any:
        """The value that a text stands for, in the type of the column."""
        try:
            return _read(text, self.array.type)
        except (pa.ArrowException, InvalidOperation, ValueError, OverflowError, TypeError):
            problem = (
                f"recode: {text!r} is no value that column {self.name!r} can hold; it holds "
                f"{self.family} ({self.array.type})."
            )
            raise SchemaError([problem]) from None

    def read_all(self, texts: tuple[str, ...]) -> Any:
        """The values that texts stand for, as an array."""
        return pa.array([self.read(text).as_py() for text in texts], self.array.type)


def is_coded(column: Any) -> bool:
    """Return whether the column has a dictionary of its levels."""
    return bool(pt.is_dictionary(column.type))


def _to_plain(array: Any) -> Any:
    """Text as Arrow can compute with it, and NaN as missing."""
    if pt.is_string_view(array.type):
        return array.cast(pa.large_string())
    if pt.is_floating(array.type):
        return pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array)
    return array


def _read(text: str, kind: Any) -> Any:
    if pt.is_integer(kind):
        number = Decimal(text)
        if number != number.to_integral_value():
            raise ValueError
        return pa.scalar(int(number), kind)
    if pt.is_floating(kind):
        value = float(text)
        if not np.isfinite(value):
            raise ValueError
        return pa.scalar(value, pa.float64()).cast(kind)
    if pt.is_decimal(kind):
        return pa.scalar(Decimal(text), kind)
    if pt.is_timestamp(kind) and kind.tz:
        moment = pa.array([text]).cast(pa.timestamp(kind.unit))
        return pc.assume_timezone(moment, kind.tz)[0]
    return pa.array([text]).cast(kind)[0]
