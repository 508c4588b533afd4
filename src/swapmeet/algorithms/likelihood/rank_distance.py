"""Values whose rank is not far from that of the person in whose place a row stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.likelihood.base import Likelihood

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]
    Codes = npt.NDArray[np.int32]

STEPS = 1024
"""Distances in rank are told apart as finely as this share of the rows."""


@dataclass(frozen=True, repr=False, eq=False)
class RankDistance(Likelihood):
    """How likely a value is depends on how far it is in rank from the person's own.

    `people` and `rows` have two lines: the lowest and the highest rank of a value, as shares of the
    rows, which differ where values are tied; NaN where there is no value. `profile` is the
    log-likelihood by distance in steps of 1/1024, the last entry for all beyond; a missing value
    beside a present one is as far off as anything.
    """

    people: Floats
    rows: Floats
    profile: Floats

    def of_people(self, people: Ints) -> Floats:
        return self._look_up(self.people[:, people], self.rows)

    def of_rows(self, rows: Ints) -> Floats:
        return self._look_up(self.rows[:, rows], self.people)

    def _look_up(self, some: Floats, all_: Floats) -> Floats:
        (low, high), (lows, highs) = some[:, :, np.newaxis], all_
        apart = np.maximum(np.maximum(low - highs, lows - high), 0.0)
        missing = np.isnan(apart)
        last = len(self.profile) - 1
        steps = np.minimum(np.nan_to_num(apart, nan=np.inf) * STEPS, last)
        logs = self.profile[np.ceil(steps - 1e-9).astype(np.int64)]
        if missing.any():
            logs[missing & np.isnan(low) & np.isnan(lows)] = self.profile[0]
        return logs


def rank_both(
    people: Floats, rows: Floats, strata_people: Codes, strata_rows: Codes
) -> tuple[Floats, Floats]:
    """The lowest and the highest rank of each value among the people's, as shares, by stratum."""
    found = np.full((2, len(people)), np.nan), np.full((2, len(rows)), np.nan)
    for stratum in np.unique(strata_people):
        members = np.flatnonzero(strata_people == stratum)
        ordered = np.sort(people[members][~np.isnan(people[members])])
        both = (members, people), (np.flatnonzero(strata_rows == stratum), rows)
        for ranks, (places, values) in zip(found, both, strict=True):
            _rank(values[places], ordered, ranks, places)
    return found


def _rank(values: Floats, ordered: Floats, ranks: Floats, places: Ints) -> None:
    present = ~np.isnan(values)
    low = np.searchsorted(ordered, values[present], "left")
    high = np.searchsorted(ordered, values[present], "right") - 1
    ranks[0, places[present]] = low / max(len(ordered), 1)
    ranks[1, places[present]] = np.maximum(high, low) / max(len(ordered), 1)
