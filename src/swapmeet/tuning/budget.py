"""The budget of a search, its progress, and those who follow it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from swapmeet.base.progress import SEARCHING, Beat, Progress, tell
from swapmeet.base.sentences import count
from swapmeet.errors import ParameterError, Stopped

if TYPE_CHECKING:
    from swapmeet.tuning.candidate import Candidate


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Budget:
    """Either `seconds` or `trials`."""

    seconds: float | None = None
    trials: int | None = None

    @classmethod
    def of(cls, given: Any) -> Self:
        """A whole number is a number of trials; a text such as «10m» a time.

        >>> Budget.of("10m").seconds, Budget.of(200).trials, Budget.of("200").trials
        (600.0, 200, 200)
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, int) and not isinstance(given, bool):
            budget = cls(trials=given)
        else:
            budget = cls._parse(str(given)) if isinstance(given, str) else cls()
        if not (budget.seconds or 0) > 0 and not (budget.trials or 0) > 0:
            raise ParameterError(
                "budget: must be a time above zero, such as 90s, 10m or 2h, or a number of trials."
            )
        return budget

    @classmethod
    def _parse(cls, text: str) -> Self:
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd]?)\s*", text)
        if not match:
            return cls()
        number, unit = match.groups()
        if unit:
            return cls(seconds=float(number) * _UNITS[unit])
        return cls(trials=int(number)) if number.isdigit() else cls()

    def __str__(self) -> str:
        if self.trials is not None:
            return f"{self.trials} trials"
        seconds = self.seconds or 0.0
        unit = next(u for u in "dhms" if seconds >= _UNITS[u] or u == "s")
        return f"{seconds / _UNITS[unit]:g} {unit}"


class OutOfTime(Stopped):
    """The time of a search is over, in the middle of a trial."""


@dataclass(frozen=True)
class SearchClock:
    """A budget that is being used up; trials begin only until so many seconds have passed."""

    budget: Budget | None
    begin: float
    begin_until: float | None = None

    @classmethod
    def start(cls, budget: Budget | None) -> Self:
        """Begin now."""
        return cls(budget, time.monotonic())

    @property
    def used(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.begin

    @property
    def left(self) -> float:
        """Seconds that are left."""
        if self.budget is None or self.budget.seconds is None:
            return float("inf")
        return self.budget.seconds - self.used

    def find_share(self, made: int) -> float:
        """Find the share of the budget used after so many trials; 0 where nothing is limited."""
        if self.budget is None:
            return 0.0
        if self.budget.trials is not None:
            return min(made / self.budget.trials, 1.0)
        return min(self.used / (self.budget.seconds or 1.0), 1.0)

    def take(self, until: float, made: int) -> SearchClock:
        """A clock until this share of the budget is used, after so many trials: one at least.

        What is under way when that share is used up may be finished, as long as there is time.
        """
        if self.budget is None:
            return self
        if self.budget.trials is not None:
            rest = max(self.budget.trials - made, 0)
            return SearchClock.start(
                Budget(trials=min(max(round(until * self.budget.trials) - made, 1), rest))
            )
        return replace(self, begin_until=until * (self.budget.seconds or 0.0))

    def end(self, progress: Progress) -> Progress:
        """The progress of a trial, which ends with the time."""
        return Deadline(progress.pulse, self) if isinstance(progress, Beat) else progress

    def without_count(self) -> SearchClock:
        """The same time for what is no trial: full checks are not counted."""
        return replace(self, budget=None) if self.left == float("inf") else self

    def allows(self, trials: int) -> bool:
        """Return whether another trial may begin after so many."""
        most = None if self.budget is None else self.budget.trials
        in_time = self.left > 0 and (self.begin_until is None or self.used < self.begin_until)
        return in_time and (most is None or trials < most)


@dataclass(frozen=True)
class Deadline(Beat):
    """The progress of a trial in this process, which ends with the time of the search."""

    clock: SearchClock

    def __call__(self, label: str, done: int, total: int) -> None:
        """Go on, or stop."""
        super().__call__(label, done, total)
        if self.clock.left <= 0:
            raise OutOfTime


@dataclass(frozen=True)
class SearchProgress:
    """Trials and full checks done so far, the share of the work that this is, and the best so far.

    `seconds` have passed, and as many as are `expected` in all. While full checks are made,
    `checks_in_all` is about how many there will be; otherwise 0.
    """

    done: int
    share: float
    best: Candidate | None
    seconds: float = 0.0
    expected: float = 0.0
    checks: int = 0
    checks_in_all: int = 0

    @property
    def news(self) -> str:
        """Return the number of trials and the best one, in words."""
        words = [count(self.done, "trial")]
        if self.checks_in_all:
            number = min(self.checks + 1, self.checks_in_all)
            words.append(f"full check {number:,} of {self.checks_in_all:,}")
        best = self.best
        if best is None:
            words.append("none within limits yet")
        else:
            aim = best.goal.aim
            words.append(f"best so far: {aim} {best.median(aim):.3g}, {best.label}")
        return "; ".join(words)


ProgressListener = Callable[[SearchProgress], None]
"""Called after each trial and each full check."""


def ignore_progress(progress: SearchProgress) -> None:
    """Do nothing: the listener where nobody listens."""


def tell_both(progress: Progress, listener: ProgressListener) -> ProgressListener:
    """Tell the progress that all long work has, in seconds, and a listener besides."""

    def report(search: SearchProgress) -> None:
        listener(search)
        progress(SEARCHING, int(search.seconds), max(round(search.expected), 1))
        tell(progress, search.news)

    return report
