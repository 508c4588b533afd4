"""One search: trials, then the leaders again, and the best in full, within its budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from swapmeet.tuning.finalists import FinalsPlan
from swapmeet.tuning.trial_loop import BestSoFar, run_trials

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from swapmeet.tuning.budget import Clock
    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.plan import Plan
    from swapmeet.tuning.pool import Pool
    from swapmeet.tuning.progress import ProgressListener, SearchProgress
    from swapmeet.tuning.study import Study
    from swapmeet.tuning.trial import Setting, Trial
    from swapmeet.tuning.trial_runner import TrialRunner

SEARCH_SHARE = 0.7
"""So much of what is left of a budget goes to the search; the rest is for the leaders."""
TOO_LITTLE = 0.3
"""With less than this share of its time left, a search does not begin anew."""
MOST_CHECKS = 10
"""So many settings are measured in full at a time, until one keeps the limits."""
LATE_CHECKS = 3
"""So many when the time is up: what is recommended was measured in full, if possible."""


@dataclass(frozen=True, kw_only=True)
class SearchRun:
    """What a search works with; `checker` measures in full what trials only look at."""

    study: Study
    checker: TrialRunner
    plan: Plan
    pool: Pool
    clock: Clock
    record: Callable[[Trial], None]
    on_progress: ProgressListener
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
        """Check the best and repeat the leaders, until neither leads to anything new."""
        begun = made
        while True:
            self._check_best()
            plan = FinalsPlan(self.study, self.final_repeats)
            repeated = self._make(plan, pool, self.clock.take(1.0, made), made)
            made += repeated
            if not repeated:
                return made - begun

    def _make(self, plan: Plan, pool: Pool, clock: Clock, made: int) -> int:
        if not clock.allows(0):
            return 0

        def tell(progress: SearchProgress) -> None:
            done = made + progress.done
            most = self.clock.budget.trials if self.clock.budget else None
            share = progress.share if most is None else done / most
            self.on_progress(replace(progress, done=done, share=share))

        return run_trials(plan, pool, clock, self.record, BestSoFar(self.study), tell)

    def _check_best(self, most: int = MOST_CHECKS) -> None:
        """Measure the best in full, and the next best, until one is as good as it seemed."""
        if not self.checker.dear_measures:
            return
        for number in range(most):
            best = self._find_best()
            if best is None or best.checked or (self.clock.left <= 0 and number >= LATE_CHECKS):
                return
            self.record(self.checker.check(best.setting))

    def _find_best(self) -> Candidate | None:
        return replace(self.study).choice.best


@dataclass
class _KeptOpen:
    """A pool for one part of a search, which the next part uses, too."""

    pool: Pool
    size: int

    def submit(self, setting: Setting, repeat: int) -> Future[Trial]:
        return self.pool.submit(setting, repeat)

    def close(self) -> None:
        """It stays open."""
