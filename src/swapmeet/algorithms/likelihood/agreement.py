"""Values, or bins, that a row shares with the person in whose place it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.likelihood.base import DOUBT, Likelihood

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.algorithms.likelihood.codes import SharedCodes

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class Agreement(Likelihood):
    """A row has the code of its person, but for a share of `doubt`, which has any.

    Codes are values where a column did not move, and bins where values moved inside them.
    """

    codes: SharedCodes
    doubt: float = DOUBT

    def of_people(self, people: Ints) -> Floats:
        same = self.codes.people[people, np.newaxis] == self.codes.rows
        agree, differ = self._logs
        return np.where(same, agree[self.codes.rows], differ[self.codes.rows])

    def of_rows(self, rows: Ints) -> Floats:
        codes = self.codes.rows[rows, np.newaxis]
        agree, differ = self._logs
        return np.where(codes == self.codes.people, agree[codes], differ[codes])

    @property
    def _logs(self) -> tuple[Floats, Floats]:
        """By code: the log-likelihood if the codes agree, and if they do not."""
        chance = self.doubt * self.codes.chances
        with np.errstate(divide="ignore"):
            return np.log(1.0 - self.doubt + chance), np.log(chance)
