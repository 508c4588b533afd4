"""How far a search is, and who is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from swapmeet.tuning.candidate import Candidate


@dataclass(frozen=True)
class SearchProgress:
    """Trials done so far, the share of all work that this is, and the best setting so far."""

    done: int
    share: float
    best: Candidate | None


ProgressListener = Callable[[SearchProgress], None]
"""Called after each trial."""


def ignore_progress(progress: SearchProgress) -> None:
    """Do nothing: the listener where nobody listens."""
