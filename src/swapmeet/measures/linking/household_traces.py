"""Evidence that ties the rows of released households to the members of those sought."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.likelihood.agreement import Agreement
from swapmeet.algorithms.likelihood.best_units import MemberFits
from swapmeet.algorithms.likelihood.sums import add_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.algorithms.likelihood import Likelihood
    from swapmeet.core.base.arrays import Floats, Ints
    from swapmeet.measures.linking.household_pairs import HouseholdPairs


@dataclass(frozen=True, repr=False, eq=False)
class HouseholdTraces:
    """Pieces of evidence of one way to look for households, and what each says by chance.

    What all members of a household share counts once for all of them.
    """

    way: str
    pairs: HouseholdPairs
    pieces: Sequence[Likelihood]
    chances: Sequence[Floats]
    by_method: bool = False

    def __repr__(self) -> str:
        return f"<HouseholdTraces: {self.way}>"

    @classmethod
    def weigh_rare(
        cls, way: str, pairs: HouseholdPairs, pieces: Sequence[Agreement]
    ) -> HouseholdTraces:
        """Rare values count more: by the likelihood of a row over that of its values in any row."""
        return cls(way, pairs, pieces, [piece.codes.chances_of_rows for piece in pieces])

    def fit(self, people: Ints) -> MemberFits:
        """Return how well each released row fits each of these people, over chance."""
        base, common = self._of_everybody
        portions = 1.0 / self.pairs.sizes[self.pairs.original[people]]
        if self._agreements is None:
            matrix = MemberFits.of_matrix(self._add_up(people, portions))
            return matrix._replace(base=base, common=common, shares=portions)
        own = np.stack([piece.codes.people[people] for piece in self._agreements], axis=1)
        gains = self._find_gains(own, portions)
        return MemberFits(np.empty((0, 0)), base, common, portions, self._codes, own, gains)

    @cached_property
    def _agreements(self) -> list[Agreement] | None:
        """The pieces, if all say only whether values agree."""
        agreements = [piece for piece in self.pieces if type(piece) is Agreement]
        return agreements if len(agreements) == len(self.pieces) else None

    @cached_property
    def _shared(self) -> list[bool]:
        """Of which pieces the columns are the same for all members of every household."""
        return [set(piece.columns) <= self.pairs.common for piece in self.pieces]

    @cached_property
    def _of_everybody(self) -> tuple[Floats, Floats]:
        """Return what each row says about everybody: in columns of persons, and of households."""
        base, common = np.zeros((2, len(self.pairs.released)))
        for number, is_shared in enumerate(self._shared):
            part = common if is_shared else base
            part -= self.chances[number]
            if self._agreements is not None:
                piece = self._agreements[number]
                part += piece.logs[1][piece.codes.rows]
        return base, common

    @cached_property
    def _codes(self) -> Ints:
        assert self._agreements is not None
        codes = np.stack([piece.codes.rows for piece in self._agreements], axis=1)
        return np.ascontiguousarray(codes)

    def _find_gains(self, own: Ints, portions: Floats) -> Floats:
        """Return what agreement says more than its absence; nothing for values that no row has."""
        assert self._agreements is not None
        gains = np.empty(own.shape)
        for j, piece in enumerate(self._agreements):
            agree, differ = piece.logs
            with np.errstate(invalid="ignore"):
                gain = agree[own[:, j]] - differ[own[:, j]]
            gains[:, j] = np.where(np.isfinite(gain), gain, 0.0)
            if self._shared[j]:
                gains[:, j] *= portions
        return gains

    def _add_up(self, people: Ints, portions: Floats) -> Floats:
        """The sum of all pieces of evidence for each of these people, with every row."""
        pairs = [*zip(self.pieces, self._shared, strict=True)]
        own = [piece for piece, is_shared in pairs if not is_shared]
        shared = [piece for piece, is_shared in pairs if is_shared]
        rows = len(self.pairs.released)
        fits = add_up(own, people) if own else np.zeros((len(people), rows))
        if shared:
            fits += add_up(shared, people) * portions[:, np.newaxis]
        return fits
