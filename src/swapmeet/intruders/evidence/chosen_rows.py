"""Rows that were redrawn or stayed, each as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.intruders.evidence.base import DOUBT, Likelihood
from swapmeet.intruders.evidence.sums import add_up, add_up_rows

if TYPE_CHECKING:
    from swapmeet.base.arrays import Flags, Floats, Ints
    from swapmeet.comparison.codes import SharedCodes


@dataclass(frozen=True, repr=False, eq=False)
class ChosenRows(Likelihood):
    """A row was chosen with probability `share`; else it is its person's, as it was.

    A chosen row has values by the `parts`, one for each column. If its person is `lonely`, it is
    `empty`. `whole` are the records, all columns as one.
    """

    parts: tuple[Likelihood, ...]
    whole: SharedCodes
    share: float
    lonely: Flags
    empty: Flags

    def of_people(self, people: Ints) -> Floats:
        drawn = add_up(self.parts, people)
        drawn[self.lonely[people]] = self._say_of_lonely(self.empty)
        same = self.whole.people[people, np.newaxis] == self.whole.rows
        return self._mix(drawn, same)

    def of_rows(self, rows: Ints) -> Floats:
        drawn = add_up_rows(self.parts, rows)
        drawn[:, self.lonely] = self._say_of_lonely(self.empty[rows])[:, np.newaxis]
        same = self.whole.rows[rows, np.newaxis] == self.whole.people
        return self._mix(drawn, same)

    def _say_of_lonely(self, empty: Flags) -> Floats:
        return np.where(empty, 0.0, len(self.parts) * np.log(DOUBT))

    def _mix(self, drawn: Floats, same: Flags) -> Floats:
        with np.errstate(divide="ignore"):
            chosen, left = np.log(max(self.share, DOUBT)), np.log(1.0 - self.share)
        drawn += chosen
        drawn[same] = np.logaddexp(drawn[same], left)
        return drawn
