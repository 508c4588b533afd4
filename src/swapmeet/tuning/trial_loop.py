"""Make the trials of a plan, write each down, and say how it stands."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, wait
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.tuning.budget import OutOfTime

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from swapmeet.tuning.budget import Clock
    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.plan import Plan
    from swapmeet.tuning.pool import Pool
    from swapmeet.tuning.study import Study
    from swapmeet.tuning.trial import Trial


PATIENCE = 0.5
"""Seconds that a trial is waited for before anything else is done."""


class BestSoFar:
    """The best setting so far, found without looking at all of them again.

    As soon as one was measured in full, only such settings count.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._best: dict[str, Candidate] = {}
        for key in study.trials.settings.keys() - study.trials.failures.keys():
            self.look_at(key)

    @property
    def candidate(self) -> Candidate | None:
        """The best."""
        able = list(self._best.values())
        whole = [one for one in able if one.is_whole]
        return min(whole or able, key=lambda one: one.merit[:2], default=None)

    def look_at(self, key: str) -> None:
        """Take note of what is known of a setting by now."""
        self._best.pop(key, None)
        if key in self._study.trials.failures:
            return
        candidate = self._study.find_candidate(key)
        if candidate.keeps(self._study.limits) and not np.isnan(sum(candidate.merit[:2])):
            self._best[key] = candidate


def run_trials(
    plan: Plan, pool: Pool, clock: Clock, record: Callable[[Trial], None],
    look: Callable[[int], None],
) -> int:  # fmt: skip
    """Make trials until the plan or the budget ends; return how many were made.

    When the time is over, trials in flight are lost. `look` hears how many were made, after each of
    them and now and then; what it raises ends the search.
    """
    waiting: set[Future[Trial]] = set()
    begun = done = 0
    while True:
        try:
            while len(waiting) < pool.size and clock.allows(begun):
                job = plan.next()
                if job is None:
                    break
                waiting.add(pool.submit(*job))
                begun += 1
        except OutOfTime:
            return done
        if not waiting or clock.left <= 0:
            return done
        finished, waiting = wait(waiting, min(clock.left, PATIENCE), FIRST_COMPLETED)
        for future in finished:
            trial = future.result()
            record(trial)
            plan.learn(trial)
            done += 1
            look(done)
        if not finished:
            look(done)
