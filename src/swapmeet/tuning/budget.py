"""How much a search may cost: an amount of time, or a number of trials."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from typing import Any, Self

from swapmeet.errors import ParameterError

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
            found = cls(trials=given)
        else:
            found = cls._parse(str(given)) if isinstance(given, str) else cls()
        if not (found.seconds or 0) > 0 and not (found.trials or 0) > 0:
            raise ParameterError(
                "budget: must be a time above zero, such as 90s, 10m or 2h, or a number of trials."
            )
        return found

    @classmethod
    def _parse(cls, text: str) -> Self:
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd]?)\s*", text)
        if not found:
            return cls()
        number, unit = found.groups()
        if unit:
            return cls(seconds=float(number) * _UNITS[unit])
        return cls(trials=int(number)) if number.isdigit() else cls()

    def __str__(self) -> str:
        if self.trials is not None:
            return f"{self.trials} trials"
        seconds = self.seconds or 0.0
        unit = next(u for u in "dhms" if seconds >= _UNITS[u] or u == "s")
        return f"{seconds / _UNITS[unit]:g} {unit}"


@dataclass(frozen=True)
class Clock:
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

    @property
    def share(self) -> float:
        """How much of the time is used up; 0 where it is not limited."""
        if self.budget is None or self.budget.seconds is None:
            return 0.0
        return min(self.used / self.budget.seconds, 1.0)

    def take(self, share: float, made: int) -> Clock:
        """A clock for a share of what is left after so many trials: one trial at least.

        What is under way when that share is used up may be finished, as long as there is time.
        """
        if self.budget is None:
            return self
        if self.budget.trials is not None:
            rest = max(self.budget.trials - made, 0)
            return Clock.start(Budget(trials=min(max(round(share * rest), 1), rest)))
        return replace(self, begin_until=self.used + share * max(self.left, 0.0))

    def allows(self, trials: int) -> bool:
        """Whether another trial may begin after so many."""
        most = None if self.budget is None else self.budget.trials
        in_time = self.left > 0 and (self.begin_until is None or self.used < self.begin_until)
        return in_time and (most is None or trials < most)
