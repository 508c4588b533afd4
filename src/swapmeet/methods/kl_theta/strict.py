"""Stricter conditions than K, L and θ: other diversities, and closeness to the whole table.

A union of two groups that satisfy one of them satisfies it, too: mixing distributions lowers
neither their entropy nor their recursive diversity, and brings them no farther from the whole. So
groups that fall short can be merged until all satisfy, as long as the whole table does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.algorithms.diversity import (
    count_in_groups,
    measure_entropy,
    measure_equal_distance,
    measure_ordered_distance,
    measure_recursive,
)
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.methods.kl_theta.sensitive import SensitiveCodes
    from swapmeet.tables.microdata import Variable

DISTINCT, ENTROPY, RECURSIVE = "distinct", "entropy", "recursive"
DIVERSITIES = (DISTINCT, ENTROPY, RECURSIVE)
NEARLY = 1e-9
"""A condition holds if it does so up to this."""


class WholeColumn(NamedTuple):
    """A sensitive column of the whole table: its codes begin at `first`, each has a share.

    `missing` is the code of missing values in a column with an order, which is the last, or -1;
    shares are then those among the values that are there, and `present` is the share of these.
    """

    first: int
    shares: Floats
    ordered: bool
    missing: int
    present: float

    @classmethod
    def of(cls, variable: Variable, codes: Ints, first: int) -> WholeColumn:
        counts = np.bincount(codes - first).astype(np.float64)
        ordered = variable.kind is not Kind.NOMINAL
        if not ordered or not variable.missing.any():
            return cls(first, counts / counts.sum(), ordered, -1, 1.0)
        there = counts[:-1]
        shares = there / max(there.sum(), 1.0)
        return cls(first, shares, ordered, first + len(there), there.sum() / counts.sum())

    def measure_distance(self, groups: Ints, codes: Ints) -> Floats:
        """The earth mover's distance of each group from the whole; missing is 1 from any value."""
        places = codes - self.first
        if not self.ordered:
            return measure_equal_distance(count_in_groups(groups, places), self.shares)
        there = codes != self.missing
        present = np.bincount(groups, weights=there) / np.bincount(groups)
        inside, numbers = np.unique(groups[there], return_inverse=True)
        found = np.zeros(len(present))
        if len(inside):
            pairs = count_in_groups(numbers, places[there])
            found[inside] = measure_ordered_distance(pairs, self.shares)
        return np.asarray(
            np.minimum(present, self.present) * found + np.abs(present - self.present)
        )


@dataclass(frozen=True, kw_only=True)
class StrictConditions:
    """`l` values in the sense of a `diversity`, and values at most `t` from those of the table."""

    l: int  # noqa: E741
    diversity: str = DISTINCT
    c: float = 3.0
    t: float | None = None

    @property
    def demands_more(self) -> bool:
        """Return whether they demand more than K, L and θ do."""
        return self.diversity != DISTINCT or self.t is not None

    def find_short(
        self, groups: Ints, values: SensitiveCodes, wholes: Sequence[WholeColumn]
    ) -> Ints:
        """The groups, numbered without gaps, that break a condition in some column."""
        short = np.zeros(int(groups.max(initial=-1)) + 1, np.bool_)
        for codes, whole in zip(values.codes.T, wholes, strict=True):
            if self.diversity != DISTINCT:
                short |= self._measure_diversity(groups, codes) < self.l - NEARLY
            if self.t is not None:
                short |= whole.measure_distance(groups, codes) > self.t + NEARLY
        return np.flatnonzero(short)

    def list_obstacles(
        self,
        names: Sequence[str],
        values: SensitiveCodes,
        wholes: Sequence[WholeColumn],
        strata: Ints,
    ) -> Iterator[str]:
        """List why no partition of the rows of each stratum can satisfy the conditions."""
        within = " in one of the strata" if strata.any() else ""
        for name, codes, whole in zip(names, values.codes.T, wholes, strict=True):
            if self.diversity != DISTINCT:
                found = float(self._measure_diversity(strata, codes).min())
                if found < self.l - NEARLY:
                    told = int(found * 1000) / 1000
                    yield (
                        f"column {name!r} has a diversity ({self.diversity}) of {told:g}"
                        f"{within}; `l` = {self.l} needs at least as much in every cluster. The "
                        f"largest `l` that can be met is {int(found + NEARLY)}."
                    )
            if self.t is not None:
                far = float(whole.measure_distance(strata, codes).max())
                if far > self.t + NEARLY:
                    yield (
                        f"column {name!r}: the values of a stratum are {far:.3g} from those of the "
                        f"whole table, more than `t` = {self.t:g} allows in every cluster. The "
                        f"least `t` that can be met is {-(-far * 10_000 // 1) / 10_000:g}; or "
                        "merge strata."
                    )

    def _measure_diversity(self, groups: Ints, codes: Ints) -> Floats:
        pairs = count_in_groups(groups, codes - codes.min())
        if self.diversity == ENTROPY:
            return measure_entropy(pairs)
        return measure_recursive(pairs, self.c)
