"""How much more is guessed of people whose data are there: the worst guess, fairly judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Excess:
    """Right guesses of people who are in the release and of strangers, by guess chosen.

    `chosen` are the numbers of the guesses that looked worst to one half of the people and were
    judged on the other; usually both halves choose the same.
    """

    chosen: tuple[int, ...]
    share: float
    control: float
    interval: tuple[float, float]

    @property
    def value(self) -> float:
        """What is guessed beyond strangers' data; never below 0."""
        return max(self.share - self.control, 0.0)


def judge_pairs(right: Floats, control: Floats, confidence: float) -> Excess:
    """Both arrays have a line for each guess and a column for each person; NaN is nobody's."""
    halves = [np.arange(half, right.shape[1], 2) for half in (0, 1)]
    chosen = tuple(_choose(right[:, half] - control[:, half]) for half in halves)
    judged = list(zip(reversed(chosen), halves, strict=True))
    share, other = (
        np.concatenate([part[guess, half] for guess, half in judged]) for part in (right, control)
    )
    present = ~np.isnan(share)
    share, other = share[present], other[present]
    interval = of_paired_difference(share - other, confidence)
    return Excess(
        chosen=tuple(sorted(set(chosen))), share=_mean(share), control=_mean(other),
        interval=interval,
    )  # fmt: skip


def of_paired_difference(differences: Floats, confidence: float) -> tuple[float, float]:
    """The interval of a mean difference of chances, from 0 up; of few people it is wide.

    That of Bonett and Price (2012) for paired shares: as if two more pairs had differed, one in
    each direction.

    >>> low, high = of_paired_difference(np.zeros(10), 0.95)
    >>> low, round(high, 3)
    (0.0, 0.231)
    """
    from scipy.stats import norm

    n, total = len(differences) + 2.0, float(differences.sum())
    spread = float((differences**2).sum()) + 2.0 - total**2 / n
    reach = float(norm.ppf((1.0 + confidence) / 2.0)) * spread**0.5 / n
    value = max(_mean(differences), 0.0)
    low, high = np.clip([total / n - reach, total / n + reach], 0.0, 1.0)
    return min(float(low), value), max(float(high), value)


def _choose(differences: Floats) -> int:
    """The guess with the largest mean difference; the first where there is nobody."""
    there = ~np.isnan(differences)
    sums = np.where(there, differences, 0.0).sum(axis=1)
    return int(np.argmax(sums / np.maximum(there.sum(axis=1), 1)))


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0
