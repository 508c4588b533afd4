"""Values that traded places: if a row holds a person's value, that person's row holds theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.intruders.evidence.sums import add_up_rows, log_sum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.intruders.evidence import Likelihood, SharedCodes

MOST = 6
"""The trades of so many columns are followed, those with most unique values."""
WRONG = 0.05
"""The chance that a trade is another one than it seems."""


@dataclass(frozen=True, repr=False, eq=False)
class Partners:
    """A row is in a person's place only if the person who gave to the row got what the person had.

    So a row fits a person the better, the surer the row that holds the person's value is that of
    the person whose value the row holds, by all `pieces` of evidence. `row_of` has the row that
    holds each person's value, `giver` the person whose value each row holds; negative where the
    value is not unique.
    """

    pieces: Sequence[Likelihood]
    row_of: Ints
    giver: Ints

    def __repr__(self) -> str:
        return f"<Partners, {int((self.giver >= 0).sum())} of {len(self.giver)} certain>"

    @classmethod
    def of(cls, pieces: Sequence[Likelihood]) -> list[Partners]:
        """Links by the columns whose values traded two by two and are most often unique."""
        trades = [_follow(piece.traded) for piece in pieces if piece.traded is not None]
        trades.sort(key=lambda both: -int((both[0] >= 0).sum()))
        return [cls(pieces, *both) for both in trades[:MOST] if (both[0] >= 0).any()]

    def of_people(self, people: Ints) -> Floats:
        """For each of these people, one line with every row: how well trades fit, over chance."""
        logs = np.zeros((len(people), len(self.giver)))
        lines, rows = np.flatnonzero(self.row_of[people] >= 0), np.flatnonzero(self.giver >= 0)
        if len(lines):
            fits = add_up_rows(self.pieces, self.row_of[people[lines]])
            fits -= log_sum(fits, axis=1)[:, np.newaxis]
            sure = np.exp(np.take(fits, self.giver[rows], axis=1))
            logs[np.ix_(lines, rows)] = np.log((1.0 - WRONG) * len(self.giver) * sure + WRONG)
        return logs


def _follow(codes: SharedCodes) -> tuple[Ints, Ints]:
    """The row that holds each person's value, and the person whose value each row holds."""
    both = codes.people, codes.rows
    once = np.logical_and(*(np.bincount(one, minlength=codes.count) == 1 for one in both))
    where = np.full((2, codes.count), -1)
    for own, one in zip(where, both, strict=True):
        own[one] = np.arange(len(one))
        own[~once] = -1
    return where[1][codes.people], where[0][codes.rows]
