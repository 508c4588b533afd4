"""Two releases of one table side by side: whose figures are better, and in which columns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from swapmeet.base.sentences import percent
from swapmeet.comparison.score import Direction, Family
from swapmeet.measures.card_pair_text import write_pair, write_pair_html

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.comparison.score import Score
    from swapmeet.measures.scorecard import Scorecard
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
    def known(self) -> Score:
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
        if self.known.direction is Direction.LOWER:
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
            "measure": self.known.measure,
            "family": str(self.known.family),
            "direction": str(self.known.direction),
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
    def told(self) -> bool:
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
        told = [_say_counts(name, *self._count(family)) for name, family in families.items()]
        return " ".join(filter(None, told)) or "No measure has a figure of both."

    def _count(self, family: Family) -> tuple[int, int, int]:
        found = [pair.better for pair in self.scores.values() if pair.known.family is family]
        return (found.count(Better.FIRST), found.count(Better.SECOND),
                sum(better is not Better.UNKNOWN for better in found))  # fmt: skip

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
