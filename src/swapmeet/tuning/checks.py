"""Full checks: which settings promise to be better than the best, and in which order to look."""

from __future__ import annotations

from collections import defaultdict
from math import ceil, log2
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.measures.limits import LOSS_AXIS
from swapmeet.tuning.eligible import list_eligible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.tuning.budget import Clock
    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.study import Study
    from swapmeet.tuning.trial import Job, Trial

HOPELESS = 0.15
"""A setting with less chance than this to keep the limits is not checked."""
WORTHWHILE = 0.02
"""By this share of the best's loss a setting has to be better to be checked."""
SLACK = 0.9
"""A check begins if this share of the time it will probably take is left."""


class Promise:
    """The settings that kept the limits so far, were not checked, and would beat the best.

    Within a method, more loss usually means less risk. So the settings of a method that keep the
    limits lie above some loss, and each check narrows down where that is.
    """

    def __init__(self, candidates: Sequence[Candidate], limits: Mapping[str, float]) -> None:
        eligible = list_eligible(candidates, limits)
        self.best = next((c for c in eligible if c.is_whole), None)
        bar = np.inf
        if self.best is not None:
            least = self.best.merit[0]
            bar = least - WORTHWHILE * abs(least)
        families: dict[tuple[str, ...], _Family] = defaultdict(_Family)
        for one in candidates:
            if one.checked and not one.failure:
                families[one.setting.family].add_checked(one, kept=one.keeps(limits))
        for one in eligible:
            if not one.is_whole and one.merit[0] < bar:
                families[one.setting.family].waiting.append(one)
        self._families = [family for family in families.values() if family.waiting]
        self.settings = [
            one for family in self._families for one in family.waiting
            if family.estimate(one) >= HOPELESS
        ]  # fmt: skip

    def rank(self) -> list[Candidate]:
        """The settings, by how much better than the best each is, times its chance."""
        tops = [one.merit[0] for one in self.settings]
        bar = max(tops, default=0.0) if self.best is None else self.best.merit[0]
        gains = {
            one.number: (family.estimate(one) * (bar - one.merit[0] + 1e-9))
            for family in self._families
            for one in family.waiting
        }
        return sorted(self.settings, key=lambda one: (-gains[one.number], one.merit))

    @property
    def expected(self) -> int:
        """About how many checks it takes to find the best of these."""
        there = {one.number for one in self.settings}
        sizes = [sum(one.number in there for one in f.waiting) for f in self._families]
        return sum(min(size, ceil(log2(size + 1)) + 1) for size in sizes if size)


class _Family:
    """The settings of a method: losses of those that were checked, and what waits for it."""

    def __init__(self) -> None:
        self.kept: list[float] = []
        self.missed: list[float] = []
        self.waiting: list[Candidate] = []

    def add_checked(self, one: Candidate, *, kept: bool) -> None:
        (self.kept if kept else self.missed).append(one.median(LOSS_AXIS))

    def estimate(self, one: Candidate) -> float:
        """The chance that a setting keeps all limits in full."""
        loss = one.median(LOSS_AXIS)
        against = sum(missed >= loss for missed in self.missed)
        by = sum(kept <= loss for kept in self.kept)
        if against or by:
            return (1 + by) / (2 + by + 2 * against)
        between = sorted(
            other.median(LOSS_AXIS) for other in self.waiting
            if self._is_open(other.median(LOSS_AXIS))
        )  # fmt: skip
        return float((np.searchsorted(between, loss) + 1) / (len(between) + 1))

    def _is_open(self, loss: float) -> bool:
        """Whether no check speaks for or against a setting with this loss."""
        return loss > max(self.missed, default=-np.inf) and loss < min(self.kept, default=np.inf)


class ChecksPlan:
    """Measures in full what promises most, until nothing does or no check fits into the time."""

    def __init__(self, study: Study, clock: Clock) -> None:
        self._study, self._clock = study, clock
        self._running: set[str] = set()
        self._promise = self._look()

    @property
    def total(self) -> int:
        """About as many checks as are left."""
        return self._promise.expected

    def next(self) -> Job | None:
        """The setting to check next; None if there is none, or no time for it."""
        for one in self._promise.rank():
            key = one.setting.key
            if key not in self._running and self._fits(one):
                self._running.add(key)
                return one.setting, 0, True
        return None

    def learn(self, trial: Trial) -> None:
        """See what a check leaves open."""
        self._running.discard(trial.setting.key)
        self._promise = self._look()

    def _look(self) -> Promise:
        return Promise(self._study.list_candidates(), self._study.limits)

    def _fits(self, one: Candidate) -> bool:
        seconds = self._study.trials.predict_check(one.setting.name)
        return SLACK * seconds <= self._clock.left
