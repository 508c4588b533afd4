"""Two releases of one table side by side: whose figures are better, and in which columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from textwrap import fill
from typing import Any

from swapmeet.base.html import (
    write_box,
    write_fold,
    write_list,
    write_mark,
    write_table,
    write_text,
)
from swapmeet.base.sentences import align, percent, short_figure
from swapmeet.comparison.score import Direction, Family, Score
from swapmeet.measures.scorecard import Scorecard, choose_colour
from swapmeet.measures.side_by_side.facts import ColumnFacts, ReleaseFacts

DIGITS = 4
"""Figures that agree in so many digits are the same."""


class Better(StrEnum):
    """Better of two releases in a measure."""

    FIRST = "A"
    SECOND = "B"
    NEITHER = "same"
    UNKNOWN = "–"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ScorePair:
    """A measure of both releases; None where a card does not have it."""

    first: Score | None
    second: Score | None

    @property
    def either(self) -> Score:
        """A score that tells what measure this is."""
        score = self.first or self.second
        assert score is not None
        return score

    @property
    def better(self) -> Better:
        """Say which release is better; not known where one of them has no figure."""
        if not (self.first and self.second) or self.first.undefined or self.second.undefined:
            return Better.UNKNOWN
        one, two = (float(f"{s.value:.{DIGITS}g}") for s in (self.first, self.second))
        if one == two:
            return Better.NEITHER
        lower = Better.FIRST if one < two else Better.SECOND
        if self.either.direction is Direction.LOWER:
            return lower
        return Better.SECOND if lower is Better.FIRST else Better.FIRST

    @property
    def clear(self) -> bool:
        """Return whether the intervals do not overlap; a figure without one is a point."""
        if self.better not in {Better.FIRST, Better.SECOND}:
            return False
        ends = [s.interval for s in (self.first, self.second) if s is not None and s.interval]
        if len(ends) < 2:
            return True
        (low, high), (least, most) = ends
        return high < least or most < low

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        a, b = self.first, self.second
        return {
            "measure": self.either.measure,
            "family": str(self.either.family),
            "direction": str(self.either.direction),
            "a": None if a is None or a.undefined else a.value,
            "b": None if b is None or b.undefined else b.value,
            "better": str(self.better) if self.better is not Better.UNKNOWN else None,
            "clear": self.clear,
        }


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ColumnPair:
    """Compare what became of a column in both releases; None where it is not published."""

    name: str
    first: ColumnFacts | None
    second: ColumnFacts | None

    @property
    def is_known(self) -> bool:
        """Return whether anything is known: how much changed, or that a release lacks it."""
        return any(f is None or f.changed is not None for f in (self.first, self.second))

    @property
    def words(self) -> tuple[str, str]:
        """Say how much of it changed in each release."""
        return _say_change(self.first), _say_change(self.second)

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        shares = (None if f is None else f.changed for f in (self.first, self.second))
        published = [f is not None for f in (self.first, self.second)]
        return {"name": self.name, "published": published, "changed": list(shares)}


def _say_change(facts: ColumnFacts | None) -> str:
    if facts is None:
        return "not published"
    if facts.changed is None:
        return "–"
    return "exact" if facts.changed == 0.0 else percent(facts.changed)


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ReleasePair:
    """The cards of two releases of one table, A and B, measured in the same way.

    `notes` say what makes the two hard to compare.
    """

    names: tuple[str, str]
    cards: tuple[Scorecard, Scorecard]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ReleasePair of {self.names[0]} and {self.names[1]}: {self.sentence}>"

    def __str__(self) -> str:
        return write_pair(self)

    def _repr_html_(self) -> str:
        return write_pair_html(self)

    @cached_property
    def scores(self) -> Mapping[str, ScorePair]:
        """Each measure of both releases."""
        one, two = (card.scores for card in self.cards)
        names = dict.fromkeys((*one, *two))
        return {name: ScorePair(first=one.get(name), second=two.get(name)) for name in names}

    @cached_property
    def columns(self) -> tuple[ColumnPair, ...]:
        """Each column that one of the releases has."""
        one, two = (_index_columns(card.facts) for card in self.cards)
        names = dict.fromkeys((*one, *two))
        return tuple(ColumnPair(name=n, first=one.get(n), second=two.get(n)) for n in names)

    @property
    def sentence(self) -> str:
        """In how many measures each is better; not which to take, which the limits decide."""
        families = {"Risk": Family.RISK, "Loss": Family.UTILITY}
        sentences = [_say_counts(name, *self._count(family)) for name, family in families.items()]
        return " ".join(filter(None, sentences)) or "No measure has a figure of both."

    def _count(self, family: Family) -> tuple[int, int, int]:
        winners = [pair.better for pair in self.scores.values() if pair.either.family is family]
        return (winners.count(Better.FIRST), winners.count(Better.SECOND),
                sum(better is not Better.UNKNOWN for better in winners))  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        one, two = self.cards
        return {
            "a": {"name": self.names[0], **one.to_dict()},
            "b": {"name": self.names[1], **two.to_dict()},
            "scores": [pair.to_dict() for pair in self.scores.values()],
            "columns": [pair.to_dict() for pair in self.columns],
            "sentence": self.sentence,
            "notes": list(self.notes),
        }


def _index_columns(facts: ReleaseFacts | None) -> dict[str, ColumnFacts]:
    return {} if facts is None else {column.name: column for column in facts.columns}


def _say_counts(family: str, first: int, second: int, known: int) -> str:
    if not known:
        return ""
    measures = "1 measure" if known == 1 else f"{known} measures"
    return f"{family}: A is better in {first} of {measures}, B in {second}."


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
            one.either.measure,
            say_value(one.first),
            say_value(one.second),
            f"{one.better}{'?' if is_overlapping(one) else ''}",
        )
        for one in scores
    ]


def list_columns(pair: ReleasePair) -> list[tuple[str, ...]]:
    """A line for each column of which something is known."""
    return [(column.name, *column.words) for column in pair.columns if column.is_known]


def has_overlap(scores: Iterable[ScorePair]) -> bool:
    """Return whether some figures are better without being clearly so."""
    return any(map(is_overlapping, scores))


def is_overlapping(one: ScorePair) -> bool:
    """Return whether one release is better, but not clearly."""
    return one.better in {"A", "B"} and not one.clear


def say_value(score: Score | None) -> str:
    """The figure of a measure, if it has one."""
    return "–" if score is None or score.undefined else short_figure(score.value)
