"""Evidence about sets of columns whose values move together, for units and for whole households."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from swapmeet.base.arrays import Flags, Ints
from swapmeet.comparison.comparison import Comparison
from swapmeet.intruders.evidence import (
    Evidence,
    GroupShares,
    Likelihood,
    NeighborShares,
    UnitLikelihood,
)
from swapmeet.intruders.evidence.rows import TypeEvidence, WholeUnits
from swapmeet.release.provenance import Provenance
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.role import Role
from swapmeet.tables.units import HouseholdType, Level, Units, find_levels, list_household_types


@dataclass(frozen=True)
class ColumnLevels:
    """The levels of the masked columns, as the original shows them."""

    masked: tuple[str, ...]

    def __call__(self, comparison: Comparison) -> list[Level]:
        """The levels; none where rows stand alone in either table."""
        one, other = comparison.original, comparison.released
        units = (one.household, other.household), (one.person, other.person)
        tied = any(a is not None and b is not None for a, b in units)
        return find_levels(one.select(self.masked)) if tied else []


def attack_level(method: Any, level: Level, seen: Evidence) -> Iterator[Likelihood]:
    """Likelihood that a row is in a person's place, by what the method did at one level.

    It saw one row per unit, with the columns of the level and of coarser ones, which `seen` has as
    far as they are known. The numbers of units in the release also tie its rows together.
    """
    own = [name for name in seen.names if name in level.columns]
    restricted = method.restrict(seen.names) if own else None
    if restricted is None:
        return
    both = [number_units(data, level) for data in (seen.people, seen.released)]
    part = _reduce(seen, both)
    pieces = [_keep_columns(piece, part, own) for piece in join_sets(restricted.attack(part), part)]
    evidence = [piece for piece in pieces if piece is not None]
    left = [name for name in own if not any(name in piece.columns for piece in evidence)]
    if any(piece is None for piece in pieces) and left:
        evidence += _attack_alone(method, part, left)
    for piece in evidence:
        yield _spread(piece, both)


def _attack_alone(method: Any, seen: Evidence, names: list[str]) -> list[Likelihood]:
    """Return what the method gives away to someone who looks at some of its columns only."""
    restricted = method.restrict(names)
    part = replace(seen.select(names), complete=False)
    return [] if restricted is None else join_sets(restricted.attack(part), part)


def number_units(data: Microdata, level: Level) -> Units | None:
    """The units of a level in a table; None where its rows stand alone."""
    numbers = {str(Role.HOUSEHOLD): data.household, str(Role.PERSON): data.person}.get(level.name)
    return None if numbers is None else Units(numbers)


def _reduce(seen: Evidence, both: list[Units | None]) -> Evidence:
    """Evidence about units, one row each."""
    people, released = (
        _stand_alone(data if units is None else data.take(units.first))
        for data, units in zip((seen.people, seen.released), both, strict=True)
    )
    alone = all(units is None for units in both)
    known = seen.known_codes if alone else None
    return replace(seen, people=people, released=released, known_codes=known)


def _stand_alone(data: Microdata) -> Microdata:
    return replace(data, household=None, person=None, position=None)


def _keep_columns(piece: Likelihood, seen: Evidence, own: Collection[str]) -> Likelihood | None:
    """Return what a piece says about the columns of a level; coarser ones moved otherwise."""
    names = [name for name in piece.columns if name in own]
    if len(names) == len(piece.columns):
        return piece
    return describe_columns(piece, names, seen) if names else None


def _spread(piece: Likelihood, both: list[Units | None]) -> Likelihood:
    one, other = both
    if one is None or other is None:
        return piece
    return UnitLikelihood(piece.columns, piece, one.of_row, other.of_row)


def join_sets(pieces: Iterable[Likelihood], seen: Evidence) -> list[Likelihood]:
    """The pieces, with one for each set of columns that moved as its first column did.

    What a method says about the other columns of a set, it says as if they had moved by themselves.
    """
    evidence = list(pieces)
    for names in seen.people.together:
        alone = [
            piece for piece in evidence if len(piece.columns) == 1 and piece.columns[0] in names
        ]
        first = [piece for piece in alone if piece.columns[0] == names[0]]
        if not first:
            continue
        evidence = [piece for piece in evidence if piece not in alone]
        evidence.append(describe_columns(first[0], names, seen) or first[0])
    return evidence


def describe_columns(
    piece: Likelihood, names: Collection[str], seen: Evidence
) -> Likelihood | None:
    """A piece that says about other columns what it says about its own; None where it cannot.

    Only what goes by the people whose values a row may have, whatever these values are, can.
    """
    if isinstance(piece, (GroupShares, NeighborShares)):
        return replace(piece, columns=tuple(names), codes=seen.code(*names))
    return None


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
