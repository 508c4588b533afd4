"""Cells that were suppressed say nothing of the person, and everybody sees that they are gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.intruders.evidence.base import Likelihood

if TYPE_CHECKING:
    from swapmeet.base.arrays import Flags, Floats, Ints


@dataclass(frozen=True, repr=False, eq=False)
class SuppressedCells(Likelihood):
    """Evidence of `piece`, silent about rows in which its cells were suppressed (`gone`).

    Without it, a missing value would speak against everybody who had one to lose.
    """

    piece: Likelihood
    gone: Flags

    def of_people(self, people: Ints) -> Floats:
        logs = self.piece.of_people(people)
        logs[:, self.gone] = 0.0
        return logs

    def of_rows(self, rows: Ints) -> Floats:
        logs = self.piece.of_rows(rows)
        logs[self.gone[rows]] = 0.0
        return logs
