"""Rests of columns that nearly follow from others: masked in their place, and added again.

`total = a + b + rest` has a method see the rest in place of the total. The rest moves like a value
of the total, and the released total is what follows from the released `a` and `b` and this rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import pyarrow as pa

from swapmeet.tables.arrow import choose_cells
from swapmeet.tables.derivations import Derivation
from swapmeet.tables.derived_columns import FittedDerivation, TableFacts, fit_derivations
from swapmeet.tables.expressions.numbers import Numbers, choose_numbers
from swapmeet.tables.missing_codes import flag_codes
from swapmeet.tables.schema import Kind, Schema
from swapmeet.tables.statistics import ColumnStatistics, PartialStatistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from swapmeet.base.arrays import Floats, Rows
    from swapmeet.tables.frame import Table
    from swapmeet.tables.microdata import Microdata


class RestColumn(NamedTuple):
    """Rest of a column `of` in both tables, and in one of other people if there is one."""

    of: str
    parents: tuple[str, ...]
    original: Floats
    released: Floats
    control: Floats | None = None

    @property
    def added_up(self) -> str:
        """The name of the column itself, where its own stands for the rest."""
        return f"{self.of} (added up)"


def find_rest_columns(
    texts: Iterable[str], schema: Schema, tables: Sequence[Table], order: Rows | None
) -> tuple[RestColumn, ...]:
    """Find the rests in the original, the release, whose rows are put in order, and a control."""
    derivations = [Derivation(text) for text in dict.fromkeys(texts)]
    there = {name for name in schema.names if all(name in table.names for table in tables)}
    nearly = tuple(one for one in derivations if {one.name, *one.parents} <= there)
    if not nearly:
        return ()
    seen = [OpenColumns(table, schema) for table in tables]
    rests = Rests(schema, fit_derivations(nearly, TableFacts.of(nearly, seen[0])))
    by_table = [rests.find(one) for one in seen]
    columns = []
    for one in nearly:
        values = [rest[one.name].numbers.doubles() for rest in by_table]
        values[1] = values[1] if order is None else values[1][order]
        columns.append(RestColumn(one.name, one.parents, *values))
    return tuple(columns)


@dataclass(frozen=True, repr=False, eq=False)
class Rest:
    """Rest of a column by row, and the column itself.

    Without all that it follows from, nothing is known to be left.
    """

    numbers: Numbers
    whole: Numbers

    def __repr__(self) -> str:
        return f"<Rest of {len(self.numbers.digits)} rows>"

    def move(self, donors: Rows, made: Floats | None = None, decimals: int | None = None) -> Rest:
        """Of each row that of its donor, or what was made; without either, all is missing."""
        moved = Rest(_take(self.numbers, donors), _take(self.whole, donors))
        if made is None:
            return moved
        fresh = Numbers.of_doubles_as_they_are(made, np.isnan(made))
        fresh = fresh if decimals is None else fresh.round_to(decimals)
        cells = (donors < 0) & ~fresh.missing
        return Rest(
            choose_numbers(cells, fresh, moved.numbers), choose_numbers(cells, fresh, moved.whole)
        )

    def add_to(self, expected: Numbers, *, signed: bool) -> Numbers:
        """The column with what is expected of it by others and this rest.

        It is missing only where it was missing itself. A row whose donor has no rest gets what is
        expected, and one of which nothing is expected the donor's own value. Where the original has
        nothing below zero, a rest that would lead there is left out.
        """
        nothing = Numbers(np.zeros_like(self.numbers.digits), self.numbers.scale,
                          np.zeros_like(self.numbers.missing))  # fmt: skip
        total = expected.add(choose_numbers(self.numbers.missing, nothing, self.numbers))
        if not signed:
            below = (total.digits < 0) & (expected.digits >= 0)
            total = choose_numbers(below.astype(bool), expected, total)
        total = choose_numbers(expected.missing, self.whole, total)
        return Numbers(total.digits, total.scale, total.missing | self.whole.missing)


@dataclass(frozen=True, repr=False, eq=False)
class RestLedger:
    """The rests of a table, by column, and those of its release as they are so far."""

    origin: Mapping[str, Rest] = field(default_factory=dict)
    released: Mapping[str, Rest] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<RestLedger of {', '.join(self.origin)}>"

    def choose(self, name: str, donors: Rows | None, rows: Rows) -> Rest | None:
        """The rest of a column in some released rows: of these donors, or the one they have."""
        if name not in self.origin:
            return None
        if donors is not None:
            return self.origin[name].move(donors)
        return self.released[name].move(rows)


@dataclass(frozen=True, repr=False, eq=False)
class Rests:
    """The columns of a schema of which a rest is masked; `statistics` are those of whole tables."""

    schema: Schema
    derivations: tuple[FittedDerivation, ...] = ()
    statistics: Mapping[str, ColumnStatistics] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Rests of {', '.join(self.names)}>"

    def __bool__(self) -> bool:
        return bool(self.derivations)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that nearly follow from others."""
        return tuple(one.name for one in self.derivations)

    @property
    def parents(self) -> tuple[str, ...]:
        """Return what they follow from."""
        return tuple(dict.fromkeys(n for one in self.derivations for n in one.derivation.parents))

    def find(self, table: OpenColumns) -> dict[str, Rest]:
        """Find the rest of each column in a table."""
        return {one.name: one.find_rest(table) for one in self.derivations}

    def gather(self, table: OpenColumns) -> dict[str, PartialStatistics]:
        """Gather what there is to see of the rests in a piece of a table."""
        return {
            name: PartialStatistics.of(rest.numbers.doubles(), Kind.NUMERIC)
            for name, rest in self.find(table).items()
        }

    def with_statistics(self, pieces: Iterable[Mapping[str, PartialStatistics]]) -> Self:
        """The same with what was seen of a whole table, piece by piece."""
        pieces = list(pieces)
        statistics = {name: reduce(add, (one[name] for one in pieces)).statistics()
                 for name in self.names} if pieces else {}  # fmt: skip
        return replace(self, statistics=statistics)

    def put_into(
        self, data: Microdata, table: Table, levels: Mapping[str, Any] | None = None,
        *, in_part: bool = False,
    ) -> Microdata:  # fmt: skip
        """Put rests in place of their columns for a method; rows may be a part of a table's."""
        if not self.derivations:
            return data
        rests = self.find(OpenColumns(table, self.schema, levels or {}))
        variables = tuple(
            replace(
                v, kind=Kind.NUMERIC, values=rests[v.name].numbers.doubles(), seconds=None,
                whole=self.statistics[v.name] if in_part else None,
            )
            if v.name in rests
            else v
            for v in data.variables
        )  # fmt: skip
        return replace(data, variables=variables)


