"""Top and bottom codes, and classes between bounds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.base.sentences import join_names
from swapmeet.errors import SchemaError
from swapmeet.tables.recoding.cells import WITH_ORDER
from swapmeet.tables.recoding.step import Step

if TYPE_CHECKING:
    from swapmeet.tables.recoding.cells import Cells

NEEDED = "numbers, dates or ordered categories"


@dataclass(frozen=True)
class Top(Step):
    """Values above a bound become the bound."""

    bound: str

    @property
    def words(self) -> str:
        return f"top-coded at {self.bound} (what lay above became {self.bound})"

    def change(self, cells: Cells) -> Any:
        cells.require(WITH_ORDER, "top", NEEDED)
        beyond = pc.greater(cells.order, cells.place(self.bound))
        return pc.if_else(beyond, cells.read(self.bound), cells.array)


@dataclass(frozen=True)
class Bottom(Step):
    """Values below a bound become the bound."""

    bound: str

    @property
    def words(self) -> str:
        return f"bottom-coded at {self.bound} (what lay below became {self.bound})"

    def change(self, cells: Cells) -> Any:
        cells.require(WITH_ORDER, "bottom", NEEDED)
        beyond = pc.less(cells.order, cells.place(self.bound))
        return pc.if_else(beyond, cells.read(self.bound), cells.array)


@dataclass(frozen=True)
class Cut(Step):
    """A value becomes the lower bound of its class; the first bound is below all values."""

    bounds: tuple[str, ...]
    covers: ClassVar[bool] = True

    @property
    def words(self) -> str:
        return f"cut at {join_names(self.bounds)}, each class shown by its lower bound"

    def change(self, cells: Cells) -> Any:
        cells.require(WITH_ORDER, "cut", NEEDED)
        places = [cells.place(bound) for bound in self.bounds]
        if any(one.as_py() >= two.as_py() for one, two in pairwise(places)):
            raise SchemaError(
                [f"recode: the bounds of 'cut' of column {cells.name!r} must rise; they do not."]
            )
        found = pa.nulls(len(cells.array), cells.array.type)
        for place, bound in zip(places, self.bounds, strict=True):
            reached = pc.greater_equal(cells.order, place)
            found = pc.if_else(reached.fill_null(fill_value=False), cells.read(bound), found)
        return pc.if_else(pc.is_null(cells.array), pa.scalar(None, cells.array.type), found)
