"""What a likelihood is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

DOUBT = 1e-3
"""The chance an intruder leaves for having a cell wrong; then it holds any released value."""
TIED = 1e-9
"""Scores that differ by less, or by less than this share of the best, are tied."""


@dataclass(frozen=True, repr=False, eq=False)
class Likelihood(ABC):
    """The log-likelihood that released rows stand in the place of people, by some columns.

    `doubt` keeps it finite: with this probability a cell is taken for any value of the release, so
    that one cell that the intruder gets wrong does not rule a row out.
    """

    columns: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self.columns)}>"

    @abstractmethod
    def of_people(self, people: Ints) -> Floats:
        """For each of these people, one line with every released row."""

    @abstractmethod
    def of_rows(self, rows: Ints) -> Floats:
        """For each of these released rows, one line with everybody."""


def add_weights(
    lines: Ints, codes: npt.NDArray[Any], weights: Floats, shape: tuple[int, int]
) -> Floats:
    """A table of sums of weights, by line and code.

    >>> add_weights(np.array([0, 0, 1]), np.array([1, 1, 0]), np.ones(3), (2, 2)).tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    size = shape[0] * shape[1]
    sums = np.bincount(lines * shape[1] + codes, weights=weights, minlength=size)
    return np.asarray(sums, np.float64).reshape(shape)


def mix_in_doubt(shares: Floats, chances: Floats, doubt: float) -> Floats:
    """The logarithm of `shares`, of which a part gives way to the chances of any value.

    It is minus infinity only for values that no released row has. The array is used up.
    """
    shares *= 1.0 - doubt
    shares += doubt * chances
    with np.errstate(divide="ignore"):
        return np.log(shares, out=shares)