def _take(numbers: Numbers, rows: Rows) -> Numbers:
    """The numbers of these rows; a negative row has none."""
    digits = numbers.digits[np.maximum(rows, 0)]
    missing = numbers.missing[np.maximum(rows, 0)] | (rows < 0)
    return Numbers(np.where(missing, np.zeros_like(digits), digits), numbers.scale, missing)


@dataclass(repr=False, eq=False)
class OpenColumns:
    """A table whose categories may be packed as numbers of `levels`."""

    table: Table
    schema: Schema
    levels: Mapping[str, Any] = field(default_factory=dict)
    _held: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<OpenColumns of {len(self.table)} rows>"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return self.table.names

    def family(self, name: str) -> str:
        """Return the sort of values that the column holds."""
        return "categories" if name in self.levels else self.table.family(name)

    def plain(self, name: str) -> Any:
        """The column as one Arrow array, codes for missing values as missing."""
        if name not in self._held:
            self._held[name] = self._blank(name, self._unpack(name))
        return self._held[name]

    def _unpack(self, name: str) -> Any:
        cells = self.table.plain(name)
        if name not in self.levels or pa.types.is_dictionary(cells.type):
            return cells
        return self.levels[name].take(cells)

    def _blank(self, name: str, cells: Any) -> Any:
        codes = self.schema[name].missing if name in self.schema.names else ()
        if not codes:
            return cells
        flags = pa.array(flag_codes(cells, codes))
        return choose_cells(flags, pa.scalar(None, cells.type), cells)
