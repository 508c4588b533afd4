"""Full checks: which settings promise to be better than the best, and in which order to look."""

from __future__ import annotations

from collections import defaultdict
from math import ceil, log2
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.measures.limits import LOSS_AXIS
from swapmeet.tuning.frontier import list_eligible
from swapmeet.tuning.plan import useful_repeats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.tuning.budget import SearchClock
    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.study import Study
    from swapmeet.tuning.trial import Trial, TrialJob

HOPELESS = 0.15
"""A setting with less chance than this to keep the limits is not checked."""
LIKELY = 0.8
"""The chance of a setting that is like those that kept all limits."""
TINY = 1e-9
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
                family = families[one.setting.family]
                (family.kept if one.keeps(limits) else family.missed).append(one)
        for one in eligible:
            if not one.is_whole and one.merit[0] < bar:
                families[one.setting.family].waiting.append(one)
        self._chances = [family.estimate() for family in families.values()]
        chances = {number: chance for some in self._chances for number, chance in some.items()}
        self.settings = [one for one in eligible if chances.get(one.number, 0.0) >= HOPELESS]
        bar = max((one.merit[0] for one in self.settings), default=0.0) if np.isinf(bar) else bar
        self._gains = {
            one.number: chances[one.number] * (bar - one.merit[0] + TINY) for one in self.settings
        }

    def rank(self) -> list[Candidate]:
        """The settings, by how much better than the best each is, times its chance."""
        return sorted(self.settings, key=lambda one: (-self._gains[one.number], one.merit))

    @property
    def expected(self) -> int:
        """About how many checks it takes to find the best of these."""
        sizes = [sum(chance >= HOPELESS for chance in some.values()) for some in self._chances]
        return sum(min(size, ceil(log2(size + 1)) + 1) for size in sizes if size)


class _Family:
    """The settings of a method: those that were checked, and those that wait for it."""

    def __init__(self) -> None:
        self.kept: list[Candidate] = []
        self.missed: list[Candidate] = []
        self.waiting: list[Candidate] = []

    def estimate(self) -> dict[int, float]:
        """The chance of each waiting setting to keep all limits in full, by its number.

        A setting that lost more, looked safer and still exceeded a limit speaks against it, one
        that lost less, looked riskier and kept all speaks for it. Where neither is there, what
        loses more has the better chance.
        """
        chances, neutral = {}, []
        for one in self.waiting:
            against = any(_looks_safer(other, one) for other in self.missed)
            by = any(_looks_safer(one, other) for other in self.kept)
            if against or by:
                chances[one.number] = LIKELY * by if against != by else 0.5
            else:
                neutral.append(one)
        neutral.sort(key=lambda one: one.median(LOSS_AXIS))
        return chances | {
            one.number: place / (len(neutral) + 1) for place, one in enumerate(neutral, 1)
        }


def _looks_safer(one: Candidate, other: Candidate) -> bool:
    """Return whether a setting loses at least as much as another, at no more risk at first look."""
    return one.median(LOSS_AXIS) >= other.median(LOSS_AXIS) and one.look <= other.look


class ChecksPlan:
    """Measures in full what promises most, until nothing does or no check fits into the time.

    Of the best, so many `releases` are measured in the end.
    """

    def __init__(self, study: Study, clock: SearchClock, releases: int = 1) -> None:
        self._study, self._clock, self._releases = study, clock, releases
        self._running: set[str] = set()
        self._promise = self._look()

    @property
    def total(self) -> int:
        """About as many checks as are left."""
        return self._promise.expected + self._missing

    def next(self) -> TrialJob | None:
        """The setting to check next; None if there is none, or no time for it."""
        for one in self._promise.rank():
            key = one.setting.key
            if key not in self._running and self._fits(one):
                self._running.add(key)
                return one.setting, 0, True
        return self._confirm_best()

    def _confirm_best(self) -> TrialJob | None:
        """Another release of the best, until there are enough: one may keep limits by chance."""
        best = self._promise.best
        if not self._missing or best is None or not self._fits(best):
            return None
        if best.setting.key in self._running:
            return None
        self._running.add(best.setting.key)
        return best.setting, self._study.trials.count_checks(best.setting), True

    @property
    def _missing(self) -> int:
        """The releases of the best that are still to be measured."""
        best = self._promise.best
        if best is None or not best.checked:
            return 0
        wanted = useful_repeats(best.setting, self._releases)
        return max(wanted - self._study.trials.count_checks(best.setting), 0)

    def learn(self, trial: Trial) -> None:
        """See what a check leaves open."""
        self._running.discard(trial.setting.key)
        self._promise = self._look()

    def _look(self) -> Promise:
        return Promise(self._study.list_candidates(), self._study.limits)

    def _fits(self, one: Candidate) -> bool:
        seconds = self._study.trials.predict_check(one.setting.name)
        return SLACK * seconds <= self._clock.left
