"""An intruder who calls people present if their records are near: how often that is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.comparison.intervals import of_difference, of_paired_difference
from swapmeet.comparison.score import CONFIDENCE

if TYPE_CHECKING:
    from swapmeet.base.arrays import Flags, Floats


@dataclass(frozen=True, repr=False, eq=False)
class Nearness:
    """Views of an intruder on people who are in the file, and on some who are not.

    Each is (statistics, people), and less speaks for presence. With `paired`, the absent are the
    same people in the same order.
    """

    present: Floats
    absent: Floats
    paired: bool

    def take(self, present: Flags, absent: Flags) -> Nearness:
        """That of some of the people."""
        return Nearness(self.present[:, present], self.absent[:, absent], self.paired)

    def find_best(self) -> tuple[int, float]:
        """The statistic and the threshold that separate these people best."""
        thresholds = [
            _best_threshold(*both) for both in zip(self.present, self.absent, strict=True)
        ]
        best = int(np.argmax([advantage for advantage, _ in thresholds]))
        return best, thresholds[best][1]

    def guess(self, statistic: int, threshold: float) -> tuple[Flags, Flags]:
        """People called present, of those who are and of those who are not."""
        return self.present[statistic] <= threshold, self.absent[statistic] <= threshold


@dataclass(frozen=True)
class Advantage:
    """Excess of the present called so over the absent called so: 0 is blind, 1 always right."""

    value: float
    interval: tuple[float, float]


def judge(nearness: Nearness, generator: np.random.Generator) -> Advantage:
    """The advantage of an intruder who learns from one half of the people, with the other half."""
    called = [np.zeros(side.shape[1], bool) for side in (nearness.present, nearness.absent)]
    first, second = _halve(nearness, generator)
    for learn, test in ((first, second), (second, first)):
        rule = nearness.take(*learn).find_best()
        for side, flags, guess in zip(called, test, nearness.guess(*rule), strict=True):
            side[flags] = guess[flags]
    return _measure(*called, paired=nearness.paired)


def _halve(
    nearness: Nearness, generator: np.random.Generator
) -> tuple[tuple[Flags, Flags], tuple[Flags, Flags]]:
    sizes = nearness.present.shape[1], nearness.absent.shape[1]
    present = generator.permutation(sizes[0]) % 2 == 0
    absent = present if nearness.paired else generator.permutation(sizes[1]) % 2 == 0
    return (present, absent), (~present, ~absent)


def _measure(present: Flags, absent: Flags, *, paired: bool) -> Advantage:
    one, other = present.astype(np.float64), absent.astype(np.float64)
    value = float(one.mean() - other.mean())
    interval = (
        of_paired_difference(one - other, CONFIDENCE)
        if paired
        else of_difference(one, other, CONFIDENCE)
    )
    return Advantage(max(value, 0.0), interval)


def _best_threshold(present: Floats, absent: Floats) -> tuple[float, float]:
    """The advantage and the threshold that give the most; nobody is called present in vain."""
    values = np.unique(np.append(present, absent))
    called, wrongly = (
        np.searchsorted(np.sort(side), values, "right") / max(len(side), 1)
        for side in (present, absent)
    )
    gain = np.append(0.0, called - wrongly)
    best = int(np.argmax(gain))
    return float(gain[best]), float(np.append(-np.inf, values)[best])
