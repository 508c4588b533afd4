"""Notes about blocks of rows that can be merged into notes about the whole table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

Joining = Callable[[Iterable[Any]], Any]

ROWS = "rows"
"""The figure that always is the number of rows that is spoken of."""


class MergeableNote(str):
    """A sentence with figures, and how those of several blocks of rows make one.

    `say` makes the sentence of the figures; `joins` says how to join those that add up or are an
    extreme (sum, min, max, `sum_by_column`). Figures without a join are the same for all rows, but
    `rows` is their number. Otherwise a remark is a string like any other.

    >>> def alone(rows: int, count: int) -> str:
    ...     return f"{count} of {rows} rows are alone."
    >>> one, two = (MergeableNote.of(alone, {"count": sum}, rows=5, count=n) for n in (1, 3))
    >>> one
    '1 of 5 rows are alone.'
    >>> merge_notes([[one], [], [two]], rows=15)
    ('4 of 15 rows are alone.',)
    """

    say: Callable[..., str]
    joins: Mapping[str, Joining]
    figures: Mapping[str, Any]
    place: tuple[int, ...]

    @classmethod
    def of(cls, say: Callable[..., str], joins: Mapping[str, Joining], **figures: Any) -> Self:
        """The remark that says these figures."""
        remark = cls(say(**figures))
        remark.say, remark.joins, remark.figures, remark.place = say, joins, figures, ()
        return remark

    def at(self, place: int) -> Self:
        """The same remark by one of several parts of a method; those of others do not join it."""
        remark = self.of(self.say, self.joins, **self.figures)
        remark.place = (place, *self.place)
        return remark

    @property
    def key(self) -> tuple[Any, ...]:
        """Return what remarks that become one have in common."""
        return self.say, self.place, *self._settled()

    def merge(self, others: Iterable[MergeableNote], rows: int) -> MergeableNote:
        """Merge it with others of the same key into one about so many rows."""
        figures = dict(self.figures)
        for name, join in self.joins.items():
            figures[name] = join([self.figures[name], *(other.figures[name] for other in others)])
        if ROWS in figures:
            figures[ROWS] = rows
        remark = self.of(self.say, self.joins, **figures)
        remark.place = self.place
        return remark

    def _settled(self) -> Iterable[tuple[str, str]]:
        """The figures that are the same for all rows."""
        return (
            (name, repr(figure))
            for name, figure in self.figures.items()
            if name not in self.joins and name != ROWS
        )


def sum_by_column(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sum for each column.

    >>> sum_by_column([{"age": 1}, {"age": 2, "sex": 1}])
    {'age': 3, 'sex': 1}
    """
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return dict(total)


def max_by_column(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The largest for each column.

    >>> max_by_column([{"age": 1}, {"age": 2, "sex": 1}])
    {'age': 2, 'sex': 1}
    """
    most: Counter[str] = Counter()
    for count in counts:
        most |= Counter(count)
    return dict(most)


def list_counts(counts: Mapping[str, int]) -> str:
    """List the counts of columns that have one, as sentences do.

    >>> list_counts({"age": 3, "sex": 0, "town": 1})
    'age 3, town 1'
    """
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


def mark_part(sentences: Iterable[str], place: int) -> list[str]:
    """The sentences of one of several parts of a method."""
    return [s.at(place) if isinstance(s, MergeableNote) else s for s in sentences]


def merge_notes(blocks: Sequence[Sequence[str]], rows: int) -> tuple[str, ...]:
    """The notes of all blocks of a table of so many rows, each of them once."""
    kept: dict[Any, list[str]] = {}
    for sentences in blocks:
        for sentence in sentences:
            key = sentence.key if isinstance(sentence, MergeableNote) else sentence
            kept.setdefault(key, []).append(sentence)
    return tuple(_as_one(sentences, rows) for sentences in kept.values())


def _as_one(sentences: list[str], rows: int) -> str:
    first, *others = sentences
    if not isinstance(first, MergeableNote):
        return first
    return first.merge([other for other in others if isinstance(other, MergeableNote)], rows)
