"""Tables as methods and measures see them: arrays, with names and kinds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from swapmeet.base.sentences import count
from swapmeet.errors import SchemaError, did_you_mean
from swapmeet.tables.arrow import seconds_of
from swapmeet.tables.column import ColumnNames
from swapmeet.tables.frame import Table, shared_codes, shared_numbers
from swapmeet.tables.missing_codes import blank_values, flag_codes
from swapmeet.tables.schema import Column, Kind, Role, Schema
from swapmeet.tables.statistics import ColumnStatistics, Levels
from swapmeet.tables.ties import find_sets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from swapmeet.base.arrays import Flags, Floats, Ints, ShortInts
    from swapmeet.base.cache import Cache


LARGEST = 1e150


@dataclass(frozen=True, repr=False)
class Variable:
    """A column as an array.

    Numeric and ordinal: doubles, NaN is missing. Nominal: codes from 0 to `levels` - 1, -1 is
    missing. Where these are some rows of a table only, `whole` has the facts of all of them.
    `seconds` is the unit of moments, which count from 1970, and `dictionary` the Arrow array of the
    values of levels, where they are at hand.
    """

    name: str
    kind: Kind
    values: npt.NDArray[Any]
    levels: int = 0
    role: Role = Role.KEY
    whole: ColumnStatistics | None = field(default=None, compare=False)
    seconds: float | None = field(default=None, compare=False)
    dictionary: Any = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"<Variable {self.name!r}, {self.kind}>"

    @cached_property
    def statistics(self) -> ColumnStatistics:
        """The facts of the whole column, which these values are unless it was told otherwise."""
        return ColumnStatistics.of(self.values, self.kind) if self.whole is None else self.whole

    @property
    def missing(self) -> Flags:
        """Rows whose value is missing."""
        return self.values < 0 if self.kind is Kind.NOMINAL else np.isnan(self.values)

    @property
    def beyond(self) -> int:
        """Count the numbers that are infinite, or so large that their squares overflow."""
        if self.kind is Kind.NOMINAL:
            return 0
        return int(np.count_nonzero(np.abs(self.values) > LARGEST))

    @property
    def known(self) -> Levels:
        """The levels of an ordinal or nominal column: of the whole, or if too many, those here."""
        return self.statistics.levels or Levels.of(self.values, self.kind)

    def labels(self) -> npt.NDArray[Any]:
        """The values themselves, level by level where it is nominal; None, or NaN, is missing."""
        if self.kind is not Kind.NOMINAL or self.dictionary is None:
            return self.values
        levels = np.array(self.dictionary.to_pylist() or [None])
        gaps = self.missing
        if not gaps.any():
            return np.asarray(levels[self.values])
        labels = levels.astype(object)[np.maximum(self.values, 0)]
        labels[gaps] = None
        return labels

    def ranks(self) -> Floats:
        """The rank of each ordered value among the known levels, from 0 up; NaN where missing."""
        ranks = np.searchsorted(self.known.values, self.values).astype(np.float64)
        ranks[self.missing] = np.nan
        return ranks


@dataclass(frozen=True, repr=False)
class Microdata:
    """The masked columns of a table, and the stratum of each row.

    `household` and `person` number the units that rows belong to, where the table has such columns;
    persons of different households are different ones. `position` numbers the positions in the
    household, and `whole` tells that households trade as wholes. `context` are columns that are
    not masked, and that the method asked to see. `together` are sets of columns that move as one:
    one donor gives all of a set.

    `cache` holds what runs on exactly these rows and columns need again and again. `reach` is
    there if these rows are a cell in space, for each row that is to be masked: the squared distance
    within which no row of the table is missing here. The rows behind them are guests: only donors.
    """

    variables: tuple[Variable, ...]
    strata: ShortInts
    cache: Cache | None = field(default=None, compare=False)
    reach: Floats | None = field(default=None, compare=False)
    household: Ints | None = field(default=None, compare=False)
    person: Ints | None = field(default=None, compare=False)
    position: Ints | None = field(default=None, compare=False)
    whole: bool = field(default=False, compare=False)
    context: tuple[Variable, ...] = ()
    together: tuple[tuple[str, ...], ...] = ()

    def __repr__(self) -> str:
        return f"<Microdata of {self.n} rows and {len(self.variables)} columns>"

    @classmethod
    def of(cls, table: Table, schema: Schema, context: Iterable[str] = ()) -> Microdata:
        """The columns that `schema` has masked; of the others, the named ones as `context`."""
        masked = schema.masked
        return cls(
            tuple(_variable(table, schema[name]) for name in masked),
            _strata(table, schema.having(Role.STRATA)),
            household=_number_units(table, schema.having(Role.HOUSEHOLD)),
            person=number_persons(table, schema),
            position=_number_units(table, schema.having(Role.POSITION)),
            whole=schema.whole_households,
            context=tuple(_variable(table, schema[name]) for name in context if name not in masked),
            together=find_sets(schema),
        )

    @classmethod
    def of_both(cls, one: Table, other: Table, columns: Iterable[Column]) -> tuple[Self, Self]:
        """The same columns of two tables, without strata; a level has the same code in both."""
        first, second = cls.of_all((one, other), columns)
        return first, second

    @classmethod
    def of_all(
        cls,
        tables: Sequence[Table],
        columns: Iterable[Column],
        household: str | None = None,
        person: str | None = None,
    ) -> list[Self]:
        """The same columns of tables, without strata; a level has the same code in all of them.

        Each table numbers its households and persons by itself, if it has the columns that tell
        them apart.
        """
        by_column = [_variables(tables, column) for column in columns]
        return [
            cls(
                tuple(variables[i] for variables in by_column),
                np.zeros(len(table), np.int32),
                household=_number_units(table, _list_there(table, household)),
                person=_number_units(table, _list_there(table, household, person))
                if person in table.names
                else None,
            )
            for i, table in enumerate(tables)
        ]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.strata)

    @property
    def own(self) -> int:
        """Number of rows that are to be masked; they come first."""
        return self.n if self.reach is None else len(self.reach)

    @cached_property
    def names(self) -> ColumnNames:
        """Names of the columns, in order."""
        return ColumnNames(variable.name for variable in self.variables)

    def __getitem__(self, name: str) -> Variable:
        return self.variables[self.names.index(name)]

    @cached_property
    def weight(self) -> Variable | None:
        """The column of sampling weights, if there is one."""
        return next((v for v in self.variables if v.role is Role.WEIGHT), None)

    def select(self, names: Iterable[str]) -> Microdata:
        """Only the named columns; sets that move as one lose the others."""
        chosen = ColumnNames(names)
        left = [tuple(name for name in one if name in chosen) for one in self.together]
        return replace(
            self,
            variables=tuple(self[name] for name in chosen), cache=None,
            together=tuple(one for one in left if len(one) > 1),
        )  # fmt: skip

    def take(self, rows: Ints) -> Microdata:
        """Only these rows, in this order: a table of its own."""
        variables = tuple(replace(v, values=v.values[rows], whole=None) for v in self.variables)
        return replace(
            self,
            variables=variables, strata=self.strata[rows], cache=None, reach=None,
            **self._take_surroundings(rows),
        )  # fmt: skip

    def _take_surroundings(self, rows: Ints) -> dict[str, Any]:
        """Units and context of these rows; units are numbered anew, without gaps."""
        return {
            "household": None if self.household is None else _renumber(self.household[rows]),
            "person": None if self.person is None else _renumber(self.person[rows]),
            "position": None if self.position is None else self.position[rows],
            "context": tuple(
                replace(v, values=v.values[rows], whole=v.statistics) for v in self.context
            ),
        }

    def block(self, rows: Ints, reach: Floats | None = None) -> Microdata:
        """Only these rows, as a part of this table: the facts of its columns stay what they are.

        Strata are numbered anew, without gaps.
        """
        variables = tuple(
            replace(v, values=v.values[rows], whole=v.statistics) for v in self.variables
        )
        strata = np.unique(self.strata[rows], return_inverse=True)[1].astype(np.int32)
        return replace(
            self,
            variables=variables, strata=strata, cache=None, reach=reach,
            **self._take_surroundings(rows),
        )  # fmt: skip

    def require_names(self, names: Iterable[str], where: str) -> None:
        """Refuse names that are none of these columns; `where` opens the message."""
        unknown = [name for name in names if name not in self.names]
        if unknown:
            raise SchemaError(
                f"{where}: {name!r} is not a masked column{did_you_mean(name, self.names)}"
                for name in unknown
            )

    def require_finite(self, names: Iterable[str] | None = None) -> None:
        """Refuse numbers that are infinite or whose squares overflow: they have no distance."""
        refuse_infinite(
            {name: self[name].beyond for name in (self.names if names is None else names)}
        )

    def parts(self) -> list[Ints]:
        """The rows of each stratum, in order."""
        return split_by_stratum(np.arange(self.n), self.strata)


def refuse_infinite(counts: Mapping[str, int]) -> None:
    """Refuse columns that have values beyond the largest; `counts` has how many."""
    beyond = {name: number for name, number in counts.items() if number}
    if beyond:
        raise SchemaError(
            f"column {name!r} holds {count(beyond[name], 'infinite value')} (or beyond "
            f"{LARGEST:.0e}); finite numbers are needed. Recode them, or give the column the role "
            "keep or drop."
            for name in beyond
        )


def split_by_stratum(rows: Ints, strata: ShortInts) -> list[Ints]:
    """The rows of each stratum, in the given order."""
    ordered = rows[np.argsort(strata[rows], kind="stable")]
    return np.split(ordered, np.cumsum(np.bincount(strata))[:-1])


def _variable(table: Table, column: Column) -> Variable:
    name, kind, role = column.name, column.kind, column.role
    flags = _flag_missing(table, column)
    if kind is Kind.NOMINAL:
        coding = table.codes(name)
        codes = blank_values(coding.codes, flags)
        return Variable(name, kind, codes, coding.levels, role, dictionary=coding.dictionary)
    return Variable(name, kind, blank_values(table.numbers(name), flags), role=role)


def _flag_missing(table: Table, column: Column) -> Flags:
    """Rows whose cell is a code that stands for a missing value."""
    if not column.missing:
        return np.zeros(1, bool)
    return flag_codes(table.cells(column.name), column.missing)


def _variables(tables: Sequence[Table], column: Column) -> list[Variable]:
    name, kind, role = column.name, column.kind, column.role
    flags = [_flag_missing(table, column) for table in tables]
    if kind is Kind.NOMINAL:
        codes = shared_codes(tables, name)
        return [
            Variable(
                name, kind, blank_values(one.codes, gaps), one.levels, role,
                dictionary=one.dictionary,
            )
            for one, gaps in zip(codes, flags, strict=True)
        ]  # fmt: skip
    first, *others = tables
    numbers = [first.numbers(name), *(shared_numbers(first, other, name)[1] for other in others)]
    seconds = seconds_of(first.plain(name))
    return [
        Variable(name, kind, blank_values(values, gaps), 0, role, seconds=seconds)
        for values, gaps in zip(numbers, flags, strict=True)
    ]


def _number_units(table: Table, names: Sequence[str]) -> Ints | None:
    """The number of each row's unit, from 0 up, if a column names units."""
    return _strata(table, names).astype(np.int64) if names else None


def _list_there(table: Table, *names: str | None) -> list[str]:
    """List those of some columns that a table has."""
    return [name for name in names if name is not None and name in table.names]


def number_persons(table: Table, schema: Schema) -> Ints | None:
    """The number of each row's person; the same number in another household is another person."""
    names = schema.having(Role.PERSON)
    return _number_units(table, (*schema.having(Role.HOUSEHOLD), *names)) if names else None


def _renumber(units: Ints) -> Ints:
    return np.unique(units, return_inverse=True)[1].astype(np.int64)


def _strata(table: Table, names: Sequence[str]) -> ShortInts:
    """One code per combination of the strata columns that occurs; a missing value is a value."""
    combined = np.zeros(len(table), np.int64)
    for name in names:
        coding = table.codes(name)
        combined = combined * (coding.levels + 1) + coding.codes + 1
        combined = np.unique(combined, return_inverse=True)[1]
    return combined.astype(np.int32)
