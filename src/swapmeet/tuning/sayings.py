"""Candidates and their figures in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.sentences import count_in_100
from swapmeet.comparison.score import Direction
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, SCORE, direction

if TYPE_CHECKING:
    from swapmeet.tuning.candidate import Candidate

ENOUGH = 6
"""So many repeats are needed for an interval that holds the median in 95 of 100 cases."""


def say_setting(candidate: Candidate) -> str:
    """The title of the method, and the setting as one would type it."""
    title = candidate.setting.title
    return f"{title} ({candidate.label})" if title else candidate.label


def say_figures(candidate: Candidate) -> str:
    """Risk and loss; the score where it decides."""
    risk, loss = candidate.median(RISK_AXIS), candidate.median(LOSS_AXIS)
    found = f"the risk is {risk:.3g}"
    if list(candidate.goal.risk) == ["linkage"]:
        found = f"the worst intruder finds {count_in_100(risk)} of 100 people"
    if candidate.goal.aim == SCORE:
        return f"{found}, the loss is {loss:.3g}, the score {candidate.median(SCORE):.3g}"
    return f"{found}, the loss is {loss:.3g}"


def say_limited(candidate: Candidate, name: str) -> str:
    """A figure, with the end of its interval that a limit is compared with."""
    median, end = candidate.median(name), candidate.unfavourable(name)
    if np.isnan(median):
        return f"{name} without a value"
    if np.isnan(end):
        return f"{name} {median:.3g}, which hides a part of the risk"
    words = f"{name} {median:.3g}"
    if f"{end:.3g}" == f"{median:.3g}":
        return words
    if (end < median) == (direction(name) is Direction.LOWER):
        return f"{words}, of which {end:.3g} counts"
    return f"{words}, {'up' if end > median else 'down'} to {end:.3g}"


def say_figure(candidate: Candidate, name: str) -> str:
    """A median, with all repeats where they are few, or with its interval; one says no more."""
    words, n = f"{candidate.median(name):.3g}", len(candidate)
    if n < 2:
        return f"{words} (one repeat)" if candidate.setting.is_random else words
    low, high = candidate.interval(name)
    if n < ENOUGH:
        return f"{words} ({low:.3g} to {high:.3g} in {n} repeats)"
    return f"{words} [{low:.3g}, {high:.3g}]"
