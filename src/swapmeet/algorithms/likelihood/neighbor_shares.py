"""Values that come from the neighbourhood of the person in whose place a row stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.likelihood.base import DOUBT, Likelihood, add_weights, mix_in_doubt

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.algorithms.likelihood.codes import SharedCodes

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]
    Codes = npt.NDArray[np.int32]

FREQUENT = 0.1
"""What is found for values with at least this share of the rows is kept."""


@dataclass(frozen=True, repr=False, eq=False)
class NeighborLists:
    """Who may give to whom: one line per person, -1 where a line has no more; and their weights."""

    who: Codes
    weights: Floats

    def __repr__(self) -> str:
        return f"<NeighborLists of {self.who.shape[1]} members>"

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
        count, members = self.codes.count, self.lists.who[people]
        lines, ranks = np.nonzero(members >= 0)
        table = add_weights(
            lines,
            self.codes.people[members[lines, ranks]],
            (1.0 - self.stay) * self.lists.weights[ranks],
            (len(people), count),
        )
        table[np.arange(len(people)), self.codes.people[people]] += self.stay
        logs = mix_in_doubt(table, self.codes.chances, self.doubt)
        return np.take(logs, self.codes.rows, axis=1)

    def of_rows(self, rows: Ints) -> Floats:
        return np.stack([self._of_code(int(code)) for code in self.codes.rows[rows]])

    def _of_code(self, code: int) -> Floats:
        if code in self._kept:
            return self._kept[code]
        holders = self.codes.find_people(code)
        shares = self._shares_from(holders)
        shares *= 1.0 - self.stay
        shares[holders] += self.stay
        logs = mix_in_doubt(shares, self.codes.chances[code], self.doubt)
        if len(holders) > FREQUENT * len(self.codes.people):
            self._kept[code] = logs
        return logs

    def _shares_from(self, givers: Ints) -> Floats:
        """For everybody, the weight of these people in their neighbourhood."""
        begins, people, weights = self.lists.receivers
        lengths = begins[givers + 1] - begins[givers]
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        entries = np.repeat(begins[givers], lengths) + within
        line = np.zeros(len(entries), np.int64)
        shape = 1, len(self.codes.people)
        return add_weights(line, people[entries], weights[entries], shape)[0]
