"""An intruder who calls people present if their records are near: how often that is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.measures.intervals import of_difference, of_paired_difference
from swapmeet.measures.score import CONFIDENCE

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, repr=False, eq=False)
class Evidence:
    """What an intruder sees of people who are in the file, and of some who are not.

    Each is (statistics, people), and less speaks for presence. With `paired`, the absent are the
    same people in the same order.
    """

    present: Floats
    absent: Floats
    paired: bool

    def take(self, present: Flags, absent: Flags) -> Evidence:
        """That of some of the people."""
        return Evidence(self.present[:, present], self.absent[:, absent], self.paired)

    def find_best(self) -> tuple[int, float]:
        """The statistic and the threshold that tell these people apart best."""
        found = [_best_threshold(*both) for both in zip(self.present, self.absent, strict=True)]
        best = int(np.argmax([advantage for advantage, _ in found]))
        return best, found[best][1]

    def guess(self, statistic: int, threshold: float) -> tuple[Flags, Flags]:
        """Who is called present, of those who are and of those who are not."""
        return self.present[statistic] <= threshold, self.absent[statistic] <= threshold


@dataclass(frozen=True)
class Advantage:
    """How much more often the present are called so than the absent: 0 is blind, 1 always right."""

    value: float
    interval: tuple[float, float]


def judge(evidence: Evidence, generator: np.random.Generator) -> Advantage:
    """The advantage of whoever learns from one half of the people, with the other half."""
    called = [np.zeros(side.shape[1], bool) for side in (evidence.present, evidence.absent)]
    first, second = _halve(evidence, generator)
    for learn, test in ((first, second), (second, first)):
        rule = evidence.take(*learn).find_best()
        for side, flags, guess in zip(called, test, evidence.guess(*rule), strict=True):
            side[flags] = guess[flags]
    return _measure(*called, paired=evidence.paired)


def _halve(
    evidence: Evidence, generator: np.random.Generator
) -> tuple[tuple[Flags, Flags], tuple[Flags, Flags]]:
    sizes = evidence.present.shape[1], evidence.absent.shape[1]
    present = generator.permutation(sizes[0]) % 2 == 0
    absent = present if evidence.paired else generator.permutation(sizes[1]) % 2 == 0
    return (present, absent), (~present, ~absent)


def _measure(present: Flags, absent: Flags, *, paired: bool) -> Advantage:
    if paired:
        gained, lost = int((present & ~absent).sum()), int((absent & ~present).sum())
        value = (gained - lost) / len(present)
        low, high = of_paired_difference(gained, lost, len(present), CONFIDENCE)
    else:
        value = float(present.mean() - absent.mean())
        low, high = of_difference(
            (int(present.sum()), len(present)), (int(absent.sum()), len(absent)), CONFIDENCE
        )
    return Advantage(max(value, 0.0), (max(low, 0.0), max(high, 0.0)))


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
