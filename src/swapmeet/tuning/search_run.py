"""One search: trials, full checks of what promises most, and the leaders again, in its budget."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.tuning.budget import OutOfTime, ProgressListener, SearchClock, SearchProgress
from swapmeet.tuning.checks import ChecksPlan
from swapmeet.tuning.plan import FinalsPlan, TrialPlan

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.pool import Pool
    from swapmeet.tuning.study import Study
    from swapmeet.tuning.trial import Trial


FIRST_SEARCH, FIRST_CHECKS, SEARCH = 0.25, 0.4, 0.6
"""By these shares of a budget end a first search, first full checks, and the search that learns
from them; the rest is for full checks and for repeats of the leaders."""
TOO_LITTLE = 0.1
"""With less than this share of its time left, a search does not begin anew."""
RELEASES = 3
"""So many releases of the best setting are measured in full: one may keep the limits by chance."""
CHECK_TO_TRIAL = 10.0
"""A full check takes about so many times as long as a trial, as long as none was made."""


@dataclass(kw_only=True)
class SearchRun:
    """A search under way and its tools; `has_checks` where trials only have a first look."""

    study: Study
    plan: TrialPlan
    pool: Pool
    clock: SearchClock
    record: Callable[[Trial], None]
    on_progress: ProgressListener
    final_repeats: int
    has_checks: bool
    _made: int = field(default=0, init=False)
    _checks: int = field(default=0, init=False)

    def run(self) -> int:
        """Search, check, repeat the leaders, and go on while there is budget; count the trials."""
        self._best = BestSoFar(self.study)
        try:
            if self.clock.budget is None:
                self._search(self.clock)
                self._decide()
                return self._made
            self._search_until(FIRST_SEARCH)
            self._check(self.clock.take(FIRST_CHECKS, self._made))
            until, goes_on = SEARCH, True
            while goes_on:
                goes_on = self._search_until(until)
                self._decide()
                used = self.clock.find_share(self._made)
                counted = self.clock.left == float("inf")
                goes_on &= self.clock.allows(self._made) and (counted or used < 1.0 - TOO_LITTLE)
                until = (1.0 + used) / 2.0
            return self._made
        finally:
            self.pool.close()

    def _search_until(self, share: float) -> bool:
        """Search until so much of the budget is used; whether there is more to try."""
        part, before = self.clock.take(share, self._made), self._made
        self._search(part)
        return not part.allows(self._made - before)

    def _search(self, clock: SearchClock) -> None:
        self._made += self._run(self.plan, clock)

    def _decide(self) -> None:
        """Check what promises most and repeat the leaders, until neither leads to anything new."""
        while True:
            checked = self._check(self.clock, RELEASES)
            plan = FinalsPlan(self.study, self.final_repeats)
            repeated = self._run(plan, self.clock.take(1.0, self._made))
            self._made += repeated
            if not checked and not repeated:
                return

    def _check(self, clock: SearchClock, releases: int = 1) -> int:
        """Measure in full what promises most, and some `releases` of the best; count the checks."""
        if not self.has_checks or clock.left <= 0:
            return 0
        begun = self._checks

        def record(trial: Trial) -> None:
            self._record(trial)
            self._checks += 1
            self.plan.learn(trial)

        plan = ChecksPlan(self.study, clock, releases)
        run_trials(plan, self.pool, clock.without_count(), record, partial(self._tell_check, plan))
        return self._checks - begun

    def _run(self, plan: TrialPlan, clock: SearchClock) -> int:
        if not clock.allows(0):
            return 0

        def tell(done: int) -> None:
            self._tell(done, self._rest(max(plan.total - done, 0), 0))

        return run_trials(plan, self.pool, clock, self._record, tell)

    def _record(self, trial: Trial) -> None:
        self.record(trial)
        self._best.look_at(trial.setting.key)

    def _tell_check(self, plan: ChecksPlan, done: int) -> None:  # noqa: ARG002
        self._tell(0, self._rest(0, plan.total), self._checks + plan.total)

    def _tell(self, done: int, rest: float, checks: int = 0) -> None:
        """Say how far the search is, and what is best so far."""
        limit = self.clock.budget.seconds if self.clock.budget else None
        used = self.clock.used
        expected = used + rest if limit is None else limit
        self.on_progress(
            SearchProgress(
                self._made + done, min(used / expected, 1.0) if expected else 0.0,
                self._best.candidate, used, expected, self._checks, checks,
            )
        )  # fmt: skip

    def _rest(self, trials: int, checks: int) -> float:
        """About how many seconds are still to come, where a budget does not say it."""
        most = self.clock.budget.trials if self.clock.budget else None
        trials = trials if most is None else max(most - self._made, 0)
        one = self.study.trials.mean_seconds
        check = self.study.trials.predict_check() or CHECK_TO_TRIAL * one
        return (trials * one + checks * check) / self.pool.size


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
    plan: TrialPlan, pool: Pool, clock: SearchClock, record: Callable[[Trial], None],
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
