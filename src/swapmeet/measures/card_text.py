"""A scorecard as text: the verdict, and the figures in aligned lines."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from swapmeet.base.sentences import align, short_figure
from swapmeet.measures.registry import ALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from swapmeet.comparison.score import Score
    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.measures.verdict import Verdict

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
