"""Values that most people keep, and some trade with a person of their group who has another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.ranks import places_in
from swapmeet.intruders.evidence.base import mix_in_doubt
from swapmeet.intruders.evidence.coded import CodedLikelihood

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.comparison.codes import SharedCodes


@dataclass(frozen=True, repr=False, eq=False)
class KeptOrTraded(CodedLikelihood):
    """A row's value is its person's own with probability `stay`, else that of a partner.

    A partner is of the person's group (`labels`) and has another value; members are partners in
    proportion to `weights`. Who has no possible partner keeps their value.
    """

    labels: Ints
    stay: Floats
    weights: Floats

    @property
    def traded(self) -> SharedCodes | None:
        return self.codes

    def of_people(self, people: Ints) -> Floats:
        cells, starts, sums = self._cells
        groups = self.labels[people]
        lengths = starts[groups + 1] - starts[groups]
        lines = np.repeat(np.arange(len(people)), lengths)
        places = places_in(starts[groups], starts[groups + 1])
        codes = cells[places] % self.codes.count
        shares = sums[places] * np.repeat(self._rates[people], lengths)
        own = codes == self.codes.people[people][lines]
        shares[own] = self._kept[people][lines[own]]
        logs = mix_in_doubt(shares, self.codes.chances[codes], self.doubt)
        return self.codes.spread_over_rows(self.floor, lines, codes, logs)

    def of_rows(self, rows: Ints) -> Floats:
        cells, _, sums = self._cells
        codes, which = np.unique(self.codes.rows[rows], return_inverse=True)
        logs = np.empty((len(codes), len(self.labels)))
        groups = np.arange(self._groups)
        for line, code in zip(logs, codes.tolist(), strict=True):
            wanted = groups * self.codes.count + code
            places = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
            found = np.where(cells[places] == wanted, sums[places], 0.0)
            shares = found[self.labels] * self._rates
            own = self.codes.find_people(code)
            shares[own] = self._kept[own]
            line[:] = mix_in_doubt(shares, self.codes.chances[code], self.doubt)
        return logs[which]

    @property
    def _groups(self) -> int:
        return int(self.labels.max(initial=-1)) + 1

    @cached_property
    def _cells(self) -> tuple[Ints, Ints, Floats]:
        """The values of each group, where each group begins among them, and their weights."""
        cells, which = np.unique(
            self.labels * self.codes.count + self.codes.people, return_inverse=True
        )
        starts = np.searchsorted(cells, np.arange(self._groups + 1) * self.codes.count)
        sums = np.bincount(which, self.weights, len(cells))
        return cells, np.asarray(starts, np.int64), np.asarray(sums, np.float64)

    @cached_property
    def _others(self) -> Floats:
        """The weight of each person's possible partners."""
        cells, _, sums = self._cells
        total = np.bincount(self.labels, self.weights, self._groups)[self.labels]
        own = np.searchsorted(cells, self.labels * self.codes.count + self.codes.people)
        others = total - sums[own]
        return np.where(others > 1e-12 * total, others, 0.0)

    @cached_property
    def _kept(self) -> Floats:
        return np.where(self._others > 0.0, self.stay, 1.0)

    @cached_property
    def _rates(self) -> Floats:
        """Return what a unit of a partner's weight adds to the share of their value."""
        some = self._others > 0.0
        return np.where(some, (1.0 - self.stay) / np.where(some, self._others, 1.0), 0.0)
