"""Two releases side by side, as text and as a notebook shows them."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from swapmeet.base.html import (
    write_box,
    write_fold,
    write_list,
    write_mark,
    write_table,
    write_text,
)
from swapmeet.base.sentences import align, short_figure
from swapmeet.measures.card_html import choose_colour

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.comparison.score import Score
    from swapmeet.measures.card_pair import ReleasePair, ScorePair

WIDTH = 80
SCORES = ("measure", "A", "B", "better")
COLUMNS = ("column", "A changed", "B changed")
OVERLAP = "?: better by the figure, but the intervals of the two overlap."


def write_pair(pair: ReleasePair) -> str:
    """Text that `print` shows."""
    lines = [fill(text, WIDTH, subsequent_indent="   ") for text in list_verdicts(pair)]
    lines += ["", fill(pair.sentence, WIDTH), *(fill(f"- {note}", WIDTH) for note in pair.notes)]
    lines += ["", *align([SCORES, *list_scores(pair.scores.values())])]
    if columns := list_columns(pair):
        lines += ["", *align([COLUMNS, *columns])]
    return "\n".join([*lines, *([OVERLAP] if has_overlap(pair.scores.values()) else [])])


def write_pair_html(pair: ReleasePair) -> str:
    """HTML that a notebook shows."""
    columns = list_columns(pair)
    marks = (
        write_mark(text, choose_colour(card))
        for text, card in zip(list_verdicts(pair), pair.cards, strict=True)
    )
    return write_box(
        *marks,
        write_text(pair.sentence),
        write_list(pair.notes),
        write_table(SCORES, list_scores(pair.scores.values())),
        write_text(OVERLAP) if has_overlap(pair.scores.values()) else "",
        write_fold("Columns", write_table(COLUMNS, columns)) if columns else "",
    )


def list_verdicts(pair: ReleasePair) -> list[str]:
    """Name each release, with its verdict."""
    return [
        f"{letter}  {name}: {card.verdict.sentence}"
        for letter, name, card in zip("AB", pair.names, pair.cards, strict=True)
    ]


def list_scores(scores: Iterable[ScorePair]) -> list[tuple[str, ...]]:
    """A line for each measure."""
    return [
        (
            one.known.measure,
            say_value(one.first),
            say_value(one.second),
            f"{one.better}{'?' if is_overlapping(one) else ''}",
        )
        for one in scores
    ]


def list_columns(pair: ReleasePair) -> list[tuple[str, ...]]:
    """A line for each column of which something is known."""
    return [(column.name, *column.words) for column in pair.columns if column.told]


def has_overlap(scores: Iterable[ScorePair]) -> bool:
    """Return whether some figures are better without being clearly so."""
    return any(map(is_overlapping, scores))


def is_overlapping(one: ScorePair) -> bool:
    """Return whether one release is better, but not clearly."""
    return one.better in {"A", "B"} and not one.clear


def say_value(score: Score | None) -> str:
    """The figure of a measure, if it has one."""
    return "–" if score is None or score.undefined else short_figure(score.value)
