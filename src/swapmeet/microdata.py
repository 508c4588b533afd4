"""What methods and measures see of a table: arrays, with names and kinds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from swapmeet.schema import Kind, Role, Schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.frame import Table


@dataclass(frozen=True, repr=False)
class Variable:
    """A column as an array.

    Numeric and ordinal: doubles, NaN is missing. Nominal: codes from 0 to `levels` - 1, -1 is
    missing.
    """

    name: str
    kind: Kind
    values: npt.NDArray[Any]
    levels: int = 0

    def __repr__(self) -> str:
        return f"<Variable {self.name!r}, {self.kind}>"

    def differs(self, donors: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
        """Rows whose value is another one after taking that of `donors`; -1 always differs."""
        given = self.values[np.maximum(donors, 0)]
        same = given == self.values
        if self.kind is not Kind.NOMINAL:
            same |= np.isnan(given) & np.isnan(self.values)
        differs: npt.NDArray[np.bool_] = (donors < 0) | ~same
        return differs


@dataclass(frozen=True, repr=False)
class Microdata:
    """The masked columns of a table, and the stratum of each row."""

    variables: tuple[Variable, ...]
    strata: npt.NDArray[np.int32]

    def __repr__(self) -> str:
        return f"<Microdata of {self.n} rows and {len(self.variables)} columns>"

    @classmethod
    def of(cls, table: Table, schema: Schema) -> Microdata:
        """The columns that `schema` has masked."""
        variables = tuple(_variable(table, name, schema[name].kind) for name in schema.masked)
        return cls(variables, _strata(table, schema.having(Role.STRATA)))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.strata)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(variable.name for variable in self.variables)

    def __getitem__(self, name: str) -> Variable:
        return self.variables[self.names.index(name)]

    def select(self, names: Iterable[str]) -> Microdata:
        """Only the named columns."""
        return replace(self, variables=tuple(self[name] for name in names))


def _variable(table: Table, name: str, kind: Kind) -> Variable:
    if kind is Kind.NOMINAL:
        found = table.codes(name)
        return Variable(name, kind, found.codes, found.levels)
    return Variable(name, kind, table.numbers(name))


def _strata(table: Table, names: tuple[str, ...]) -> npt.NDArray[np.int32]:
    """One code per combination of the strata columns that occurs; a missing value is a value."""
    combined = np.zeros(len(table), np.int64)
    for name in names:
        found = table.codes(name)
        combined = combined * (found.levels + 1) + found.codes + 1
        combined = np.unique(combined, return_inverse=True)[1]
    return combined.astype(np.int32)
