"""Excess of right guesses about people whose data are there: the worst guess, fairly judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.comparison.intervals import of_difference, of_paired_difference

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints


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
        """Return what is guessed beyond strangers' data; never below 0."""
        return max(self.share - self.control, 0.0)


def judge_pairs(right: Floats, control: Floats, confidence: float) -> Excess:
    """Both arrays have a line for each guess and a column for each person; NaN is nobody's."""
    chosen = [_choose(_means(right[:, half] - control[:, half])) for half in _halve(right.shape[1])]
    paired = np.where(np.isnan(right), np.nan, control)
    share, other = (_judge_other_half(part, chosen) for part in (right, paired))
    return Excess(
        chosen=tuple(sorted(set(chosen))), share=_mean(share), control=_mean(other),
        interval=of_paired_difference(share - other, confidence),
    )  # fmt: skip


def judge_groups(right: Floats, control: Floats, confidence: float) -> Excess:
    """The same where the control are other people, who may be fewer or more."""
    halves = zip(_halve(right.shape[1]), _halve(control.shape[1]), strict=True)
    chosen = [_choose(_means(right[:, one]) - _means(control[:, two])) for one, two in halves]
    share, other = (_judge_other_half(part, chosen) for part in (right, control))
    return Excess(
        chosen=tuple(sorted(set(chosen))), share=_mean(share), control=_mean(other),
        interval=of_difference(share, other, confidence),
    )  # fmt: skip


def _halve(n: int) -> list[Ints]:
    return [np.arange(half, n, 2) for half in (0, 1)]


def _judge_other_half(part: Floats, chosen: list[int]) -> Floats:
    """Return what a guess is worth to people with a value who did not choose it."""
    halves = zip(reversed(chosen), _halve(part.shape[1]), strict=True)
    judged = np.concatenate([part[guess, half] for guess, half in halves])
    return judged[~np.isnan(judged)]


def _means(values: Floats) -> Floats:
    """Of each line, over those who are there; NaN where nobody is."""
    there = ~np.isnan(values)
    means = np.where(there, values, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    return np.where(there.any(axis=1), means, np.nan)


def _choose(gains: Floats) -> int:
    """The line that gains most; never one of nobody, unless all are."""
    return int(np.argmax(np.where(np.isnan(gains), -np.inf, gains)))


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0
