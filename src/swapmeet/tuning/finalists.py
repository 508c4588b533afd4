"""The leaders of a search are repeated until they part, or a stated number of times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.tuning.difference import compare_finalists
from swapmeet.tuning.eligible import list_eligible
from swapmeet.tuning.plan import useful_repeats

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.study import Study
    from swapmeet.tuning.trial import Setting, Trial

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
    close = [found.worse for found in compare_finalists(eligible) if not found.decided]
    return [eligible[0], *close] if close else []


def list_rounds(most: int) -> list[int]:
    """A quarter of the repeats, half, and all.

    >>> list_rounds(20)
    [5, 10, 20]
    """
    return [step for step in (most // 4, most // 2, most) if step > 0]
