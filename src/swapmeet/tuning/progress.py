"""Progress of a search, and those who follow it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.base.progress import SEARCHING, Progress, tell
from swapmeet.base.sentences import count

if TYPE_CHECKING:
    from swapmeet.tuning.candidate import Candidate


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
