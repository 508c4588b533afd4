"""Figures of a run that lists, maps and the verdict in sight show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.app.run import Kind
from swapmeet.measures.overall import WHOLE_LOSS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.app.run import Run

LINKAGE = "linkage"
EVERYTHING = "everything"
FIGURES = ("safe", "decided", "sentence", "toll", "losses", "risk", "interval", "worst", "loss")
"""Facts that measuring a candidate adds."""


def summarize(run: Run) -> dict[str, Any]:
    """Figures of the result of a run that has ended; nothing where there is no result."""
    if run.kind is Kind.CANDIDATE:
        return _summarize_candidate(run)
    if run.kind is Kind.SEARCH:
        return _summarize_search(run)
    return {}


def find_score(card: Mapping[str, Any], measure: str) -> Mapping[str, Any] | None:
    """The score of a measure on a card, where it has a value."""
    for score in card.get("scores", ()):
        if score["measure"] == measure and score["value"] is not None:
            return score
    return None


def find_loss(card: Mapping[str, Any]) -> float | None:
    """The mean of the measures that a search minimises; None where one of them has no value."""
    scores = [find_score(card, measure) for measure in WHOLE_LOSS]
    values = [score["value"] for score in scores if score is not None]
    return sum(values) / len(values) if len(values) == len(WHOLE_LOSS) else None


def _summarize_candidate(run: Run) -> dict[str, Any]:
    made, card = run.output(1), run.output(2).get("assessment")
    if not made or not card:
        return {}
    names = ("method", "settings", "rows", "reproducible")
    return {**{name: made[name] for name in names}, **read_figures(card)}


def read_figures(card: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict of a card, and a few of its figures."""
    verdict, losses, linkage = card["verdict"], card.get("losses", {}), find_score(card, LINKAGE)
    return {
        "safe": verdict["safe"],
        "decided": verdict["decided"],
        "sentence": verdict["sentence"],
        "toll": losses.get("toll", ""),
        "losses": losses.get("sentence", ""),
        "risk": None if linkage is None else linkage["value"],
        "interval": None if linkage is None else linkage["interval"],
        "worst": None if linkage is None else _find_worst(linkage),
        "loss": find_loss(card),
    }


def _find_worst(linkage: Mapping[str, Any]) -> float:
    """The share that somebody who knows everything about everybody finds, which is never less."""
    levels = linkage.get("details", {}).get("by level", {})
    share = levels.get(EVERYTHING, {}).get("share")
    return max(linkage["value"], share or 0.0)


def _summarize_search(run: Run) -> dict[str, Any]:
    study = run.output(1)
    if not study:
        return {}
    points = [
        {
            "number": one["number"],
            "risk": one["medians"].get("risk"),
            "loss": one["medians"].get("loss"),
            "checked": one["checked"],
        }
        for one in study["candidates"]
        if not one["failure"]
    ]
    return {
        "points": points,
        "best": study["choice"]["best"],
        "sentences": study["choice"]["sentences"],
        "trials": study["trials"],
    }
