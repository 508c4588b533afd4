"""How far a search is, and who is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.core.base.progress import Progress, tell
from swapmeet.measures.limits import SCORE

if TYPE_CHECKING:
    from swapmeet.tuning.candidate import Candidate


@dataclass(frozen=True)
class SearchProgress:
    """Trials done so far, the share of all work that this is, and the best setting so far."""

    done: int
    share: float
    best: Candidate | None

    @property
    def expected(self) -> int:
        """How many trials there will be, as it looks now."""
        return max(round(self.done / self.share), self.done) if self.share > 0.0 else 0

    @property
    def news(self) -> str:
        """How many trials were made, and what is best, for people."""
        best = self.best
        found = f"best {best.median(SCORE):.3g} {best.label}" if best else "none within limits"
        return f"{self.done:,} trials, {found}"


ProgressListener = Callable[[SearchProgress], None]
"""Called after each trial."""


def ignore_progress(progress: SearchProgress) -> None:
    """Do nothing: the listener where nobody listens."""


def tell_both(progress: Progress, listener: ProgressListener) -> ProgressListener:
    """Tell the progress that all long work has, with news of the best, and a listener besides."""

    def report(search: SearchProgress) -> None:
        listener(search)
        progress("searching", search.done, search.expected)
        tell(progress, search.news)

    return report
