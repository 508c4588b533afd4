"""Evidence that a method gives about units: level by level, as it ran."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from swapmeet.intruders.evidence import UnitLikelihood
from swapmeet.intruders.links.set_evidence import describe_columns, join_sets
from swapmeet.tables.levels import find_levels
from swapmeet.tables.role import Role
from swapmeet.tables.units import Units

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from swapmeet.comparison.comparison import Comparison
    from swapmeet.intruders.evidence import Evidence, Likelihood
    from swapmeet.tables.levels import Level
    from swapmeet.tables.microdata import Microdata


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
