"""Protocol of a likelihood."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from swapmeet.intruders.evidence.sums import log_sum

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.comparison.codes import SharedCodes

DOUBT = 1e-3
"""The chance an intruder leaves for having a cell wrong; then it holds any released value."""
SOME = 64
TIED = 1e-9
"""Scores that differ by less, or by less than this share of the best, are tied."""


MOST_LIKELY = 5_000
"""Of whom a row is likely, no more are listed."""


class LikelyPeople(NamedTuple):
    """People of whom a row is likely, and its log-likelihood for everybody else."""

    people: Ints
    others: float


@dataclass(frozen=True, repr=False, eq=False)
class Likelihood(ABC):
    """The log-likelihood that released rows stand in the place of people, by some columns.

    A doubt keeps it finite: with this probability a cell is taken for any value of the release, so
    that one cell that the intruder gets wrong does not rule a row out.
    """

    columns: tuple[str, ...]

    for_few: ClassVar[bool] = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self.columns)}>"

    @property
    def traded(self) -> SharedCodes | None:
        """Values that traded places two by two; None if they did not."""
        return None

    @abstractmethod
    def of_people(self, people: Ints) -> Floats:
        """For each of these people, one line with every released row."""

    def of_anybody(self, n: int) -> Floats:
        """For every released row, about how likely it is to stand in the place of anybody."""
        some = np.linspace(0, n - 1, min(n, SOME)).astype(np.int64)
        return log_sum(self.of_people(some), axis=0) - np.log(len(some))

    @abstractmethod
    def of_rows(self, rows: Ints) -> Floats:
        """For each of these released rows, one line with everybody."""

    def find_likely(self, row: int) -> LikelyPeople | None:  # noqa: ARG002
        """Find the people of whom a released row is likelier than usual; None if they are many."""
        return None

    def of_few(self, row: int, people: Ints) -> Floats:
        """For one released row and some people; `for_few` tells that nobody else is looked at."""
        return np.take(self.of_rows(np.array([row]))[0], people)


def mix_in_doubt(shares: Floats | float, chances: Floats | float, doubt: float) -> Floats:
    """The logarithm of shares of which a part gives way to the chances of any value.

    It is minus infinity only for values that no released row has.
    """
    with np.errstate(divide="ignore"):
        return np.log((1.0 - doubt) * np.asarray(shares) + doubt * np.asarray(chances))
