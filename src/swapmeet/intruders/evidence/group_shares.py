"""Values that come from the group of the person in whose place a row stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.ranks import places_in
from swapmeet.comparison.codes import add_up_shares
from swapmeet.intruders.evidence.base import mix_in_doubt
from swapmeet.intruders.evidence.coded import CodedLikelihood

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.comparison.codes import SharedCodes


@dataclass(frozen=True, repr=False, eq=False)
class GroupShares(CodedLikelihood):
    """A row's value is that of a random member of its person's group.

    `labels` has the group of each person; who is in none (-1) keeps their value. With `pairs`,
    members trade two by two: the value is that of another member, unless one is left over.
    """

    labels: Ints
    pairs: bool = field(default=False, kw_only=True)

    @property
    def traded(self) -> SharedCodes | None:
        return self.codes if self.pairs else None

    def of_people(self, people: Ints) -> Floats:
        sizes, begins, order = self._members
        each, own = self._rates
        groups = self._groups[people]
        everybody = np.arange(len(people))
        lines = np.concatenate([np.repeat(everybody, sizes[groups]), everybody])
        members = order[places_in(begins[groups], begins[groups] + sizes[groups])]
        codes = self.codes.people[np.concatenate([members, people])]
        weights = np.concatenate([np.repeat(each[groups], sizes[groups]), own[groups]])
        lines, codes, shares = add_up_shares(lines, codes, weights, self.codes.count)
        logs = mix_in_doubt(shares, self.codes.chances[codes], self.doubt)
        return self.codes.spread_over_rows(self.floor, lines, codes, logs)

    def of_rows(self, rows: Ints) -> Floats:
        each, own = self._rates
        codes, which = np.unique(self.codes.rows[rows], return_inverse=True)
        logs = np.repeat(self.floor[codes][:, np.newaxis], len(self._groups), axis=1)
        sizes, begins, order = self._members
        for line, code in zip(logs, codes.tolist(), strict=True):
            holders = self.codes.find_people(code)
            groups, counts = np.unique(self._groups[holders], return_counts=True)
            members = order[places_in(begins[groups], begins[groups] + sizes[groups])]
            shares = np.zeros(len(line))
            shares[members] = np.repeat(counts * each[groups], sizes[groups])
            shares[holders] += own[self._groups[holders]]
            line[members] = mix_in_doubt(shares[members], self.codes.chances[code], self.doubt)
        return logs[which]

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
        """Return, by group, what a member adds to their value's share, and what one's own adds."""
        sizes = self._members[0]
        if not self.pairs:
            return 1.0 / np.maximum(sizes, 1), np.zeros(len(sizes))
        stay = np.where(sizes % 2 == 1, 1.0 / np.maximum(sizes, 1), 0.0)
        each = (1.0 - stay) / np.maximum(sizes - 1, 1)
        return each, stay - each
