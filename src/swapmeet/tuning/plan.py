"""The order of trials: all of a grid, then its leaders again until they part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from swapmeet.tuning.frontier import compare_finalists, list_eligible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.study import Study
    from swapmeet.tuning.trial import Setting, Trial, TrialJob
    from swapmeet.tuning.trial_table import TrialTable


class TrialPlan(Protocol):
    """Decides what to try next, and learns from the results."""

    def next(self) -> TrialJob | None:
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


FINAL_REPEATS = 20
"""How often a finalist is tried at most."""


class FinalsPlan:
    """Repeats the best and what cannot be told from it yet, in three steps up to `most` repeats."""

    def __init__(self, study: Study, most: int) -> None:
        self._study, self._rounds = study, list_rounds(most)
        self._open: list[tuple[Setting, int]] = []
        self._running = 0

    @property
    def total(self) -> int:
        """As many as are open now."""
        return len(self._open)

    def next(self) -> tuple[Setting, int] | None:
        """The next repeat; None while others are under way, or when all is decided."""
        if not self._open and not self._running:
            self._open = next(self._find_rounds(), [])
        if not self._open:
            return None
        self._running += 1
        return self._open.pop(0)

    def learn(self, trial: Trial) -> None:  # noqa: ARG002
        """Take note that a trial is done; its figures are in the table of trials."""
        self._running -= 1

    def _find_rounds(self) -> Iterator[list[tuple[Setting, int]]]:
        """Of each round that has repeats to make, these."""
        finalists = find_undecided(self._study)
        for repeats in self._rounds:
            jobs = [
                (one.setting, repeat)
                for repeat in range(repeats)
                for one in finalists
                if repeat < useful_repeats(one.setting, repeats)
                and repeat not in self._study.trials.repeats(one.setting)
            ]
            if jobs:
                yield jobs


def find_undecided(study: Study) -> list[Candidate]:
    """The best and the finalists that are not told apart from it yet, of those measured in full."""
    eligible = [one for one in list_eligible(study.list_candidates(), study.limits)
                if not one.find_open(study.limits)]  # fmt: skip
    close = [
        difference.worse for difference in compare_finalists(eligible) if not difference.decided
    ]
    return [eligible[0], *close] if close else []


def list_rounds(most: int) -> list[int]:
    """A quarter of the repeats, half, and all.

    >>> list_rounds(20)
    [5, 10, 20]
    """
    return [step for step in (most // 4, most // 2, most) if step > 0]
