"""Rows that were treated in one of several ways, and nobody tells which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.intruders.evidence.base import Likelihood
from swapmeet.intruders.evidence.sums import add_up, add_up_rows

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints

NEVER = 1e-9
"""The weight of a way that is ruled out: it keeps the likelihood finite."""


@dataclass(frozen=True, repr=False, eq=False)
class Mixture(Likelihood):
    """A row was treated in one of several `ways`, each with pieces of evidence of its own.

    `weights` has, for each person, how likely their row was treated in each way.
    """

    ways: tuple[tuple[Likelihood, ...], ...]
    weights: Floats

    def of_people(self, people: Ints) -> Floats:
        total: Floats | None = None
        for pieces, weights in zip(self.ways, self._logs.T, strict=True):
            one = add_up(pieces, people) + weights[people][:, np.newaxis]
            total = one if total is None else np.logaddexp(total, one, out=one)
        assert total is not None
        return total

    def of_rows(self, rows: Ints) -> Floats:
        total: Floats | None = None
        for pieces, weights in zip(self.ways, self._logs.T, strict=True):
            one = add_up_rows(pieces, rows) + weights
            total = one if total is None else np.logaddexp(total, one, out=one)
        assert total is not None
        return total

    @property
    def _logs(self) -> Floats:
        return np.asarray(np.log(np.maximum(self.weights, NEVER)))
