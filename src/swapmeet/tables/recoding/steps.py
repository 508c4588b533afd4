"""Steps of recoding: top and bottom codes, classes between bounds, suppressed values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.base.sentences import count, join_names
from swapmeet.errors import SchemaError
from swapmeet.tables.arrow import CellType, family_of

NUMBERS = {CellType.INTEGER, CellType.FLOAT, CellType.DECIMAL}
WITH_ORDER = {*NUMBERS, CellType.TIME, CellType.ORDERED}
ANY = set(CellType) - {CellType.MIXED, CellType.NESTED, CellType.EMPTY}
WITH_LEVELS = {*NUMBERS, CellType.TEXT, CellType.CATEGORY, CellType.ORDERED, CellType.BOOLEAN}


@dataclass(frozen=True, repr=False)
class Cells:
    """An Arrow array of plain values of a column; of a column of categories, its levels.

    `family` is that of the column. Of categories, `levels` are those of the column before any step:
    they tell the order.
    """

    name: str
    array: Any
    family: CellType
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

    def require(self, families: set[CellType], step: str, needed: str) -> None:
        """Refuse a step that does not fit what the column holds."""
        if self.family not in families:
            raise SchemaError(
                [f"recode: column {self.name!r} holds {self.family}; {step!r} needs {needed}."]
            )

    @cached_property
    def order(self) -> Any:
        """Return what decides which cell is larger: the values, or the ranks of ordered levels."""
        if self.family is CellType.ORDERED:
            return pc.index_in(self.array, value_set=self.levels)
        return self.array

    def place(self, text: str) -> Any:
        """Return the place in the `order` of the value that a text means."""
        value = self.read(text)
        if self.family is not CellType.ORDERED:
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


@dataclass(frozen=True)
class Step(ABC):
    """A rule by which each value of a column becomes another one, or missing.

    `covers` tells that every value must have a place; one that has none is refused. `rare` is a
    number of rows where the rule depends on how often values occur.
    """

    covers: ClassVar[bool] = False

    @property
    def rare(self) -> int | None:
        """Levels of fewer rows are meant, if the step is about rare ones."""
        return None

    @property
    @abstractmethod
    def words(self) -> str:
        """Say what the column was, such as «top-coded at 80»; no value of a person is named."""

    @abstractmethod
    def change(self, cells: Cells) -> Any:
        """The cells as an Arrow array of the same type."""

    def settle(self, rare: Any) -> Step:  # noqa: ARG002
        """The step for a table in which the values `rare` are those that are meant."""
        return self


@dataclass(frozen=True)
class NamingStep(Step):
    """A rule for values that it names; the curator is told of those that occur in no row."""

    @abstractmethod
    def named(self, cells: Cells) -> Any:
        """The values that the step names and that should occur, as an array."""


@dataclass(frozen=True)
class RareStep(Step):
    """A rule for levels of fewer rows than `least`; `levels` are those of the table at hand."""

    least: int
    levels: Any = field(default=None, compare=False, repr=False, kw_only=True)

    @property
    def rare(self) -> int:
        return self.least

    def settle(self, rare: Any) -> Self:
        return replace(self, levels=rare)


NEEDED = "numbers, dates or ordered categories"


@dataclass(frozen=True)
class Bound(Step):
    """Values beyond a bound become the bound; `side` is top or bottom."""

    side: str
    bound: str

    @property
    def words(self) -> str:
        beyond = "above" if self.side == "top" else "below"
        return f"{self.side}-coded at {self.bound} (what lay {beyond} became {self.bound})"

    def change(self, cells: Cells) -> Any:
        cells.require(WITH_ORDER, self.side, NEEDED)
        compare = pc.greater if self.side == "top" else pc.less
        beyond = compare(cells.order, cells.place(self.bound))
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
        bounds = pa.nulls(len(cells.array), cells.array.type)
        for place, bound in zip(places, self.bounds, strict=True):
            reached = pc.greater_equal(cells.order, place)
            bounds = pc.if_else(reached.fill_null(fill_value=False), cells.read(bound), bounds)
        return pc.if_else(pc.is_null(cells.array), pa.scalar(None, cells.array.type), bounds)


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
        cells.require(WITH_ORDER, "suppress", NEEDED)
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
        if cells.family is CellType.FLOAT:
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


NAMEABLE = "text, categories or numbers"
WITH_WORDS = WITH_LEVELS - {CellType.BOOLEAN}


@dataclass(frozen=True)
class GroupValues(NamingStep):
    """The values of each group become one; `groups` has the new value and the old ones of each."""

    groups: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def words(self) -> str:
        members = sum(len(old) for _, old in self.groups)
        return f"grouped: {count(members, 'named value')} became {len(self.groups)}"

    def change(self, cells: Cells) -> Any:
        cells.require(WITH_WORDS, "group", NAMEABLE)
        old, new = self.named(cells), self._read_new(cells)
        places = pc.index_in(cells.array, value_set=old)
        return pc.coalesce(new.take(places), cells.array)

    def named(self, cells: Cells) -> Any:
        return cells.read_all(tuple(value for _, values in self.groups for value in values))

    def _read_new(self, cells: Cells) -> Any:
        """The new value of each of the old ones; ordered levels keep their names and order."""
        new = cells.read_all(tuple(name for name, values in self.groups for _ in values))
        _require_known_order(new, cells)
        return new


@dataclass(frozen=True)
class GroupRare(RareStep):
    """Levels of fewer rows than `least` become one."""

    name: str

    @property
    def words(self) -> str:
        return f"grouped: levels of fewer than {self.least} rows became one"

    def change(self, cells: Cells) -> Any:
        cells.require(WITH_WORDS, "group rare", NAMEABLE)
        new = cells.read(self.name)
        _require_known_order(pa.array([new.as_py()], cells.array.type), cells)
        return pc.if_else(pc.is_in(cells.array, value_set=self.levels), new, cells.array)


def _require_known_order(new: Any, cells: Cells) -> None:
    """Refuse a name whose place among ordered levels nobody knows."""
    if (
        cells.family is CellType.ORDERED
        and not pc.all(pc.is_in(new, value_set=cells.levels)).as_py()
    ):
        problem = (
            f"recode: column {cells.name!r} holds ordered categories; a group takes the name "
            "of one of its levels, so that the order stays known."
        )
        raise SchemaError([problem])
