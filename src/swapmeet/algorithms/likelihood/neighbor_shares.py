"""Values that come from the neighbourhood of the person in whose place a row stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.likelihood.base import DOUBT, Likelihood, mix_in_doubt
from swapmeet.algorithms.likelihood.codes import add_up_shares, spread_ranges

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.algorithms.likelihood.codes import SharedCodes

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]
    Codes = npt.NDArray[np.int32]

FREQUENT = 0.05
"""What is found for values with at least this share of the people is kept."""


@dataclass(frozen=True, repr=False, eq=False)
class NeighborLists:
    """Who may give to whom: one line per person, -1 where a line has no more; and their weights."""

    who: Codes
    weights: Floats

    def __repr__(self) -> str:
        return f"<NeighborLists of {len(self.who)} people>"

    @cached_property
    def receivers(self) -> tuple[Ints, Codes, Floats]:
        """Turned round: where each giver's entries begin, who receives, and with what weight."""
        flat = self.who.ravel()
        order = np.argsort(flat, kind="stable")[int((flat < 0).sum()) :]
        begins = np.searchsorted(flat[order], np.arange(len(self.who) + 1))
        people, ranks = np.divmod(order, self.who.shape[1])
        return begins, people.astype(np.int32), self.weights[ranks]


@dataclass(frozen=True, repr=False, eq=False)
class NeighborShares(Likelihood):
    """A row's value is its person's own with probability `stay`, else that of a neighbour."""

    codes: SharedCodes
    lists: NeighborLists
    stay: float = field(default=0.0, kw_only=True)
    doubt: float = field(default=DOUBT, kw_only=True)
    _kept: dict[int, Floats] = field(default_factory=dict)

    def of_people(self, people: Ints) -> Floats:
        members = self.lists.who[people]
        lines, ranks = np.nonzero(members >= 0)
        codes = self.codes.people[np.concatenate([members[lines, ranks], people])]
        given = (1.0 - self.stay) * self.lists.weights[ranks]
        weights = np.concatenate([given, np.full(len(people), self.stay)])
        lines = np.concatenate([lines, np.arange(len(people))])
        lines, codes, shares = add_up_shares(lines, codes, weights, self.codes.count)
        logs = mix_in_doubt(shares, self.codes.chances[codes], self.doubt)
        return self.codes.spread_over_rows(self._floor, lines, codes, logs)

    def of_anybody(self, n: int) -> Floats:  # noqa: ARG002
        return self.codes.chances_of_rows

    def of_rows(self, rows: Ints) -> Floats:
        return np.stack([self._of_code(int(code)) for code in self.codes.rows[rows]])

    @cached_property
    def _floor(self) -> Floats:
        """By code: the log-likelihood where no neighbour has the value."""
        return mix_in_doubt(0.0, self.codes.chances, self.doubt)

    def _of_code(self, code: int) -> Floats:
        if code in self._kept:
            return self._kept[code]
        logs = self._look_up(code)
        if self.codes.chances[code] > FREQUENT:
            self._kept[code] = logs
        return logs

    def _look_up(self, code: int) -> Floats:
        """For everybody, how likely they are to have got this value."""
        begins, people, weights = self.lists.receivers
        holders = self.codes.find_people(code)
        entries = spread_ranges(begins[holders], begins[holders + 1] - begins[holders])
        receivers = np.concatenate([people[entries], holders])
        given = (1.0 - self.stay) * weights[entries]
        weights = np.concatenate([given, np.full(len(holders), self.stay)])
        shares = np.asarray(
            np.bincount(receivers, weights=weights, minlength=len(self.codes.people)), np.float64
        )
        logs = np.full(len(shares), self._floor[code])
        some = np.unique(receivers) if 4 * len(receivers) < len(shares) else slice(None)
        logs[some] = mix_in_doubt(shares[some], self.codes.chances[code], self.doubt)
        return logs
