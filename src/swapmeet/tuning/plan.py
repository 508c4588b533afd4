"""The order of trials: all of a grid, so that an early end is fair to all methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.tuning.trial import Job, Setting, Trial
    from swapmeet.tuning.trial_table import TrialTable


class Plan(Protocol):
    """Decides what to try next, and learns from the results."""

    def next(self) -> Job | None:
        """Return the next trial; None when there is nothing left to try."""

    def learn(self, trial: Trial) -> None:
        """Take note of a trial that was made."""

    @property
    def total(self) -> int:
        """The largest number of trials."""


class ExhaustivePlan:
    """Every setting once, then every setting again, until each has all its repeats."""

    def __init__(self, settings: Sequence[Setting], trials: TrialTable, repeats: int) -> None:
        self._settings, self._trials, self._repeats = settings, trials, repeats
        self._rest = self._open()

    def next(self) -> tuple[Setting, int] | None:
        """The next trial that is neither done nor known to fail."""
        return next(self._rest, None)

    def learn(self, trial: Trial) -> None:
        """Nothing to do: the trial table has it already."""

    @property
    def total(self) -> int:
        """All trials that are not done yet."""
        return sum(
            len(set(range(useful_repeats(setting, self._repeats))) - self._trials.repeats(setting))
            for setting in self._settings
            if not self._trials.is_refused(setting)
        )

    def _open(self) -> Iterator[tuple[Setting, int]]:
        for repeat in range(self._repeats):
            for setting in self._settings:
                is_open = repeat < useful_repeats(setting, self._repeats)
                refused = self._trials.is_refused(setting)
                if is_open and not refused and repeat not in self._trials.repeats(setting):
                    yield setting, repeat


def useful_repeats(setting: Setting, repeats: int) -> int:
    """Return how often a setting is worth trying: once, where chance has no part in it."""
    return repeats if setting.is_random else 1
