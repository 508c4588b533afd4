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
    chosen = [
        int(np.argmax(_means(right[:, half] - control[:, half]))) for half in _halve(right.shape[1])
    ]
    paired = np.where(np.isnan(right), np.nan, control)
    share, other = (_judge_other_half(part, chosen) for part in (right, paired))
    return Excess(
        chosen=tuple(sorted(set(chosen))), share=_mean(share), control=_mean(other),
        interval=of_paired_difference(share - other, confidence),
    )  # fmt: skip


def judge_groups(right: Floats, control: Floats, confidence: float) -> Excess:
    """The same where the control are other people, who may be fewer or more."""
    halves = zip(_halve(right.shape[1]), _halve(control.shape[1]), strict=True)
    chosen = [
        int(np.argmax(_means(right[:, one]) - _means(control[:, two]))) for one, two in halves
    ]
    share, other = (_judge_other_half(part, chosen) for part in (right, control))
    return Excess(
        chosen=tuple(sorted(set(chosen))), share=_mean(share), control=_mean(other),
        interval=of_difference(share, other, confidence),
    )  # fmt: skip


def of_difference(some: Floats, others: Floats, confidence: float) -> tuple[float, float]:
    """The interval of the difference of two mean chances, from 0 up.

    That of Agresti and Caffo (2000) for shares: as if each group had one more person who is
    guessed and one who is not.

    >>> low, high = of_difference(np.ones(8), np.zeros(8), 0.95)
    >>> round(low, 2), high
    (0.54, 1.0)
    """
    groups = [np.append(values, [0.0, 1.0]) for values in (some, others)]
    reach = _quantile(confidence) * sum(float(g.var()) / len(g) for g in groups) ** 0.5
    centre = _mean(groups[0]) - _mean(groups[1])
    return _from_zero(centre, reach, _mean(some) - _mean(others))


def of_paired_difference(differences: Floats, confidence: float) -> tuple[float, float]:
    """The interval of a mean difference of chances, from 0 up; of few people it is wide.

    That of Bonett and Price (2012) for paired shares: as if two more pairs had differed, one in
    each direction.

    >>> low, high = of_paired_difference(np.zeros(10), 0.95)
    >>> low, round(high, 3)
    (0.0, 0.231)
    """
    n, total = len(differences) + 2.0, float(differences.sum())
    spread = float((differences**2).sum()) + 2.0 - total**2 / n
    return _from_zero(total / n, _quantile(confidence) * spread**0.5 / n, _mean(differences))


def _from_zero(centre: float, reach: float, value: float) -> tuple[float, float]:
    """An interval inside [0, 1] that holds the value, or 0 if that is negative."""
    low, high = np.clip([centre - reach, centre + reach], 0.0, 1.0)
    return min(float(low), max(value, 0.0)), max(float(high), value)


def _quantile(confidence: float) -> float:
    from scipy.stats import norm

    return float(norm.ppf((1.0 + confidence) / 2.0))


def _halve(n: int) -> list[Ints]:
    return [np.arange(half, n, 2) for half in (0, 1)]


def _judge_other_half(part: Floats, chosen: list[int]) -> Floats:
    """What a guess is worth to the people who did not choose it; those who have a value."""
    halves = zip(reversed(chosen), _halve(part.shape[1]), strict=True)
    judged = np.concatenate([part[guess, half] for guess, half in halves])
    return judged[~np.isnan(judged)]


def _means(values: Floats) -> Floats:
    """Of each line, over those who are there; 0 where nobody is."""
    there = ~np.isnan(values)
    return np.where(there, values, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0
