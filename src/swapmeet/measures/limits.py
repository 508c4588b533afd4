"""Limits that a release must keep.

There is one rule: a limit is met by the unfavourable end of its interval (`Score.judge`), and by
the value itself where there is no interval. What was not measured, is not defined, or hides a part
of the risk, meets none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from swapmeet.comparison.comparison import Ownership
from swapmeet.comparison.score import Direction, Score
from swapmeet.errors import ParameterError
from swapmeet.measures.analyses import is_analysis
from swapmeet.measures.default_limits import UNIT_LIMITS, list_default_limits
from swapmeet.measures.registry import MEASURES, find, say_unknown

RISK_AXIS, LOSS_AXIS, SCORE = "risk", "loss", "score"


SUMMARIES = (RISK_AXIS, LOSS_AXIS, SCORE)
"""Figures that a goal makes of the measures; lower is better, from 0 to 1."""
NONE = "none"
"""Text for no limits at all."""


def check_limits(limits: Mapping[str, float]) -> dict[str, float]:
    """The limits, if they can be met at all; a limit is on a measure, or on risk, loss or score."""
    problems = [problem for name, limit in limits.items() for problem in _problems(name, limit)]
    if problems:
        raise ParameterError("\n".join(problems))
    return {name: float(limit) for name, limit in limits.items()}


def choose_default_limits(ownership: Ownership, scores: Mapping[str, Score]) -> dict[str, float]:
    """The default limits that fit a release: those of synthetic rows where these are nobody's."""
    applicable = {name for name, score in scores.items() if score.applies}
    roles = {name.removesuffix("-linkage") for name in UNIT_LIMITS if name in applicable}
    owned = ownership is not Ownership.NOBODY
    return list_default_limits(roles, owned=owned, linked="linkage" in applicable)


def require_measures(limits: Mapping[str, float]) -> dict[str, float]:
    """The limits, if each is on a measure, and not on what a search makes of several."""
    summaries = [name for name in limits if name in SUMMARIES]
    if summaries:
        raise ParameterError(
            f"limit: {', '.join(summaries)}: what a search makes of several measures. "
            "Limit the measures themselves."
        )
    return check_limits(limits)


def parse_limits(texts: Iterable[str]) -> dict[str, float] | None:
    """The limits that texts such as «dbrl=0.2» stand for; None where there is no text.

    >>> parse_limits(["dbrl=0.2", "correlations=0.05"])
    {'dbrl': 0.2, 'correlations': 0.05}
    >>> parse_limits(["none"]), parse_limits([])
    ({}, None)
    """
    texts = list(texts)
    if not texts:
        return None
    if texts == [NONE]:
        return {}
    limits: dict[str, float] = {}
    for text in texts:
        parted = text.rpartition("=") if is_analysis(text) else text.partition("=")
        name, _, number = (part.strip() for part in parted)
        try:
            limit = float(number)
        except ValueError:
            example = f"{text}=0.1" if is_analysis(text) else "dbrl=0.2"
            raise ParameterError(
                f"limit: write NAME=NUMBER, such as {example}; got {text!r}."
            ) from None
        if name in limits and limits[name] != limit:
            raise ParameterError(
                f"limit: {name} has two limits, {limits[name]:g} and {limit:g}. Give one."
            )
        limits[name] = limit
    return check_limits(limits)


def keeps(name: str, value: Any, limit: float) -> Any:
    """Return whether a figure, or each of an array, is within its limit; NaN is not."""
    return value <= limit if direction(name) is Direction.LOWER else value >= limit


def direction(name: str) -> Direction:
    """Direction that is better: less or more."""
    return Direction.LOWER if name in SUMMARIES else find(name).direction


def sign(name: str) -> str:
    """Write a limit in words."""
    return "at most" if direction(name) is Direction.LOWER else "at least"


def bounds(name: str) -> tuple[float, float]:
    """The range of a measure, or of what the goal makes of several."""
    return (0.0, 1.0) if name in SUMMARIES else find(name).bounds


def _problems(name: str, limit: float) -> list[str]:
    known = (*MEASURES, *SUMMARIES)
    if is_analysis(name):
        try:
            find(name)
        except ParameterError as problem:
            return [f"limit: {problem}"]
    elif name not in known:
        return [f"limit: {say_unknown(name, known)}"]
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not np.isfinite(limit):
        return [f"limit: that of {name} must be a finite number."]
    low, high = bounds(name)
    if not low <= limit <= high:
        span = f"lies between {low:g} and {high:g}" if np.isfinite(high) else f"is {low:g} or more"
        return [f"limit: {name} {span}; got {limit:g}."]
    return []
