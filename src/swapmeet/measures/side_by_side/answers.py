"""The answers to a user's own counting queries, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.sentences import percent
from swapmeet.errors import FileError, ParameterError
from swapmeet.measures.side_by_side.empty_conditions import describe_levels
from swapmeet.tables.conditions import Condition

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from swapmeet.tables.frame import Table

COMMENT = "#"


@dataclass(frozen=True)
class Answer:
    """Numbers of rows that meet a condition in the original, the release, and another release.

    Where none does in the original, `levels` says how many values its columns have.
    """

    condition: Condition
    original: int
    released: int
    baseline: int | None = None
    levels: str = ""

    @property
    def error(self) -> float:
        """(x − y)² / (x + y) of the counts, as for random queries (KLθ paper, 4.5)."""
        return _error(self.original, self.released)

    @property
    def off(self) -> float:
        """Return the error of the answer as a share of the true count; none counts as one."""
        return abs(self.released - self.original) / max(self.original, 1)

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        counts = {"original": self.original, "released": self.released, "baseline": self.baseline}
        return {"condition": self.condition.text, **counts, "off": self.off}


@dataclass(frozen=True)
class Answers:
    """The answers to all queries."""

    answers: tuple[Answer, ...]

    @property
    def relative_error(self) -> float | None:
        """The sum of errors over that of another release (KLθ paper); None where there is none."""
        pairs = [(a.original, a.baseline) for a in self.answers if a.baseline is not None]
        if not pairs:
            return None
        known = sum(_error(true, other) for true, other in pairs)
        return sum(answer.error for answer in self.answers) / max(known, 1.0)

    @property
    def sentence(self) -> str:
        """In words."""
        off = np.array([answer.off for answer in self.answers])
        worst = int(off.argmax())
        sentence = (
            f"Half of the {len(off)} counts are off by {percent(float(np.median(off)))} or less; "
            f"that of query {worst + 1} is off most, by {percent(float(off[worst]))} of "
            f"{self.answers[worst].original:,} rows"
        )
        sentence += self._tell_empty()
        if self.relative_error is None:
            return f"{sentence}."
        return (
            f"{sentence}. The errors together are {percent(self.relative_error)} of those of the "
            "other release."
        )

    def _tell_empty(self) -> str:
        """Queries that no row of the original meets, the first of them with its columns."""
        empty = [n for n, answer in enumerate(self.answers, 1) if not answer.original]
        if not empty:
            return ""
        queries = f"query {empty[0]}" if len(empty) == 1 else f"{len(empty)} queries"
        first = "" if len(empty) == 1 else f" (the first is query {empty[0]})"
        return f". No row meets {queries}{first}: {self.answers[empty[0] - 1].levels}"

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        answers = [answer.to_dict() for answer in self.answers]
        return {"answers": answers, "relative error": self.relative_error}


def read_queries(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """The conditions in a file, one in each line; empty lines and those after # are left out.

    Each is checked for form here; nothing in the file is executed.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise FileError(f"{path}: cannot be read as a text of queries (UTF-8).") from None
    texts = [(n, text) for n, line in enumerate(lines, 1) if (text := line.strip())]
    queries = [(n, text) for n, text in texts if not text.startswith(COMMENT)]
    if not queries:
        raise FileError(f"{path}: there is no query in it. Write one condition in each line.")
    for number, text in queries:
        try:
            Condition(text)
        except ParameterError as problem:
            raise ParameterError(f"{path}, line {number}: {problem}") from None
    return tuple(text for _, text in queries)


def compare_answers(
    original: Table, released: Table, conditions: Iterable[Condition], baseline: Table | None = None
) -> Answers:
    """Ask each query of all tables."""
    return Answers(tuple(_ask(original, released, one, baseline) for one in conditions))


def _ask(original: Table, released: Table, condition: Condition, baseline: Table | None) -> Answer:
    before = _count(original, condition)
    return Answer(
        condition,
        before,
        _count(released, condition),
        None if baseline is None else _count(baseline, condition),
        "" if before else describe_levels(original, condition),
    )


def _count(table: Table, condition: Condition) -> int:
    return int(condition.holds(table).sum())


def _error(true: int, released: int) -> float:
    return (true - released) ** 2 / max(true + released, 1)
