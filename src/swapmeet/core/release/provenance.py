"""Whose cells stand in released rows: what the curator knows and an intruder tries to find out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from swapmeet.core.release.donors import DonorMap

    Rows = npt.NDArray[np.int64]

ELSEWHERE = -3
"""In place of a person: somebody who is not among the rows at hand."""


@dataclass(frozen=True, repr=False, eq=False)
class Provenance:
    """Where the cells of released rows come from.

    `place[r]` is the person in whose place row r stands, negative where rows are nobody's.
    `donors[r, j]` is the person whose value stands in column j of row r; -1 is suppressed, -2 made,
    -3 somebody who is not at hand. `method` is the masking method, None where it is not known.
    """

    columns: tuple[str, ...]
    donors: Rows
    place: Rows
    method: Any = None

    def __repr__(self) -> str:
        return f"<Provenance of {len(self.place)} rows and {len(self.columns)} columns>"

    @classmethod
    def of(
        cls, donors: DonorMap, columns: tuple[str, ...], method: Any, *, owned: bool
    ) -> Provenance:
        """From a donor map of all published columns, rows in the order of their people."""
        if not owned:
            return cls(columns, donors.matrix, np.full(len(donors.matrix), -1), method)
        rows = donors.rows_of_people()
        return cls(columns, donors.matrix[rows], rows, method)

    @classmethod
    def claim(cls, n: int) -> Provenance:
        """Of rows that are said to stand in the order of their people; nothing else is known."""
        return cls((), np.empty((n, 0), np.int64), np.arange(n))

    def sample(self, rows: Rows) -> Provenance:
        """Of these rows only, whose people are numbered anew; everybody else is elsewhere."""
        numbers = np.full(len(self.place), ELSEWHERE)
        numbers[rows] = np.arange(len(rows))
        donors, place = self.donors[rows], self.place[rows]
        return replace(self, donors=_renumber(donors, numbers), place=_renumber(place, numbers))

    def find_givers(self, columns: Iterable[str]) -> Rows:
        """For each row, who gave more than half of its cells in these columns; else -1."""
        chosen = [self.columns.index(name) for name in columns if name in self.columns]
        if not chosen:
            return np.full(len(self.place), -1)
        cells = np.sort(self.donors[:, chosen], axis=1)
        middle = cells[:, len(chosen) // 2]
        most = 2 * (cells == middle[:, np.newaxis]).sum(axis=1) > len(chosen)
        return np.where(most & (middle >= 0), middle, -1)


def _renumber(people: Rows, numbers: Rows) -> Rows:
    return np.where(people < 0, people, numbers[np.maximum(people, 0)])
