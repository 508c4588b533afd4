"""Values, or bins, that a row shares with the person in whose place it stands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from swapmeet.intruders.evidence.base import MOST_LIKELY, LikelyPeople
from swapmeet.intruders.evidence.coded import CodedLikelihood

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints


@dataclass(frozen=True, repr=False, eq=False)
class Agreement(CodedLikelihood):
    """A row has the code of its person, but for a share of `doubt`, which has any.

    Codes are values where a column did not move, and bins where values moved inside them.
    """

    for_few: ClassVar[bool] = True

    def of_people(self, people: Ints) -> Floats:
        own, (agree, differ) = self.codes.people[people], self._logs
        return self.codes.spread_over_rows(differ, np.arange(len(people)), own, agree[own])

    def of_rows(self, rows: Ints) -> Floats:
        codes, (agree, differ) = self.codes.rows[rows], self._logs
        logs = np.repeat(differ[codes][:, np.newaxis], len(self.codes.people), axis=1)
        for line, code in zip(logs, codes.tolist(), strict=True):
            line[self.codes.find_people(code)] = agree[code]
        return logs

    def find_likely(self, row: int) -> LikelyPeople | None:
        code = int(self.codes.rows[row])
        people = self.codes.find_people(code)
        return None if len(people) > MOST_LIKELY else LikelyPeople(people, self._logs[1][code])

    def of_few(self, row: int, people: Ints) -> Floats:
        code, (agree, differ) = self.codes.rows[row], self._logs
        return np.where(self.codes.people[people] == code, agree[code], differ[code])

    @property
    def logs(self) -> tuple[Floats, Floats]:
        """Return the log-likelihood by code: if the codes agree, and if they do not."""
        return self._logs

    @cached_property
    def _logs(self) -> tuple[Floats, Floats]:
        """Return the log-likelihood by code: if the codes agree, and if they do not."""
        chance = self.doubt * self.codes.chances
        with np.errstate(divide="ignore"):
            return np.log(1.0 - self.doubt + chance), np.log(chance)
