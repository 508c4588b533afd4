"""The opening of a scorecard in a terminal: the verdict, and about ten lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.cli.figures import figure, say_interval
from swapmeet.cli.output import Output, count
from swapmeet.core.base.sentences import figure as say_figure
from swapmeet.core.base.sentences import short_figure
from swapmeet.measures.default_limits import LOSSES
from swapmeet.measures.score import Judgement

if TYPE_CHECKING:
    from collections.abc import Collection

    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.measures.verdict import Reason, Verdict

ADVICES = 2
"""Things to do next that are shown."""
STYLES = {Judgement.SAFE: "green", Judgement.NOT_SAFE: "bold red", Judgement.OPEN: "yellow"}
STANDINGS = {judgement.standing: style for judgement, style in STYLES.items()}


def show_summary(output: Output, card: Scorecard, told: Collection[str] = ()) -> None:
    """The verdict, its limits, the loss in a line and what to do next.

    Measures that are `told` below are left out of the line.
    """
    verdict = card.verdict
    show_decision(output, card)
    show_limits(output, verdict)
    output.line()
    if card.by_default:
        risks = [score.measure for score in card.families()["Risk"]]
        others = [name for name in risks if name not in verdict.limits]
        _show_line(output, "Risk without a limit", card, others)
    _show_line(output, "Loss (0 is none)", card, [name for name in LOSSES if name not in told])
    if not verdict.safe:
        for advice in verdict.advice[:ADVICES]:
            output.prose(advice, bullet="-")
    output.prose(f"{count(card.rows)} rows; owners {card.ownership}.")


def _show_line(output: Output, title: str, card: Scorecard, names: Collection[str]) -> None:
    """Measures in a line, as far as they were taken and have a value."""
    scores = [card.scores[name] for name in names if name in card.scores]
    figures = [f"{one.measure} {say_figure(one.value)}" for one in scores if not one.undefined]
    if figures:
        output.prose(f"{title}: {', '.join(figures)}.")


def show_decision(output: Output, card: Scorecard) -> None:
    """Say what is risked, and what is lost."""
    sentence = card.verdict.sentence
    output.prose(sentence, opening=max(sentence.find(" under "), 0), style=choose_style(card))
    output.prose(card.losses.sentence)


def choose_style(card: Scorecard) -> str:
    """Colour a verdict: green is what may be published, red what is not safe."""
    if card.reproducible and card.verdict.safe:
        return STYLES[Judgement.OPEN]
    return STYLES[card.verdict.judgement]


def show_limits(output: Output, verdict: Verdict) -> None:
    """Say how each limit stands."""
    if not verdict.reasons:
        return
    output.heading("Default limits" if verdict.default else "Limits")
    output.table(
        ["measure", "value", "interval", "limit", ""], list(map(_row, verdict.reasons)),
        styles=STANDINGS,
    )  # fmt: skip


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


def say_the_rest(card: Scorecard) -> str:
    """Say how many measures were left out, and how to take them; empty if none were."""
    if not card.left_out:
        return ""
    return (
        f"{card.left_out} more measures were not taken: --full takes all, --measure NAME one, in "
        "words."
    )
