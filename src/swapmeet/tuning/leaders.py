"""The best candidate of each method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, sign
from swapmeet.tuning.difference import compare_aims

if TYPE_CHECKING:
    from swapmeet.tuning import Candidate, Study


@dataclass(frozen=True)
class Leader:
    """A method and its best candidate."""

    candidate: Candidate
    keeps_limits: bool

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.candidate.setting.name


def find_leaders(study: Study) -> list[Leader]:
    """For each method its best candidate that keeps the limits; if none does, its best one.

    The chosen one comes first, the others in the order of what the goal aims at: those that keep
    the limits in full, those that keep them at first look, and those that do not.
    """
    found: dict[str, Leader] = {}
    best = study.choice.best
    if best is not None:
        found[best.setting.name] = Leader(best, keeps_limits=True)
    for leader in sorted(_known(study), key=_rank):
        found.setdefault(leader.method, leader)
    return list(found.values())


def _known(study: Study) -> list[Leader]:
    return [
        Leader(c, keeps_limits=c.keeps(study.limits))
        for c in study.candidates
        if not c.failure and not np.isnan(sum(c.merit))
    ]


def _rank(leader: Leader) -> tuple[bool, bool, float, float, int]:
    one = leader.candidate
    return not leader.keeps_limits, not one.is_whole, *one.merit


def explain_defeat(leader: Leader, study: Study) -> str:
    """Explain why the best of a method was not chosen: a limit, more loss, or no known reason."""
    candidate, best = leader.candidate, study.choice.best
    if best is not None and candidate.number == best.number:
        return "chosen"
    missed = candidate.find_missed(study.limits)
    if missed:
        return "breaks a limit: " + ", ".join(
            f"{name} {_say(candidate.unfavourable(name))} ({sign(name)} {limit:g})"
            for name, limit in missed.items()
        )
    if not candidate.is_whole and (best is None or candidate.merit < best.merit):
        return "not checked in full"
    return "" if best is None else _compare_with(best, candidate)


def _say(figure: float) -> str:
    return "without a value" if np.isnan(figure) else f"{figure:.3g}"


def _compare_with(best: Candidate, candidate: Candidate) -> str:
    """Say what is worse than in the chosen one, and whether that is sure."""
    found = compare_aims(candidate, best)
    if found.known and not found.decided:
        return "cannot be told from the chosen one"
    worse = [
        f"{axis} {candidate.median(axis) - best.median(axis):.2g} higher"
        for axis in (RISK_AXIS, LOSS_AXIS)
        if candidate.median(axis) > best.median(axis)
    ]
    doubt = "" if found.known else " (too few repeats)"
    return (" and ".join(worse) or "no worse") + doubt


def list_untried(study: Study) -> list[str]:
    """The methods of which no setting was tried, because the search ended before."""
    tried = {candidate.setting.name for candidate in study.candidates}
    return [name for name in study.sought if name not in tried]
