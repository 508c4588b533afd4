"""How many runs stand behind the figures of a study, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.tuning import Candidate


def describe_runs(candidates: Iterable[Candidate]) -> str:
    """What a figure is: of one run, or the median over some."""
    runs = {len(candidate) for candidate in candidates if not candidate.failure}
    if not runs:
        return "no run"
    low, high = min(runs), max(runs)
    if high == 1:
        return "one run"
    return f"median over {high} runs" if low == high else f"median over {low} to {high} runs"


def has_interval(candidate: Candidate) -> bool:
    """Whether its repeats can tell how far its figures vary; one run tells nothing of that."""
    return len(candidate) > 1
