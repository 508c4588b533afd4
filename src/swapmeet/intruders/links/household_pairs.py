"""The households of a table and of its release, and how well the rows of each fit each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.comparison.comparison import Comparison, Ownership
from swapmeet.comparison.score import Inapplicable, Undefined
from swapmeet.intruders.links.evidence import KnownColumns
from swapmeet.intruders.links.intruder import Truth
from swapmeet.tables.role import Role


class UnitWords(NamedTuple):
    """A sort of unit: its role, one and many of them, their rows, and what is known of one."""

    role: Role
    one: str
    many: str
    rows: str
    known: str


HOUSEHOLDS = UnitWords(
    Role.HOUSEHOLD, "household", "households", "members", "all members of a household"
)
PERSONS = UnitWords(Role.PERSON, "person", "people", "rows", "all rows of a person")


LEAST = 1e-6
"""The doubt about a size that never changes."""
NO_UNITS = (
    "no column has the role {role}, or the release does not show which rows belong together; name "
    "the column with `{role}`, and assess tables in memory"
)
NO_OWNERS = "it is not known which released {one} stands for which original one"


@dataclass(frozen=True, repr=False, eq=False)
class HouseholdPairs:
    """The household of each original row, and of each released one.

    `known` are the columns that an intruder knows of all members of a household. Released rows are
    in the order of their households here. Where one person has several rows, these are sought like
    the members of a household; `words` say which.
    """

    known: KnownColumns
    original: Ints
    released: Ints
    words: UnitWords = HOUSEHOLDS

    @classmethod
    def of(
        cls, comparison: Comparison, names: tuple[str, ...], words: UnitWords = HOUSEHOLDS
    ) -> HouseholdPairs:
        """Find the units of a comparison; not defined where rows are not tied together.

        Without units, or where rows are nobody's, there is nothing to look for.
        """
        origin, units = comparison.provenance, comparison.find_units(words.role)
        if units is None:
            raise Inapplicable(NO_UNITS.format(role=words.role))
        if origin is None or not origin.owned:
            synthetic = origin is not None or comparison.ownership is Ownership.NOBODY
            raise (Inapplicable if synthetic else Undefined)(NO_OWNERS.format(one=words.one))
        original, released = units
        order = np.argsort(released, kind="stable")
        origin = replace(origin, donors=origin.donors[order], place=origin.place[order])
        in_order = replace(
            comparison, released=comparison.released.take(order), provenance=origin,
        )  # fmt: skip
        return cls(KnownColumns(in_order, origin, names), original, released[order], words)

    @cached_property
    def sizes(self) -> Ints:
        """The number of members of each household."""
        return np.bincount(self.original)

    @cached_property
    def released_sizes(self) -> Ints:
        """The number of rows of each released household."""
        return np.bincount(self.released)

    @cached_property
    def ends(self) -> Ints:
        """The first row of each released household, and the end of the last."""
        return np.cumsum(np.append(0, self.released_sizes))

    def find_members(self, households: Ints) -> Ints:
        """All members of some households, in the order of these."""
        order, starts = self._members
        sizes = self.sizes[households]
        first = np.repeat(starts[households] - np.cumsum(np.append(0, sizes[:-1])), sizes)
        return order[first + np.arange(int(sizes.sum()))]

    @cached_property
    def _members(self) -> tuple[Ints, Ints]:
        """Everybody in the order of their households, and where each of these begins."""
        order = np.argsort(self.original, kind="stable")
        return order, np.cumsum(np.append(0, self.sizes))

    @cached_property
    def truth(self) -> Truth:
        """Households that each released one stands for, and that gave most of its rows."""
        rows, total = self.known.truth, len(self.released_sizes)
        place, giver = (
            _find_most(self.released, np.where(who < 0, -1, self.original[who]), total)
            for who in (rows.place, rows.giver)
        )
        return Truth(place, giver)

    @cached_property
    def right(self) -> Ints:
        """For each household, the released one that stands for it; -1 if there is none."""
        right = np.full(len(self.sizes), -1)
        for where in (self.truth.giver, self.truth.place):
            here = np.flatnonzero(where >= 0)
            right[where[here]] = here
        return right

    @cached_property
    def common(self) -> set[str]:
        """The known columns that are the same for all members of every household, in both."""
        both = self.known.comparison
        return {
            name
            for name in self.known.names
            if _is_common(both.original[name].values, self.original)
            and _is_common(both.released[name].values, self.released)
        }

    @property
    def keep_their_size(self) -> bool:
        """Return whether every released household has as many rows as the one it stands for."""
        return self._size_logs[1] <= np.log(LEAST)

    def fit_sizes(self, households: Ints) -> Floats:
        """Return how well the size of each released household fits each of these, over chance."""
        agree, differ = self._size_logs
        equal = self.sizes[households][:, np.newaxis] == self.released_sizes
        return np.where(equal, agree[self.released_sizes], differ)

    @cached_property
    def _size_logs(self) -> tuple[Floats, float]:
        """Return by size what it says if sizes agree, and if they do not."""
        counts = np.bincount(self.released_sizes)
        owned = self.truth.place >= 0
        same = self.released_sizes[owned] == self.sizes[self.truth.place[owned]]
        doubt = max(1.0 - float(same.mean()), LEAST) if owned.any() else 1.0
        chances = np.maximum(counts / len(self.released_sizes), LEAST)
        return np.log((1.0 - doubt) / chances + doubt), float(np.log(doubt))


def _is_common(values: Floats, units: Ints) -> bool:
    """Return whether all members of each unit have the same value; missing counts as a value."""
    codes = np.unique(values, return_inverse=True)[1]
    first = np.zeros(int(units.max()) + 1, np.int64)
    first[units] = codes
    return bool((first[units] == codes).all())


def _find_most(units: Ints, whose: Ints, total: int) -> Ints:
    """For each unit, whose more than half of its rows are; else -1."""
    base = int(whose.max()) + 2
    pairs, counts = np.unique(units * base + whose + 1, return_counts=True)
    unit, who = np.divmod(pairs, base)
    most = np.full(total, -1)
    mainly = 2 * counts > np.bincount(units)[unit]
    most[unit[mainly]] = who[mainly] - 1
    return most
