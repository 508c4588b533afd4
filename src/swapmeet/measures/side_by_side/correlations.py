"""The correlations of two columns, before and after."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.comparison.score import Undefined
from swapmeet.measures.side_by_side.bins import LEAST, PUBLIC_DIGITS
from swapmeet.measures.utility.pearson import correlations_of

if TYPE_CHECKING:
    from swapmeet.base.arrays import Flags, Floats
    from swapmeet.comparison.comparison import Comparison

Matrix = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class Correlations:
    """Correlation matrices of the columns with numbers, as the measure `correlations` has them.

    A correlation is over the rows in which both columns have a value, and None where these are
    fewer than `least`. Columns that are constant in the original are left out.
    """

    columns: tuple[str, ...]
    original: Matrix
    released: Matrix
    least: int = LEAST

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)

    def coarse(self) -> Correlations:
        """For the public: to two digits."""
        both = (_rounded(self.original), _rounded(self.released))
        return Correlations(self.columns, *both, self.least)


def _rounded(matrix: Matrix) -> Matrix:
    return tuple(
        tuple(None if value is None else round(value, PUBLIC_DIGITS) for value in row)
        for row in matrix
    )


def compare_correlations(comparison: Comparison, *, least: int = LEAST) -> Correlations | None:
    """The correlations of both tables; None where there are no two columns to correlate."""
    try:
        matrices = comparison.once(correlations_of)
    except Undefined:
        return None
    if len(matrices.numbers.names) < 2:
        return None
    few = matrices.rows < least
    original, released = (_told(matrix, few) for matrix in (matrices.original, matrices.released))
    return Correlations(matrices.numbers.names, original, released, least)


def _told(matrix: Floats, few: Flags) -> Matrix:
    """The matrix without correlations of few rows."""
    untold = few | np.isnan(matrix)
    return tuple(
        tuple(None if hidden else float(value) for value, hidden in zip(*row, strict=True))
        for row in zip(matrix, untold, strict=True)
    )
