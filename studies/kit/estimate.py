"""Means of repeated random runs, with their Monte Carlo errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class Estimate(NamedTuple):
    """A mean and its standard error; 0 where nothing is random, NaN after a single run."""

    mean: float
    error: float = 0.0
    spread: float = 0.0

    @classmethod
    def from_runs(cls, values: Iterable[float]) -> Estimate:
        """The mean of independent runs.

        >>> Estimate.from_runs([1.0, 2.0, 3.0])
        Estimate(mean=2.0, error=0.5773502691896258, spread=1.0)
        """
        found = np.array(list(values), np.float64)
        spread = float(found.std(ddof=1)) if len(found) > 1 else float("nan")
        return cls(float(found.mean()), spread / len(found) ** 0.5, spread)

    @classmethod
    def of_median(cls, values: Iterable[float]) -> Estimate:
        """The median of independent runs; its error is what one of its rank amounts to.

        >>> Estimate.of_median([1.0, 2.0, 3.0, 9.0])
        Estimate(mean=2.5, error=1.375, spread=2.75)
        >>> Estimate.of_median([0.2])
        Estimate(mean=0.2, error=nan, spread=nan)
        """
        found = np.array(list(values), np.float64)
        if len(found) == 1:
            return cls(float(found[0]), float("nan"), float("nan"))
        step = 0.5 / len(found) ** 0.5
        low, high = np.quantile(found, [max(0.5 - step, 0.0), min(0.5 + step, 1.0)])
        first, last = np.quantile(found, [0.25, 0.75])
        return cls(float(np.median(found)), float(high - low) / 2.0, float(last - first))


def repeat(run: Callable[[int], Mapping[str, float]], seeds: Iterable[int]) -> dict[str, Estimate]:
    """Estimates of all numbers that a run gives by name, each run with a seed of its own.

    >>> repeat(lambda seed: {"twice": 2.0 * seed}, [1, 2, 3])["twice"].mean
    4.0
    """
    runs = [run(seed) for seed in seeds]
    return {name: Estimate.from_runs(one[name] for one in runs) for name in runs[0]}
