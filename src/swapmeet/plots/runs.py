"""The number of runs behind the figures of a study, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.tuning import Candidate


def describe_runs(candidates: Iterable[Candidate]) -> str:
    """Describe a figure: of one run, or the median over some."""
    runs = {len(candidate) for candidate in candidates if not candidate.failure}
    if not runs:
        return "no run"
    low, high = min(runs), max(runs)
    if high == 1:
        return "one run"
    return f"median over {high} runs" if low == high else f"median over {low} to {high} runs"


def has_interval(candidate: Candidate) -> bool:
    """Return whether there are repeats, which alone show how far figures vary between runs."""
    return len(candidate) > 1
