"""The truth about links of people to released rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from swapmeet.base.arrays import Flags, Floats, Ints
    from swapmeet.release.provenance import Provenance


@dataclass(frozen=True, repr=False, eq=False)
class Truth:
    """Owner of each row's place, and giver of most of what the intruder does not know.

    A link is right by either; so a record that moved as a whole is found wherever it is, and a
    value that moved alone is not mistaken for a person. Negative numbers are nobody.
    """

    place: Ints
    giver: Ints

    def __repr__(self) -> str:
        return f"<Truth of {len(self.place)} rows>"

    @classmethod
    def of(cls, provenance: Provenance, masked: Collection[str], known: Collection[str]) -> Truth:
        """For an intruder who knows some columns; where nothing is left to know, all count."""
        unknown = [name for name in masked if name not in known] or list(masked)
        return cls(provenance.place, provenance.find_givers(unknown))

    def pick(self, rows: Ints) -> Truth:
        """The truth about some rows."""
        return Truth(self.place[rows], self.giver[rows])

    def are_right(self, people: Ints, rows: Ints) -> Flags:
        """Return whether each person is linked correctly with each row; arrays are broadcast."""
        return (self.place[rows] == people) | (self.giver[rows] == people)

    def share_right(self, scores: Floats, people: Ints, offsets: Floats | None = None) -> Floats:
        """Return each person's share of right links, if the best rows are taken, ties by lot."""
        from swapmeet.intruders.evidence.best_rows import share_right

        none = np.zeros(scores.shape[1]) if offsets is None else offsets
        return share_right(scores, none, people, self.place, self.giver)
