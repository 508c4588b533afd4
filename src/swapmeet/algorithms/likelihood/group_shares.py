"""Values that come from the group of the person in whose place a row stands."""

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


@dataclass(frozen=True, repr=False, eq=False)
class GroupShares(Likelihood):
    """A row's value is that of a random member of its person's group.

    `labels` has the group of each person; who is in none (-1) keeps their value. With `pairs`,
    members trade two by two: the value is that of another member, unless one is left over.
    """

    codes: SharedCodes
    labels: Ints
    pairs: bool = field(default=False, kw_only=True)
    doubt: float = field(default=DOUBT, kw_only=True)

    def of_people(self, people: Ints) -> Floats:
        sizes, begins, order = self._members
        groups = self._groups[people]
        lengths = sizes[groups]
        line = np.repeat(np.arange(len(people)), lengths)
        within = np.arange(len(line)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        members = order[np.repeat(begins[groups], lengths) + within]
        each, own = self._rates
        table = add_weights(
            line, self.codes.people[members], each[groups][line], (len(people), self.codes.count)
        )
        table[np.arange(len(people)), self.codes.people[people]] += own[groups]
        logs = mix_in_doubt(table, self.codes.chances, self.doubt)
        return np.take(logs, self.codes.rows, axis=1)

    def of_rows(self, rows: Ints) -> Floats:
        each, own = self._rates
        shares = np.empty((len(rows), len(self._groups)))
        for line, code in zip(shares, self.codes.rows[rows], strict=True):
            holders = self.codes.find_people(code)
            counts = np.bincount(self._groups[holders], minlength=len(each))
            line[:] = (counts * each)[self._groups]
            line[holders] += own[self._groups[holders]]
        chances = self.codes.chances[self.codes.rows[rows]]
        return mix_in_doubt(shares, chances[:, np.newaxis], self.doubt)

    @cached_property
    def _groups(self) -> Ints:
        """The groups; everybody who is in none is one of their own."""
        alone = self.labels < 0
        groups = self.labels.copy()
        groups[alone] = int(self.labels.max(initial=-1)) + 1 + np.arange(int(alone.sum()))
        return groups

    @cached_property
    def _members(self) -> tuple[Ints, Ints, Ints]:
        sizes = np.bincount(self._groups)
        return sizes, np.cumsum(sizes) - sizes, np.argsort(self._groups, kind="stable")

    @cached_property
    def _rates(self) -> tuple[Floats, Floats]:
        """By group: what each member adds to the share of their value, and what one's own adds."""
        sizes = self._members[0]
        if not self.pairs:
            return 1.0 / np.maximum(sizes, 1), np.zeros(len(sizes))
        stay = np.where(sizes % 2 == 1, 1.0 / np.maximum(sizes, 1), 0.0)
        each = (1.0 - stay) / np.maximum(sizes - 1, 1)
        return each, stay - each
