"""Units: rows that belong together, such as the members of a household."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.base.arrays import Flags, Ints


@dataclass(frozen=True, repr=False, eq=False)
class Units:
    """The unit of each row, numbered from 0 up without gaps.

    Members of a unit are in the order of the table, or of `rank` where that is given.

    >>> units = Units(np.array([1, 0, 1, 1]))
    >>> units.count, units.sizes.tolist(), units.first.tolist(), units.member.tolist()
    (2, [1, 3], [1, 0], [0, 0, 1, 2])
    """

    of_row: Ints
    rank: npt.NDArray[Any] | None = None

    def __repr__(self) -> str:
        return f"<Units: {self.count} of {len(self.of_row)} rows>"

    @cached_property
    def sizes(self) -> Ints:
        """The number of rows of each unit."""
        return np.bincount(self.of_row)

    @property
    def count(self) -> int:
        """The number of units."""
        return len(self.sizes)

    @cached_property
    def order(self) -> Ints:
        """The rows, unit by unit."""
        if self.rank is None:
            return np.argsort(self.of_row, kind="stable")
        return np.lexsort((self.rank, self.of_row))

    @cached_property
    def starts(self) -> Ints:
        """The first place of each unit in `order`."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def first(self) -> Ints:
        """The first row of each unit."""
        return self.order[self.starts]

    @cached_property
    def member(self) -> Ints:
        """The place of each row among the members of its unit, from 0 up."""
        places = np.empty(len(self.of_row), np.int64)
        places[self.order] = np.arange(len(self.of_row)) - np.repeat(self.starts, self.sizes)
        return places

    def is_constant(self, values: npt.NDArray[Any]) -> bool:
        """Return whether all rows of each unit have the same value; a missing value is a value.

        >>> Units(np.array([0, 1, 0])).is_constant(np.array([np.nan, 2.0, np.nan]))
        True
        """
        return not self.differ(values).any()

    def differ(self, values: npt.NDArray[Any]) -> Flags:
        """The rows whose value is not that of the first row of their unit."""
        theirs = values[self.first[self.of_row]]
        return (values != theirs) & ((values == values) | (theirs == theirs))

    def count_mixed(self, values: npt.NDArray[Any]) -> int:
        """Count the units that have more than one value."""
        return len(np.unique(self.of_row[self.differ(values)]))

    def spread(self, donors: Ints) -> Ints:
        """Units that give to units, as rows that give to rows; marks stay what they are.

        Members take from the member in the same place, and begin again where the giver has fewer.
        Whoever keeps their own keep it row by row.

        >>> Units(np.array([0, 0, 0, 1, 1])).spread(np.array([1, 0])).tolist()
        [3, 4, 3, 0, 1]
        """
        givers = donors[self.of_row]
        there = np.maximum(givers, 0)
        rows = self.order[self.starts[there] + self.member % self.sizes[there]]
        return np.where(givers < 0, givers, rows)

    def list_rows(self, units: Ints) -> Ints:
        """All rows of some units, in the order of the table."""
        chosen = np.zeros(self.count, bool)
        chosen[units] = True
        return np.flatnonzero(chosen[self.of_row])
