"""Log-likelihoods by all pieces of evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.intruders.evidence import Likelihood


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
