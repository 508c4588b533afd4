"""Owners of released cells: known to the curator, sought by an intruder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from swapmeet.release.donors import MADE, DonorMap

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from swapmeet.base.arrays import Rows
    from swapmeet.release.protection import Protection

ELSEWHERE = -3
"""In place of a person: somebody who is not among the rows at hand."""


@dataclass(frozen=True, repr=False, eq=False)
class Provenance:
    """The origin of the cells of released rows.

    `place[r]` is the person in whose place row r stands, negative where rows are nobody's.
    `donors[r, j]` is the person whose value stands in column j of row r; -1 is suppressed, -2 made,
    -3 somebody who is not at hand. `method` is the masking method, None where it is not known.
    `protection` tells for whom protection was raised after that, by methods that are known here.
    """

    columns: tuple[str, ...]
    donors: Rows
    place: Rows
    method: Any = None
    protection: Protection | None = None

    certain: ClassVar[bool] = False
    """Whether it was made together with the rows at hand, so that there is nothing to check."""

    def __repr__(self) -> str:
        return f"<Provenance of {len(self.place)} rows and {len(self.columns)} columns>"

    @classmethod
    def of(
        cls,
        donors: DonorMap,
        columns: tuple[str, ...],
        method: Any,
        *,
        owned: bool,
        derived: Collection[str | None] = (),
        protection: Protection | None = None,
    ) -> Provenance:
        """From a donor map of all published columns, rows in the order of their people.

        What is `derived` from released values comes from nobody by itself, and is not in it.
        """
        if derived:
            kept = [name not in derived for name in columns]
            donors = DonorMap(donors.matrix[:, kept], donors.givers)
            columns = tuple(name for name in columns if name not in derived)
        if not owned:
            return cls(columns, donors.matrix, np.full(len(donors.matrix), -1), method)
        if protection is not None:
            rows = protection.row_of_person
            return cls(columns, donors.matrix[rows], rows, method, protection)
        rows = donors.rows_of_people()
        return cls(columns, donors.matrix[rows], rows, method)

    @classmethod
    def claim(cls, n: int = 0) -> Provenance:
        """Of rows that are said to stand in the order of their people; nothing else is known.

        Where rows are elsewhere, `n` is 0, and the claim is made of each sample of them.
        """
        return cls((), np.empty((n, 0), np.int64), np.arange(n))

    def sample(self, rows: Rows) -> Provenance:
        """Of these rows only, whose people are numbered anew; everybody else is elsewhere."""
        if not self.columns:
            return Provenance.claim(len(rows))
        if np.array_equal(rows, np.arange(len(self.place))):
            return self
        return self.take(rows, rows)

    def take(self, people: Rows, rows: Rows) -> Provenance:
        """Of these rows only, for whom there are only these people."""
        numbers = np.full(len(self.place), ELSEWHERE)
        numbers[people] = np.arange(len(people))
        donors, place = self.donors[rows], self.place[rows]
        return replace(
            self, donors=_renumber(donors, numbers), place=_renumber(place, numbers),
            protection=None,
        )  # fmt: skip

    @property
    def owned(self) -> bool:
        """Return whether any row stands in somebody's place."""
        return bool((self.place >= 0).any())

    @property
    def made(self) -> tuple[str, ...]:
        """The columns that hold made values."""
        some = (self.donors == MADE).any(axis=0)
        return tuple(name for name, made in zip(self.columns, some, strict=True) if made)

    def list_blocks(self, names: Iterable[str]) -> list[tuple[str, ...]]:
        """Of these columns, those that stayed in place, and sets of columns that moved as one."""
        own = self.place if self.owned else np.arange(len(self.place))
        still = _digest(own)
        alike: dict[bytes, list[str]] = {}
        for name in names:
            if name in self.columns:
                digest = _digest(self.donors[:, self.columns.index(name)])
                alike.setdefault(digest, []).append(name)
        return [tuple(some) for digest, some in alike.items() if len(some) > 1 or digest == still]

    def find_rows_of(self, people: Rows) -> tuple[Rows, Rows]:
        """The rows that some people own, stand in the place of, or gave a cell to.

        Pairs of a person, by their number among `people`, and a row; some may come twice.
        """
        n = len(self.place)
        numbers = np.full(n + 1, -1)
        numbers[people] = np.arange(len(people))
        owned = np.where(self.place < 0, -1, np.arange(n))
        who, rows = [], []
        for holders in (owned, self.place, *self.donors.T):
            indices = numbers[np.where(holders < 0, n, holders)]
            rows.append(np.flatnonzero(indices >= 0))
            who.append(indices[rows[-1]])
        return np.concatenate(who), np.concatenate(rows)

    def find_givers(self, columns: Iterable[str]) -> Rows:
        """For each row, who gave more than half of its cells in these columns; else -1."""
        chosen = [self.columns.index(name) for name in columns if name in self.columns]
        if not chosen:
            return np.full(len(self.place), -1)
        cells = np.sort(self.donors[:, chosen], axis=1)
        middle = cells[:, len(chosen) // 2]
        most = 2 * (cells == middle[:, np.newaxis]).sum(axis=1) > len(chosen)
        return np.where(most & (middle >= 0), middle, -1)


def _digest(donors: Rows) -> bytes:
    return blake2b(np.ascontiguousarray(donors, np.int64).tobytes()).digest()


def _renumber(people: Rows, numbers: Rows) -> Rows:
    return np.where(people < 0, people, numbers[np.maximum(people, 0)])
