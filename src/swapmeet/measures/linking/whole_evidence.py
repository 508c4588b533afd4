"""What a method gives away of households that traded as wholes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.algorithms.likelihood.whole_units import TypeEvidence, WholeUnits
from swapmeet.core.tables.household_types import HouseholdType, list_household_types
from swapmeet.core.tables.role import Role
from swapmeet.core.tables.units import Units
from swapmeet.errors import SwapmeetError
from swapmeet.measures.linking.set_evidence import join_sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from swapmeet.algorithms.likelihood import Evidence, Likelihood
    from swapmeet.core.release.provenance import Provenance
    from swapmeet.core.tables.levels import Level
    from swapmeet.measures.comparison import Comparison

    Ints = npt.NDArray[np.int64]

MOSTLY = 0.5
"""Households moved as wholes if that is so of more than this share of those that moved at all."""


def moved_whole(origin: Provenance, comparison: Comparison, levels: list[Level]) -> bool:
    """Whether the members of most households got what differs between them from one household."""
    own = [n for level in levels if level.name != Role.HOUSEHOLD for n in level.columns]
    homes = comparison.original.household
    if homes is None or not own or (origin.place < 0).any():
        return False
    shares = [_share_whole(origin, homes, name) for name in own if name in origin.columns]
    return bool(shares) and max(shares) > MOSTLY


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
    """What is seen of households that traded as wholes, and whose rows are whose.

    The order of members in the release is taken for known, which it is only where positions tell
    it: the intruder is no worse off.
    """

    method: Any
    seen: Evidence
    origin: Provenance
    rest: list[Likelihood]

    def attack(self) -> Iterator[Likelihood]:
        """One piece for all columns; households that traded otherwise are judged by the `rest`."""
        people = replace(self.seen.people, whole=True)
        kinds = list_household_types(people)
        types = [found for kind in kinds if (found := self._attack_type(kind)) is not None]
        if types:
            yield WholeUnits(self.seen.names, tuple(types), tuple(self.rest), people.n)
        else:
            yield from self.rest

    def _attack_type(self, kind: HouseholdType) -> TypeEvidence | None:
        rows = self._rows_of[kind.members]
        released = HouseholdType(self.seen.released, rows, kind.shared)
        adapted = self.method.adapt(kind.columns)
        if kind.count < 2 or adapted is None:
            return None
        part = replace(self.seen, people=kind.widen(), released=released.widen(), known_codes=None)
        try:
            adapted.check(part.people)
            pieces = join_sets(adapted.attack(part), part)
            return TypeEvidence(tuple(pieces), kind.members, rows)
        except SwapmeetError:
            return None

    @property
    def _rows_of(self) -> Ints:
        rows = np.empty(len(self.origin.place), np.int64)
        rows[self.origin.place] = np.arange(len(rows))
        return rows
