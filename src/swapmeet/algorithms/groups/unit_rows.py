"""Rows that belong to one unit, such as a household, and move with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class UnitRows:
    """The unit of each row, numbered from 0 up without gaps; by default each row is its own."""

    of: Ints

    def __repr__(self) -> str:
        return f"<UnitRows: {self.count} units of {len(self.of)} rows>"

    @classmethod
    def number(cls, units: Ints | None, n: int) -> UnitRows:
        """From the numbers of units, if rows have any."""
        return cls(np.arange(n) if units is None else units)

    @cached_property
    def count(self) -> int:
        """Number of units."""
        return int(self.of.max(initial=-1)) + 1

    @cached_property
    def are_rows(self) -> bool:
        """Whether every row is a unit of its own."""
        return self.count == len(self.of)

    @cached_property
    def sizes(self) -> Ints:
        """Number of rows of each unit."""
        return np.bincount(self.of, minlength=self.count)

    @cached_property
    def first(self) -> Ints:
        """The first row of each unit."""
        first = np.empty(self.count, np.int64)
        first[self.of[::-1]] = np.arange(len(self.of))[::-1]
        return first

    def count_mixed(self, values: npt.NDArray[Any]) -> int:
        """The number of units whose rows differ in a column; missing values are alike."""
        if self.are_rows:
            return 0
        own = values[self.first[self.of]]
        differ = own != values
        if values.dtype.kind == "f":
            differ &= ~(np.isnan(own) & np.isnan(values))
        return len(np.unique(self.of[differ])) if differ.any() else 0

    def spread(self, givers: Ints) -> Ints:
        """The donor of each row, given the unit that gives to each unit.

        The first row of a unit receives from the first of the other, the second from the second;
        where there are more rows, from the first on again.
        """
        if self.are_rows:
            return self.first[givers[self.of]]
        order = self._in_order
        begins = np.cumsum(self.sizes) - self.sizes
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order)) - np.repeat(begins, self.sizes)
        giver = givers[self.of]
        return order[begins[giver] + places % self.sizes[giver]]

    @cached_property
    def _in_order(self) -> Ints:
        """The rows unit by unit."""
        sorted_already = bool((self.of[1:] >= self.of[:-1]).all())
        return np.arange(len(self.of)) if sorted_already else np.argsort(self.of, kind="stable")
