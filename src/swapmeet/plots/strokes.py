"""How the methods of a study are told apart in its pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from swapmeet.plots.style import SERIES, Stroke

if TYPE_CHECKING:
    from swapmeet.tuning import Study

FURTHER = ("X", "*", "<", ">", "p", "h")
"""Markers for more methods than there are series, whose colours come again."""


def assign_strokes(study: Study) -> dict[str, Stroke]:
    """A stroke for each method that was tried, the same in all pictures of a study."""
    names = dict.fromkeys(c.setting.name for c in study.candidates if not c.failure)
    return {name: _stroke(at) for at, name in enumerate(names)}


def _stroke(at: int) -> Stroke:
    again, place = divmod(at, len(SERIES))
    stroke = SERIES[place]
    return replace(stroke, marker=FURTHER[at % len(FURTHER)]) if again else stroke
