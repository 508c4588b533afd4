"""A scorecard as text, and as a notebook shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from swapmeet.base.html import (
    BAD,
    GOOD,
    OPEN,
    write_box,
    write_fold,
    write_list,
    write_mark,
    write_table,
    write_text,
)
from swapmeet.base.sentences import align, short_figure
from swapmeet.comparison.score import Judgement, Score
from swapmeet.measures.registry import ALL
from swapmeet.measures.verdict import Reason, Verdict

if TYPE_CHECKING:
    from swapmeet.measures.scorecard import Scorecard


WIDTH = 80
HEADER = ("value", "interval", "limit", "")


def write_card(card: Scorecard) -> str:
    """Text that `print(card)` shows."""
    verdict = card.verdict
    both = (fill(verdict.sentence, WIDTH), fill(card.losses.sentence, WIDTH))
    lines = [*both, *map(_write_advice, verdict.advice)]
    families = {name: scores for name, scores in card.families().items() if scores}
    rows = [row for name, scores in families.items() for row in _list_rows(name, scores, verdict)]
    rest = ["", fill(say_the_rest(card), WIDTH)] if card.left_out else []
    return "\n".join([*lines, *align(rows), *rest])


def say_the_rest(card: Scorecard) -> str:
    """Say how many measures were left out, and how to take them."""
    return (
        f"{card.left_out} more measures were not taken. Name some with `measures=[...]`, or take "
        f'all with `measures="{ALL}"`.'
    )


def _write_advice(advice: str) -> str:
    return fill(advice, WIDTH, initial_indent="- ", subsequent_indent="  ")


def _list_rows(family: str, scores: Sequence[Score], verdict: Verdict) -> Iterator[tuple[str, ...]]:
    """A blank line, the names of the columns, and a line for each measure."""
    yield ("",)
    yield (family, *HEADER)
    met = {reason.measure: reason.judgement.standing for reason in verdict.reasons}
    for score in scores:
        yield _list_cells(score, verdict.limits, met)


def _list_cells(
    score: Score, limits: Mapping[str, float], met: Mapping[str, str]
) -> tuple[str, ...]:
    name = score.measure
    limit = f"{limits[name]:.4g}" if name in limits else ""
    if score.undefined:
        return (name, "not defined here", "", limit, met.get(name, ""))
    ends = "" if score.interval is None else "[{:.4g}, {:.4g}]".format(*score.interval)
    return (name, short_figure(score.value), ends, limit, met.get(name, ""))


def write_card_html(card: Scorecard) -> str:
    """The verdict, how each limit stands, what to do next, and the measures by family."""
    verdict = card.verdict
    return write_box(
        write_mark(verdict.sentence, choose_colour(card)),
        write_text(card.losses.sentence),
        write_limits(verdict),
        write_list(verdict.advice),
        *(_write_family(name, scores) for name, scores in card.families().items() if scores),
        write_text(say_the_rest(card)) if card.left_out else "",
        write_text(f"{card.rows:,} rows; owners {card.ownership}."),
        write_list(card.notes),
    )


def choose_colour(card: Scorecard) -> str:
    """Green is what may be published, red what is not safe."""
    judgement = card.verdict.judgement
    if judgement is Judgement.SAFE and card.reproducible:
        return OPEN
    return {Judgement.SAFE: GOOD, Judgement.NOT_SAFE: BAD}.get(judgement, OPEN)


def write_limits(verdict: Verdict) -> str:
    """Say how each limit stands."""
    if not verdict.reasons:
        return ""
    header = ["measure", "value", "interval", "limit", ""]
    return write_table(header, map(_list_reason, verdict.reasons))


def _list_reason(reason: Reason) -> tuple[str, ...]:
    score = reason.score if reason.decided else None
    return (reason.measure, *_say_figures(score), f"{reason.limit:.4g}", reason.judgement.standing)


def _write_family(name: str, scores: Sequence[Score]) -> str:
    header = ["measure", "value", "interval", "better", "in words"]
    return write_fold(
        f"{name}: {len(scores)} measures", write_table(header, map(_list_score, scores))
    )


def _list_score(score: Score) -> tuple[str, ...]:
    return (score.measure, *_say_figures(score), str(score.direction), score.sentence)


def _say_figures(score: Score | None) -> tuple[str, str]:
    """The value and its interval."""
    if score is None or score.undefined:
        return "–", ""
    ends = "" if score.interval is None else "[{:.4g}, {:.4g}]".format(*score.interval)
    return short_figure(score.value), ends
