"""Values that are suppressed: they become missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.base.sentences import count
from swapmeet.tables.recoding.bounds import NEEDED as ORDERED
from swapmeet.tables.recoding.cells import ANY, WITH_LEVELS, WITH_ORDER
from swapmeet.tables.recoding.step import NamingStep, RareStep, Step

if TYPE_CHECKING:
    from swapmeet.tables.recoding.cells import Cells

COMPARISONS = {
    ">=": pc.greater_equal,
    "<=": pc.less_equal,
    ">": pc.greater,
    "<": pc.less,
}


@dataclass(frozen=True)
class SuppressBeyond(Step):
    """Values beyond a bound become missing; `sign` is <, <=, > or >=."""

    sign: str
    bound: str

    @property
    def words(self) -> str:
        return f"emptied where the value was {self.sign} {self.bound}"

    def change(self, cells: Cells) -> Any:
        cells.require(WITH_ORDER, "suppress", ORDERED)
        return _empty(cells, COMPARISONS[self.sign](cells.order, cells.place(self.bound)))


@dataclass(frozen=True)
class SuppressValues(NamingStep):
    """Values that are named become missing."""

    values: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"emptied of {count(len(self.values), 'named value')}"

    def change(self, cells: Cells) -> Any:
        cells.require(ANY, "suppress", "values that can be compared")
        return _empty(cells, pc.is_in(cells.array, value_set=self.named(cells)))

    def named(self, cells: Cells) -> Any:
        return cells.read_all(self.values)


@dataclass(frozen=True)
class SuppressRare(RareStep):
    """Levels of fewer rows than `least` become missing."""

    @property
    def words(self) -> str:
        return f"emptied of levels of fewer than {self.least} rows"

    def change(self, cells: Cells) -> Any:
        cells.require(WITH_LEVELS, "suppress rare", "text, categories or numbers")
        return _empty(cells, pc.is_in(cells.array, value_set=self.levels))


def _empty(cells: Cells, flags: Any) -> Any:
    gone = flags.fill_null(fill_value=False)
    return pc.if_else(gone, pa.scalar(None, cells.array.type), cells.array)
