"""The opening of a scorecard in a terminal: the verdict, and about ten lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.cli.figures import figure, say_interval
from swapmeet.cli.output import Output, count
from swapmeet.core.base.sentences import figure as say_figure
from swapmeet.core.base.sentences import short_figure

if TYPE_CHECKING:
    from collections.abc import Collection

    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.measures.verdict import Reason, Verdict

LOSSES = ("margins", "relations", "screened-propensity", "spread")
"""What the opening tells of the loss: what a search minimises by default, and the variances."""
ADVICES = 2
"""How many of the things to do next it tells."""


def show_summary(output: Output, card: Scorecard, told: Collection[str] = ()) -> None:
    """The verdict, its limits, the loss in a line and what to do next.

    Measures that are `told` below are left out of the line.
    """
    verdict = card.verdict
    output.prose(verdict.sentence)
    show_limits(output, verdict)
    losses = _select_losses(card, told)
    output.line()
    if losses:
        output.prose(f"Loss (0 is none): {', '.join(losses)}.")
    if not verdict.safe:
        for advice in verdict.advice[:ADVICES]:
            output.prose(advice, bullet="-")
    output.prose(f"{count(card.rows)} rows; owners {card.ownership}.")


def _select_losses(card: Scorecard, told: Collection[str]) -> list[str]:
    scores = [card.scores[name] for name in LOSSES if name in card.scores and name not in told]
    return [f"{score.measure} {say_figure(score.value)}" for score in scores if not score.undefined]


def show_limits(output: Output, verdict: Verdict) -> None:
    """Say how each limit stands."""
    if not verdict.reasons:
        return
    output.heading("Default limits" if verdict.default else "Limits")
    output.table(["measure", "value", "interval", "limit", ""], list(map(_row, verdict.reasons)))


def _row(reason: Reason) -> list[str]:
    score = reason.score if reason.decided else None
    value = "–" if score is None else short_figure(score.value)
    return [
        reason.measure,
        value,
        say_interval(score),
        figure(reason.limit),
        reason.judgement.standing,
    ]


def say_the_rest(card: Scorecard, told: Collection[str]) -> str:
    """What the opening leaves out, and how to see it; empty if it leaves out nothing."""
    shown = {*told, *card.verdict.limits, *LOSSES}
    more = [score for score in card if score.measure not in shown]
    if not more:
        return ""
    return (
        f"--full shows {len(more)} more measure{'' if len(more) == 1 else 's'}, what intruders "
        "know and what to do next; --measure NAME tells a measure in words."
    )
