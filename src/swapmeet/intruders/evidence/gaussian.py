"""Numbers that lie about where those of the person lie in whose place a row stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from swapmeet.intruders.evidence.base import Likelihood

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints

FARTHEST = 60.0
"""No direction makes a row less likely than by this many in the logarithm."""


@dataclass(frozen=True, repr=False, eq=False)
class Gaussian(Likelihood):
    """Rows lie around their people with a normal spread of 1 in each of these directions.

    `people` and `rows` have one line per direction, scaled by the spread. A number that is missing
    in one and not in the other is as far off as anything; missing in both is no distance.
    """

    people: Floats
    rows: Floats

    for_few: ClassVar[bool] = True

    def of_people(self, people: Ints) -> Floats:
        return _log_density(self.people[:, people], self.rows)

    def of_rows(self, rows: Ints) -> Floats:
        return _log_density(self.rows[:, rows], self.people)

    def of_few(self, row: int, people: Ints) -> Floats:
        return _log_density(self.rows[:, [row]], self.people[:, people])[0]


def _log_density(some: Floats, all_: Floats) -> Floats:
    total = np.zeros((some.shape[1], all_.shape[1]))
    for one, other in zip(some, all_, strict=True):
        apart = one[:, np.newaxis] - other
        apart *= apart
        strange = np.isnan(apart)
        if strange.any():
            both = np.isnan(one)[:, np.newaxis] & np.isnan(other)
            apart[strange] = np.where(both[strange], 0.0, np.inf)
        total -= np.minimum(apart / 2.0, FARTHEST)
    return total
