"""Evidence that a method gives about households that traded as wholes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.intruders.evidence.whole_units import TypeEvidence, WholeUnits
from swapmeet.intruders.links.set_evidence import join_sets
from swapmeet.tables.household_types import HouseholdType, list_household_types
from swapmeet.tables.role import Role
from swapmeet.tables.units import Units

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from swapmeet.base.arrays import Flags, Ints
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.intruders.evidence import Evidence, Likelihood
    from swapmeet.release.provenance import Provenance
    from swapmeet.tables.levels import Level

MOSTLY = 0.5
"""Households moved as wholes if that is so of more than this share of those that moved at all."""


def list_own(origin: Provenance, levels: list[Level]) -> list[str]:
    """The masked columns that differ between members of a household."""
    own = [n for level in levels if level.name != Role.HOUSEHOLD for n in level.columns]
    return [name for name in own if name in origin.columns]


def moved_whole(origin: Provenance, comparison: Comparison, own: list[str]) -> bool:
    """Return whether most households got the values that differ between members from one other."""
    homes = comparison.original.household
    if homes is None or not own or (origin.place < 0).any():
        return False
    return max(_share_whole(origin, homes, name) for name in own) > MOSTLY


def _share_whole(origin: Provenance, homes: Ints, name: str) -> float:
    """Of households of several in which a column moved, those where it came from one household."""
    units = Units(homes[origin.place])
    donors = origin.donors[:, origin.columns.index(name)]
    whence = np.where(donors < 0, donors, homes[np.maximum(donors, 0)])
    moved = np.zeros(units.count, bool)
    moved[units.of_row[donors != origin.place]] = True
    mixed = np.zeros(units.count, bool)
    mixed[units.of_row[units.differ(whence)]] = True
    counted = moved & (units.sizes > 1)
    return float((~mixed[counted]).mean()) if counted.any() else 0.0


@dataclass(frozen=True, repr=False, eq=False)
class WholeEvidence:
    """Evidence about households that traded as wholes, with their rows and people.

    The order of members in the release is assumed to be known, which it is only where positions
    show it: the intruder is no worse off.
    """

    method: Any
    seen: Evidence
    origin: Provenance
    own: list[str]
    attack_rest: Callable[[Ints, Ints], list[Likelihood]]

    def attack(self) -> Iterator[Likelihood]:
        """One piece for all columns; `attack_rest` judges households that traded otherwise.

        They traded among themselves, so that only these people and rows are looked at.
        """
        n = self.seen.people.n
        kinds = list_household_types(replace(self.seen.people, whole=True))
        types = [attack for kind in kinds if (attack := self._attack_type(kind)) is not None]
        people, rows = (np.ones(n, bool) for _ in range(2))
        for kind in types:
            people[kind.people], rows[kind.rows] = False, False
        rest = self.attack_rest(np.flatnonzero(people), np.flatnonzero(rows))
        if types:
            yield WholeUnits(self.seen.names, tuple(types), tuple(rest), n)
        else:
            yield from rest

    def _find_whole(self, kind: HouseholdType) -> Flags:
        """The households of a type whose members' own values are those of one of this type."""
        homes = self.seen.people.household
        assert homes is not None
        alike, whole = np.zeros(len(homes), bool), np.ones(kind.count, bool)
        alike[kind.members] = True
        for name in self.own:
            given = self.origin.donors[self._rows_of[kind.members], self.origin.columns.index(name)]
            someone = np.maximum(given, 0)
            whence = np.where(given < 0, given, homes[someone])
            whole &= (whence == whence[:, :1]).all(axis=1)
            whole &= ((given < 0) | alike[someone]).all(axis=1)
        return whole

    def _attack_type(self, kind: HouseholdType) -> TypeEvidence | None:
        kind = replace(kind, members=kind.members[self._find_whole(kind)])
        rows = self._rows_of[kind.members]
        released = HouseholdType(self.seen.released, rows, kind.shared)
        adapted = self.method.adapt(kind.columns)
        if kind.count < 2 or adapted is None:
            return None
        part = replace(self.seen, people=kind.widen(), released=released.widen(), known_codes=None)
        if not adapted.can_mask(part.people):
            return None
        return TypeEvidence(tuple(join_sets(adapted.attack(part), part)), kind.members, rows)

    @cached_property
    def _rows_of(self) -> Ints:
        rows = np.empty(len(self.origin.place), np.int64)
        rows[self.origin.place] = np.arange(len(rows))
        return rows
