"""Single people who are still found, copied or unmoved: a list that is never published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.comparison.comparison import Comparison, Ownership
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.intruders.evidence import SharedCodes
from swapmeet.intruders.links.evidence import Gaps, KnownColumns
from swapmeet.intruders.links.family import IntruderFamily, list_known
from swapmeet.intruders.links.households import find_all_units
from swapmeet.intruders.record_agreement import CopiedRows, find_own_copies, frequencies

MOST_SOUGHT = 20_000
"""Of more people, so many random ones are sought; what may be found of the others is not known."""


@dataclass(frozen=True, repr=False, eq=False)
class Exposure:
    """Return the exposure of each person, from 0 to 1, in the order of the original's rows.

    `found` is how often a link is right that looks as sure as the one by which an intruder of the
    verdict's level finds the person, whichever intruder is best at it, and 0 where nobody finds
    them: a link that is right by luck, among many alike that are wrong, is no link. Whose household
    is found by somebody who knows all its members counts as found. `unmoved` is one over the number
    of people who share a record that its owner still has. Those `sought` were looked for by all
    intruders. `copies` are the released rows that are somebody's own record. `gaps` are attacks
    that broke down.
    """

    found: Floats
    unmoved: Floats
    sought: Ints
    copies: CopiedRows
    gaps: Gaps = field(default_factory=Gaps)

    def __repr__(self) -> str:
        return f"<Exposure of {len(self.found)} people: secret>"

    @classmethod
    def of(cls, comparison: Comparison, sought: int = MOST_SOUGHT) -> Exposure:
        """Findings of the verdict's intruders, person by person."""
        gaps = Gaps()
        links, people = _find_people(comparison, sought, gaps)
        return cls(links, _find_unmoved(comparison), people, _find_copies(comparison), gaps)

    @cached_property
    def copied(self) -> Floats:
        """1 for people whose record is in the release as their own data."""
        copied = np.zeros(len(self.found))
        copied[self.copies.people] = 1.0
        return copied

    @cached_property
    def chances(self) -> Floats:
        """The worst of the three, for each person."""
        return np.max([self.found, self.copied, self.unmoved], axis=0)

    def list_above(self, limit: float) -> Ints:
        """The people who are more exposed than a limit."""
        return np.flatnonzero(self.chances > limit)

    def count_above(self, limit: float) -> dict[str, int]:
        """Count them by what exposes them; some are counted in several places."""
        kinds = {"found": self.found, "copied": self.copied, "unmoved": self.unmoved}
        return {name: int((chances > limit).sum()) for name, chances in kinds.items()}


def _find_people(comparison: Comparison, sought: int, gaps: Gaps) -> tuple[Floats, Ints]:
    """Return how often links like those that find each person are right, for the best intruder."""
    links, people = np.zeros(comparison.n), np.arange(comparison.n)
    origin = comparison.provenance
    if origin is None or comparison.ownership is Ownership.UNKNOWN:
        return links, people[:0]
    codes: dict[str, SharedCodes] = {}
    for level, known in list_known(comparison):
        if _rank(level) > _rank(comparison.level):
            continue
        columns = KnownColumns(comparison, origin, known, codes, gaps)
        family = IntruderFamily(columns, sought=sought, everybody=True)
        people = family.people
        for chances in _try(family, comparison.level):
            links[people] = np.maximum(links[people], chances)
    for units in find_all_units(comparison, everybody=comparison.n <= sought):
        gaps.add(*units.gaps.reasons)
        for unit in units.tried:
            links[unit.people] = np.maximum(links[unit.people], unit.chances)
    return links, people


def _try(family: IntruderFamily, level: Knowledge) -> Iterator[Floats]:
    """List what each intruder who looks for all of the people sought finds."""
    for one in family.try_all(everybody=level is not Knowledge.TARGET):
        if len(one.hits) == len(family.people):
            yield one.chances


def _rank(level: Knowledge) -> int:
    """Restrict knowledge to the person sought alone, whose keys are still known."""
    return max(list(Knowledge).index(level), list(Knowledge).index(Knowledge.KEYS))


def _find_copies(comparison: Comparison) -> CopiedRows:
    """Records that are in the release and are made of the person's own data."""
    masked = comparison.masked_directly
    return find_own_copies(comparison, masked) if masked else CopiedRows.none()


def _find_unmoved(comparison: Comparison) -> Floats:
    """For people whose row still has all their masked values, one over those who share them."""
    masked = comparison.masked_directly
    if not masked or not comparison.owners_known:
        return np.zeros(comparison.n)
    before, after = comparison.combinations(masked)
    return np.where(before == after, 1.0 / frequencies(before, before), 0.0)
