"""The candidates that may be taken: those that keep all limits, the best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.tuning.frontier import select_comparable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.tuning.candidate import Candidate


def list_eligible(candidates: Sequence[Candidate], limits: Mapping[str, float]) -> list[Candidate]:
    """The candidates that keep the limits, by what the goal aims at and then by their risk."""
    known = select_comparable(candidates)
    return sorted((c for c in known if c.keeps(limits)), key=lambda c: c.merit)
