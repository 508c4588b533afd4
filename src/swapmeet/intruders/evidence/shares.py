"""Evidence from whom a value may come from: a person's group, or their neighbourhood."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints, ShortInts
from swapmeet.base.quantiles import places_in
from swapmeet.comparison.values import SharedCodes, add_up_shares
from swapmeet.intruders.evidence.base import (
    MOST_LIKELY,
    CodedLikelihood,
    LikelyPeople,
    mix_in_doubt,
)


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


FREQUENT = 0.05
"""Results for values with at least this share of the people are kept."""


@dataclass(frozen=True, repr=False, eq=False)
class NeighborLists:
    """People who may give to each person, -1 where a line has no more, with their weights."""

    who: ShortInts
    weights: Floats

    def __repr__(self) -> str:
        return f"<NeighborLists of {len(self.who)} people>"

    @classmethod
    def of_draws(cls, who: ShortInts) -> NeighborLists:
        """From some draws for each person, negative where there was nobody."""
        drawn = np.sort(who, axis=1)
        new = np.ones(drawn.shape, np.bool_)
        new[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
        lines, spots = np.nonzero(new)[0], np.cumsum(new, axis=1)[new] - 1
        starts = np.flatnonzero(new)
        shape = len(who), int(spots.max(initial=-1)) + 1
        members, weights = np.full(shape, -1, np.int32), np.zeros(shape)
        members[lines, spots] = np.maximum(drawn[new], -1)
        weights[lines, spots] = np.diff(starts, append=drawn.size) / who.shape[1]
        return cls(members, weights)

    @property
    def lonely(self) -> Flags:
        """Flag the people who have nobody."""
        return np.asarray((self.who < 0).all(axis=1))

    @cached_property
    def receivers(self) -> tuple[Ints, ShortInts, Floats]:
        """Turned round: where each giver's entries begin, who receives, and with what weight."""
        flat = self.who.ravel()
        order = np.argsort(flat, kind="stable")[int((flat < 0).sum()) :]
        begins = np.searchsorted(flat[order], np.arange(len(self.who) + 1))
        people, ranks = np.divmod(order, self.who.shape[1])
        return begins, people.astype(np.int32), self.weights[people, ranks]


@dataclass(frozen=True, repr=False, eq=False)
class NeighborShares(CodedLikelihood):
    """A row's value is its person's own with probability `stay`, else that of a neighbour."""

    lists: NeighborLists
    stay: float = field(default=0.0, kw_only=True)
    _kept: dict[int, Floats] = field(default_factory=dict)

    for_few = True

    def of_people(self, people: Ints) -> Floats:
        members = self.lists.who[people]
        lines, ranks = np.nonzero(members >= 0)
        codes = self.codes.people[np.concatenate([members[lines, ranks], people])]
        given = (1.0 - self.stay) * self.lists.weights[people[lines], ranks]
        weights = np.concatenate([given, np.full(len(people), self.stay)])
        lines = np.concatenate([lines, np.arange(len(people))])
        lines, codes, shares = add_up_shares(lines, codes, weights, self.codes.count)
        logs = mix_in_doubt(shares, self.codes.chances[codes], self.doubt)
        return self.codes.spread_over_rows(self.floor, lines, codes, logs)

    def of_rows(self, rows: Ints) -> Floats:
        codes, which = np.unique(self.codes.rows[rows], return_inverse=True)
        new = codes[[int(code) not in self._kept for code in codes]]
        weights = dict(zip(new.tolist(), self._weigh(new), strict=True))
        logs = np.stack([self._kept[c] if c in self._kept else weights[c] for c in codes.tolist()])
        for code in new[self.codes.chances[new] > FREQUENT].tolist():
            self._kept[code] = weights[code].copy()
        return logs[which]

    def find_likely(self, row: int) -> LikelyPeople | None:
        code = int(self.codes.rows[row])
        holders = self.codes.find_people(code)
        begins, people, _ = self.lists.receivers
        lengths = begins[holders + 1] - begins[holders]
        if len(holders) + int(lengths.sum()) > MOST_LIKELY:
            return None
        receivers = people[places_in(begins[holders], begins[holders + 1])].astype(np.int64)
        return LikelyPeople(np.append(receivers, holders), float(self.floor[code]))

    def of_few(self, row: int, people: Ints) -> Floats:
        code = self.codes.rows[row]
        members = self.lists.who[people]
        has = (members >= 0) & (self.codes.people[members] == code)
        shares = (1.0 - self.stay) * (has * self.lists.weights[people]).sum(axis=1)
        shares += self.stay * (self.codes.people[people] == code)
        return mix_in_doubt(shares, self.codes.chances[code], self.doubt)

    def _weigh(self, codes: Ints) -> Floats:
        """For each of these values, how likely everybody is to have got it."""
        from swapmeet.intruders.evidence.best import weigh_receivers

        logs = np.empty((len(codes), len(self.codes.people)))
        holders, starts = self.codes.people_in_order
        weigh_receivers(
            codes, starts, holders, *self.lists.receivers,
            self.stay, self.doubt, self.codes.chances, logs,
        )  # fmt: skip
        return logs
