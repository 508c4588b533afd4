"""One search: trials, then the leaders again, and the best in full, within its budget."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from swapmeet.core.base.progress import Progress, silent
from swapmeet.tuning.eligible import list_eligible
from swapmeet.tuning.finalists import FinalsPlan
from swapmeet.tuning.trial_loop import BestSoFar, run_trials

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from swapmeet.tuning.budget import Clock
    from swapmeet.tuning.plan import Plan
    from swapmeet.tuning.pool import Pool
    from swapmeet.tuning.progress import ProgressListener, SearchProgress
    from swapmeet.tuning.study import Study
    from swapmeet.tuning.trial import Setting, Trial
    from swapmeet.tuning.trial_runner import TrialRunner

SEARCH_SHARE = 0.6
"""So much of what is left of a budget goes to the search; the rest is for the leaders."""
TOO_LITTLE = 0.3
"""With less than this share of its time left, a search does not begin anew."""
MOST_CHECKS = 10
"""So many settings are measured in full at a time, until one keeps the limits."""
LATE_CHECKS = 3
"""So many when the time is up: what is recommended was measured in full, if possible."""


@dataclass(frozen=True, kw_only=True)
class SearchRun:
    """What a search works with; `checker` measures in full what trials only look at.

    `go_on` is asked now and then whether to go on.
    """

    study: Study
    checker: TrialRunner
    plan: Plan
    pool: Pool
    clock: Clock
    record: Callable[[Trial], None]
    on_progress: ProgressListener
    go_on: Progress = silent
    final_repeats: int

    def run(self) -> int:
        """Search, repeat the leaders, and go on while there is budget; the number of trials."""
        made, pool = 0, _KeptOpen(self.pool, self.pool.size)
        try:
            while True:
                part = self.clock.take(SEARCH_SHARE, made)
                found = self._make(self.plan, pool, part, made)
                made += found + self._decide(pool, made + found)
                if part.allows(found) or not self._goes_on(made):
                    break
            self._check_best(LATE_CHECKS)
            return made
        finally:
            self.pool.close()

    def _goes_on(self, made: int) -> bool:
        limited = self.clock.budget is not None
        return limited and self.clock.allows(made) and self.clock.share < 1.0 - TOO_LITTLE

    def _decide(self, pool: Pool, made: int) -> int:
        """Repeat the leaders and check the best, until neither leads to anything new."""
        begun = made
        while True:
            plan = FinalsPlan(self.study, self.final_repeats)
            repeated = self._make(plan, pool, self.clock.take(1.0, made), made)
            made += repeated
            if not self._check_best() and not repeated:
                return made - begun

    def _make(self, plan: Plan, pool: Pool, clock: Clock, made: int) -> int:
        if not clock.allows(0):
            return 0

        def tell(progress: SearchProgress) -> None:
            done = made + progress.done
            most = self.clock.budget.trials if self.clock.budget else None
            share = progress.share if most is None else done / most
            self.on_progress(replace(progress, done=done, share=share))

        return run_trials(plan, pool, clock, self.record, BestSoFar(self.study), tell, self.go_on)

    def _check_best(self, most: int = MOST_CHECKS) -> int:
        """Measure the best in full, and others, until none that is open has a better score.

        The number of settings that were measured.
        """
        if not self.checker.dear_measures:
            return 0
        for number in range(most):
            setting = self._find_unchecked()
            if setting is None or (self.clock.left <= 0 and number >= LATE_CHECKS):
                return number
            self.record(self.checker.check(setting))
        return most

    def _find_unchecked(self) -> Setting | None:
        """What to check next: the best, but methods whose settings missed a limit come later."""
        candidates = self.study.trials.candidates(self.study.goal)
        eligible = list_eligible(candidates, self.study.limits)
        ahead = list(takewhile(lambda c: not c.checked, eligible))
        missed = Counter(
            c.setting.name for c in candidates if c.checked and not c.keeps(self.study.limits)
        )
        best = min(ahead, key=lambda c: (missed[c.setting.name], *c.merit), default=None)
        return None if best is None else best.setting


@dataclass
class _KeptOpen:
    """A pool for one part of a search, which the next part uses, too."""

    pool: Pool
    size: int

    def submit(self, setting: Setting, repeat: int) -> Future[Trial]:
        return self.pool.submit(setting, repeat)

    def close(self) -> None:
        """It stays open."""
