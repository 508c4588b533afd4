"""Rows that meet a condition, before and after: counting queries, rare records, broken ties."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from swapmeet.base.arrays import Ints
from swapmeet.base.sentences import count, join_names, percent
from swapmeet.errors import FileError, ParameterError
from swapmeet.tables.conditions import Condition
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


@dataclass(frozen=True)
class RareRecords:
    """Rows that meet a condition, before and after, and what became of their owners.

    `stayed` owners meet it in the original and, with their released row, after; `strangers` are
    released rows that meet it though their owner does not. Both are unknown without owners. Where
    nobody meets it, `levels` says how many values its columns have.
    """

    condition: str
    original: int
    released: int
    stayed: int | None
    strangers: int | None
    levels: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {**asdict(self), "sentence": self.sentence}

    @property
    def sentence(self) -> str:
        """In words."""
        if not self.original:
            released = f"; {self._count_released()}" if self.released else ""
            return f"Nobody meets the condition{released}: {self.levels}."
        people = count(self.original, "person meets", "people meet")
        counts = f"{people} the condition, and {self._count_released()}"
        if self.stayed is None:
            return f"{counts}; whose they are is not known."
        return f"{counts}: {self.stayed} their own, {self.strangers} other people's."

    def _count_released(self) -> str:
        return count(self.released, "released row does", "released rows do")


def compare_rare(
    original: Table, released: Table, condition: Condition, rows: Ints | None, *, owners_known: bool
) -> RareRecords:
    """Count the rows that meet a condition; `rows` puts released rows in their owners' order."""
    before, after = condition.holds(original), condition.holds(released)
    levels = "" if before.any() else describe_levels(original, condition)
    if not owners_known:
        return RareRecords(condition.text, int(before.sum()), int(after.sum()), None, None, levels)
    after = after if rows is None else after[rows]
    return RareRecords(
        condition.text,
        int(before.sum()),
        int(after.sum()),
        int((before & after).sum()),
        int((after & ~before).sum()),
        levels,
    )


def describe_levels(table: Table, condition: Condition) -> str:
    """List how many values each column of a condition has, in case nobody meets it.

    >>> import pandas as pd
    >>> from swapmeet.tables.frame import Table
    >>> from swapmeet.tables.conditions import Condition
    >>> describe_levels(Table(pd.DataFrame({"sex": ["f", "m", "f"]})), Condition('sex = "w"'))
    "'sex' has 2 values; see how they are written"
    """
    counts = [
        f"{name!r} has {count(table.codes(name).levels, 'value')}" for name in condition.columns
    ]
    return f"{join_names(counts)}; see how they are written"


@dataclass(frozen=True)
class TieCheck:
    """A rule or derivation as it was written, and the rows that break it; 0 is wanted.

    `column` is the one that is derived; a rule has none.

    >>> TieCheck("a <= b", 0, 12, 1000).sentence
    'a <= b: broken in 12 of 1,000 released rows, and in none of the original.'
    >>> TieCheck("a <= b", 12, 12, 1000).sentence
    'a <= b: holds in 988 of 1,000 released rows, as in the original.'
    """

    text: str
    original: int
    released: int
    rows: int
    column: str | None = None

    @property
    def sentence(self) -> str:
        """For people."""
        after = f"{self.released:,} of {self.rows:,} released rows" if self.released else "no row"
        before = f"{self.original:,} rows" if self.original else "none"
        if self.released == self.original:
            held = f"{self.rows - self.released:,} of" if self.released else "all"
            return f"{self.text}: holds in {held} {self.rows:,} released rows, as in the original."
        return f"{self.text}: broken in {after}, and in {before} of the original."

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)
