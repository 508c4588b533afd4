"""Figures as a terminal shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from swapmeet.comparison.score import Score


def figure(value: Any) -> str:
    """A number for people.

    >>> figure(0.123456), figure(1234567.0), figure(0.0), figure(3)
    ('0.1235', '1.235e+06', '0', '3')
    """
    return f"{value:.4g}"


def say_interval(score: Score | None) -> str:
    """The interval of a score; empty where there is none."""
    if score is None or score.interval is None:
        return ""
    return f"[{figure(score.interval[0])}, {figure(score.interval[1])}]"
