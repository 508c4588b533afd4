"""Make the trials of a plan, write each down, and say how it stands."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, wait
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.base.progress import Progress, silent
from swapmeet.measures.limits import SCORE
from swapmeet.tuning.frontier import select_comparable
from swapmeet.tuning.progress import SearchProgress

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from swapmeet.tuning.budget import Clock
    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.plan import Plan
    from swapmeet.tuning.pool import Pool
    from swapmeet.tuning.progress import ProgressListener
    from swapmeet.tuning.study import Study
    from swapmeet.tuning.trial import Trial


PATIENCE = 0.5
"""Seconds that a trial is waited for before anything else is done."""


class BestSoFar:
    """The best setting so far, found without looking at all of them again."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._best: dict[str, Candidate] = {}
        for key in study.trials.settings.keys() - study.trials.failures.keys():
            self._look_at(key)

    def after(self, trial: Trial) -> Candidate | None:
        """The best, now that a trial is done."""
        if not trial.failure:
            self._look_at(trial.setting.key)
        able = select_comparable(list(self._best.values()))
        return min(able, key=lambda c: c.median(SCORE), default=None)

    def _look_at(self, key: str) -> None:
        candidate = self._study.trials.candidate(key, self._study.goal)
        self._best.pop(key, None)
        if candidate.keeps(self._study.limits) and not np.isnan(candidate.median(SCORE)):
            self._best[key] = candidate


def run_trials(
    plan: Plan, pool: Pool, clock: Clock, record: Callable[[Trial], None], best: BestSoFar,
    on_progress: ProgressListener, go_on: Progress = silent,
) -> int:  # fmt: skip
    """Make trials until the plan or the budget ends; return how many were made.

    When the time is over, trials in flight are lost. `go_on` is asked now and then whether to go
    on; what it raises ends the search.
    """
    waiting: set[Future[Trial]] = set()
    begun = done = 0
    total = _total(plan, clock)
    try:
        while True:
            while len(waiting) < pool.size and clock.allows(begun):
                job = plan.next()
                if job is None:
                    break
                waiting.add(pool.submit(*job))
                begun += 1
            if not waiting or clock.left <= 0:
                return done
            finished, waiting = wait(waiting, min(clock.left, PATIENCE), FIRST_COMPLETED)
            if not finished:
                go_on("trials", done, total)
            for future in finished:
                trial = future.result()
                record(trial)
                plan.learn(trial)
                done += 1
                share = max(done / max(total, done), clock.share)
                on_progress(SearchProgress(done, share, best.after(trial)))
    finally:
        pool.close()


def _total(plan: Plan, clock: Clock) -> int:
    most = clock.budget.trials if clock.budget else None
    return plan.total if most is None else min(most, plan.total)
