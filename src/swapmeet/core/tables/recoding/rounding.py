"""Coarser numbers and coarser dates."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.core.tables.arrow import Family
from swapmeet.core.tables.recoding.cells import NUMBERS
from swapmeet.core.tables.recoding.step import Step
from swapmeet.errors import SchemaError

if TYPE_CHECKING:
    from swapmeet.core.tables.recoding.cells import Cells

UNITS = ("year", "quarter", "month", "week", "day", "hour")
OF_MOMENTS = ("day", "hour")
"""Units that dates are made of already; moments are not."""


@dataclass(frozen=True)
class Round(Step):
    """Numbers become the nearest multiple; halfway between two, the even one."""

    multiple: str

    @property
    def words(self) -> str:
        return f"rounded to multiples of {self.multiple}"

    def change(self, cells: Cells) -> Any:
        cells.require(NUMBERS, "round", "numbers")
        multiple = cells.read(self.multiple)
        if multiple.as_py() <= 0:
            raise SchemaError(
                [f"recode: column {cells.name!r} is rounded to multiples of a number above 0."]
            )
        if cells.family is Family.FLOAT:
            return _round_floats(cells.array, float(multiple.as_py()))
        try:
            return pc.round_to_multiple(cells.array, multiple)
        except pa.ArrowException:
            problem = (
                f"recode: column {cells.name!r} of type {cells.array.type} cannot hold its "
                "values rounded to such multiples. Take a smaller multiple, or a wider type."
            )
            raise SchemaError([problem]) from None


def _round_floats(array: Any, multiple: float) -> Any:
    """Multiples of a tenth are the nearest numbers to tenths, as a text would give them."""
    values = array.cast(pa.float64()).to_numpy(zero_copy_only=False)
    inverse = float(1 / Decimal(repr(multiple)))
    if inverse.is_integer() and inverse > 1.0:
        rounded = np.rint(values * inverse) / inverse
    else:
        rounded = np.rint(values / multiple) * multiple
    whole = pa.array(np.where(np.isfinite(rounded), rounded, values), from_pandas=True)
    return whole.cast(array.type)


@dataclass(frozen=True)
class Coarsen(Step):
    """Dates and moments become the first of their year, quarter, month, week, day or hour."""

    unit: str

    @property
    def words(self) -> str:
        return f"reduced to the {self.unit}, shown by its beginning"

    def change(self, cells: Cells) -> Any:
        kind = cells.array.type
        fits = pt.is_timestamp(kind) or (pt.is_date(kind) and self.unit not in OF_MOMENTS)
        if not fits:
            needed = "dates with a time of day" if self.unit in OF_MOMENTS else "dates"
            problem = (
                f"recode: column {cells.name!r} holds {cells.family} ({kind}); {self.unit!r} "
                f"needs {needed}."
            )
            raise SchemaError([problem])
        return pc.floor_temporal(cells.array, unit=self.unit).cast(kind)
