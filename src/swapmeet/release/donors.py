"""The donor map: which row each cell of the release takes its value from."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Flags, Ints
from swapmeet.errors import UsageError

SUPPRESSED = -1
"""In place of a donor: the value is missing from the release."""
MADE = -2
"""In place of a donor: the value was made, not moved."""


def to_table_rows(donors: Ints, rows: Ints) -> Ints:
    """Donors in a block as rows of the table, whose numbers `rows` has; marks stay what they are.

    >>> to_table_rows(np.array([1, SUPPRESSED, 0]), np.array([70, 71, 75])).tolist()
    [71, -1, 70]
    """
    return np.where(donors < 0, donors, rows[np.maximum(donors, 0)])


@dataclass(frozen=True, repr=False, eq=False)
class DonorMap:
    """Cell (i, j) of the release holds what row `matrix[i, j]` had in column j.

    -1 stands for a suppressed value, -2 for one that was made (by microaggregation or noise).
    `givers` is the number of rows that may give, where it is not that of the release.

    >>> swap = DonorMap(np.array([[1, 0], [0, 1]]))
    >>> swap.moved.tolist()
    [[True, False], [True, False]]
    >>> (swap.then(swap).matrix == DonorMap.identity(2, 2).matrix).all()
    np.True_
    """

    matrix: Ints
    givers: int | None = None

    def __post_init__(self) -> None:
        n = len(self.matrix) if self.givers is None else self.givers
        if self.matrix.ndim != 2 or self.matrix.dtype.kind != "i":
            raise UsageError("DonorMap: `matrix` must be a matrix of integers.")
        if self.matrix.size and (self.matrix.min() < MADE or self.matrix.max() >= n):
            raise UsageError(f"DonorMap: donors must be row numbers below {n}, -1 or -2.")

    def __repr__(self) -> str:
        n, p = self.matrix.shape
        return f"<DonorMap of {n} rows and {p} columns>"

    @classmethod
    def identity(cls, n: int, p: int) -> Self:
        """Every cell stays with its row."""
        return cls(np.repeat(np.arange(n)[:, np.newaxis], p, axis=1))

    def then(self, later: DonorMap) -> DonorMap:
        """The map of applying this one, then `later` to its result."""
        if self.matrix.shape != later.matrix.shape:
            raise UsageError(
                f"DonorMap.then: shapes must agree; got {self.matrix.shape} and "
                f"{later.matrix.shape}."
            )
        through = np.take_along_axis(self.matrix, np.maximum(later.matrix, 0), axis=0)
        return DonorMap(np.where(later.matrix < 0, later.matrix, through))

    @property
    def moved(self) -> Flags:
        """Cells whose donor is another row; a suppressed or made cell has not moved."""
        own = np.arange(len(self.matrix))[:, np.newaxis]
        return (self.matrix != own) & (self.matrix >= 0)

    @property
    def suppressed(self) -> Flags:
        """Cells that are missing from the release."""
        return self.matrix == SUPPRESSED

    @property
    def made(self) -> Flags:
        """Cells whose value was made."""
        return self.matrix == MADE

    @property
    def in_place(self) -> Flags:
        """For each column, whether every value stays with its row."""
        own = np.arange(len(self.matrix))
        return np.array([np.array_equal(donors, own) for donors in self.matrix.T], bool)

    def holders(self) -> Ints:
        """The row that gave each row the values that moved as one, if most columns did; else -1.

        Columns move as one when they have the same donor in every row, as a method that moves whole
        records has it. That a neighbour gives several values of a row by chance is no such thing.

        >>> DonorMap(np.array([[1, 1, 0], [0, 0, 1], [2, 2, 2]])).holders().tolist()
        [1, 0, 2]
        >>> DonorMap(np.array([[1, 2, 0], [0, 0, 1], [2, 2, 2]])).holders().tolist()
        [-1, -1, -1]
        """
        n, p = self.matrix.shape
        alike: dict[bytes, list[int]] = {}
        for column, donors in enumerate(self.matrix.T):
            alike.setdefault(blake2b(donors.tobytes()).digest(), []).append(column)
        block = max(alike.values(), key=len, default=[])
        if len(block) < 2 or 2 * len(block) <= p:
            return np.full(n, -1)
        return np.maximum(self.matrix[:, block[0]], -1)

    def rows_of_people(self) -> Ints:
        """For each person, the released row that counts as theirs; each row is somebody's.

        It is one that holds their record, moved as one, wherever it stands, or else the row in
        their place. A method that moves whole records moves people with them.

        >>> DonorMap(np.array([[1, 1, 0], [0, 0, 1], [2, 2, 2]])).rows_of_people().tolist()
        [1, 0, 2]
        """
        n = len(self.matrix)
        holder, own = self.holders(), np.arange(n)
        rows = np.full(n, -1)
        held = own[holder >= 0]
        rows[holder[held[::-1]]] = held[::-1]
        stayed = own[holder == own]
        rows[stayed] = stayed
        free = np.ones(n, bool)
        free[rows[rows >= 0]] = False
        still = own[(rows < 0) & free]
        rows[still], free[still] = still, False
        rows[rows < 0] = own[free]
        return rows

    def is_permutation(self) -> Flags:
        """For each column, whether every row donates exactly once."""
        own = np.arange(len(self.matrix))[:, np.newaxis]
        flags: npt.NDArray[Any] = (np.sort(self.matrix, axis=0) == own).all(axis=0)
        return flags
