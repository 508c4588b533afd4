"""What a piece of evidence must be able to do, how pieces add up, and values that tables share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.comparison.values import SharedCodes

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


@dataclass(frozen=True, repr=False, eq=False)
class CodedLikelihood(Likelihood):
    """Likelihood of a row's value by its code; with probability `doubt` it may be any."""

    codes: SharedCodes
    doubt: float = field(default=DOUBT, kw_only=True)

    def of_anybody(self, n: int) -> Floats:  # noqa: ARG002
        return self.codes.chances_of_rows

    @cached_property
    def floor(self) -> Floats:
        """Return, by code, the log-likelihood where nobody could have given the value."""
        return mix_in_doubt(0.0, self.codes.chances, self.doubt)


CELLS = 2_000_000
"""About this many pairs of a person and a row are looked at at once."""


def count_together(n: int) -> int:
    """Count the people, or rows, that are compared with all `n` at once."""
    return max(CELLS // max(n, 1), 1)


class SpeaksOfPeople(Protocol):
    """Whatever says of people how well each row fits them."""

    def of_people(self, people: Ints) -> Floats:
        """For each of these people, one line with every row."""


def add_up(pieces: Iterable[SpeaksOfPeople], people: Ints) -> Floats:
    """The log-likelihood of every row, by all pieces of evidence, for each of some people."""
    total = np.zeros(1)
    for number, piece in enumerate(pieces):
        total = piece.of_people(people) if number == 0 else _add(total, piece.of_people(people))
    return total


def add_up_rows(pieces: Iterable[Likelihood], rows: Ints) -> Floats:
    """The log-likelihood of each of some rows, by all pieces of evidence, for everybody."""
    total = np.zeros(1)
    for number, piece in enumerate(pieces):
        total = piece.of_rows(rows) if number == 0 else _add(total, piece.of_rows(rows))
    return total


def _add(total: Floats, more: Floats) -> Floats:
    total += more
    return total


def log_sum(logs: Floats, axis: int) -> Floats:
    """The logarithm of a sum of numbers whose logarithms are given."""
    most = logs.max(axis=axis, keepdims=True)
    return np.squeeze(most, axis) + np.log(np.exp(logs - most).sum(axis=axis))
