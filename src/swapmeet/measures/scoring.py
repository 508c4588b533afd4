"""The scores of a comparison, be its rows in memory, in files or in a cluster."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from swapmeet.base.parallel import Workers
from swapmeet.base.progress import tell
from swapmeet.base.sentences import join_names
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import SAMPLED, Family, Score, Undefined
from swapmeet.measures.base import Coverage, Measure

SAMPLE = 100_000
"""Measures that need all they see in memory look at this many random rows, unless they say more."""

MANY_CELLS = 4_000_000
"""Of a table in memory with more cells, measures share their work for a while only."""


def score_all(
    comparison: Comparison, measures: Sequence[Measure], workers: Workers
) -> dict[str, Score]:
    """The score of each measure, by its name.

    In memory, several measures are taken at once. Rows that are elsewhere are read once for each
    measure, one after the other, and each measure looks at those that its `coverage` names.

    Linear algebra has one thread meanwhile: its matrices are small, and the limit holds for the
    whole process, so that a measure could not set and lift it beside others.
    """
    team = workers if comparison.in_memory else replace(workers, threads=1)
    if slow := name_slow(comparison, [measure.name for measure in measures]):
        team.progress("measures", 0, len(measures))
        tell(team.progress, slow)
    scores: dict[str, Score] = {}
    with _find_libraries().limit(limits=1, user_api="blas"):
        for some in _list_rounds(comparison, measures):
            scores |= _score_at_once(comparison, some, team)
            _drop_shared_work(comparison)
    return {measure.name: scores[measure.name] for measure in measures}


def _list_rounds(
    comparison: Comparison, measures: Sequence[Measure]
) -> tuple[Sequence[Measure], ...]:
    """All at once; of a table of many cells risk first, which shares little work with the rest."""
    if not _has_many_cells(comparison):
        return (measures,)
    risk = [measure for measure in measures if measure.family is Family.RISK]
    return risk, [measure for measure in measures if measure.family is not Family.RISK]


def _drop_shared_work(comparison: Comparison) -> None:
    """Copies of a large table in several encodings make room for those that others need."""
    if _has_many_cells(comparison):
        comparison.forget()
        return_freed_memory()


def _has_many_cells(comparison: Comparison) -> bool:
    return comparison.in_memory and comparison.cells > MANY_CELLS


def _score_at_once(
    comparison: Comparison, measures: Sequence[Measure], team: Workers
) -> dict[str, Score]:
    score = _score_here if comparison.in_memory else _score_elsewhere
    scores: dict[str, Score] = {}

    def score_some(begin: int, end: int) -> None:
        for measure in measures[begin:end]:
            scores[measure.name] = score(measure, comparison)

    team.each(score_some, len(measures), size=1, label="measures")
    return scores


def score_both(
    risk: Comparison, loss: Comparison, measures: Sequence[Measure], workers: Workers
) -> dict[str, Score]:
    """The scores of risk from one comparison, those of utility from another of the same rows."""
    if risk is loss:
        return score_all(risk, measures, workers)
    own = [measure for measure in measures if measure.family is Family.RISK]
    other = [measure for measure in measures if measure.family is not Family.RISK]
    scores = score_all(risk, own, workers) | score_all(loss, other, workers)
    return {measure.name: scores[measure.name] for measure in measures}


@cache
def _find_libraries() -> Any:
    """The libraries for linear algebra, which are looked for once: a search scores many times."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


def _score_here(measure: Measure, comparison: Comparison) -> Score:
    """In memory; of a wide table it is said where fewer people were looked at."""
    score = measure.score_or_reason(comparison)
    if _has_many_cells(comparison):
        return_freed_memory()
    if measure.coverage is not Coverage.LINKED or not comparison.fewer_people or score.undefined:
        return score
    assert comparison.people is not None
    return replace(score, sentence=score.sentence + _tell_people(comparison.people))


def _tell_people(count: int) -> str:
    return f" This is estimated from {count:,} randomly chosen people."


def _score_elsewhere(measure: Measure, comparison: Comparison) -> Score:
    """From all rows, by linking some people with all rows, or from a sample."""
    if measure.coverage is Coverage.SAMPLE:
        return _score_sample(measure, comparison)
    score = measure.score_or_reason(comparison)
    n, at_most = comparison.n, comparison.people
    if measure.coverage is Coverage.ALL or at_most is None or n <= at_most:
        return _add_how(score, n, _describe_all(measure, comparison))
    how = f"{at_most} random people against all rows"
    return _add_how(score, at_most, how, _tell_people(at_most))


def _score_sample(measure: Measure, comparison: Comparison) -> Score:
    n, rows = comparison.n, _count_rows(measure, comparison)
    take = _Sample(rows)
    score = measure.score_or_reason(comparison.once(take) if rows <= SAMPLE else take(comparison))
    if n <= rows:
        return _add_how(score, n, "all rows")
    if measure.by_pairs and not comparison.owners_known:
        return measure.undefined(Undefined(
            "a sample of the rows would hold few people together with rows like theirs, and "
            "make the risk seem smaller than it is; assess the files in memory"
        ))  # fmt: skip
    note = f" This is estimated from a random sample of {rows:,} rows{measure.in_sample}."
    if measure.hidden_in_sample:
        score = replace(score, hidden=score.hidden or SAMPLED)
    return _add_how(score, rows, f"a random sample of {rows} rows", note)


def _count_rows(measure: Measure, comparison: Comparison) -> int:
    """Return how many rows a measure sees: as many as it may have and as the memory holds."""
    return max(min(measure.sample_rows, comparison.most_sampled), SAMPLE)


@dataclass(frozen=True)
class _Sample:
    """Random people with their released rows, as tables of their own; all, if they are few."""

    rows: int

    def __call__(self, comparison: Comparison) -> Comparison:
        n = comparison.n
        if n <= self.rows:
            return comparison.sample(np.arange(n))
        stream = comparison.streams.stream("sample of rows")
        chosen = stream.choice(n, self.rows, replace=False, shuffle=False)
        return comparison.sample(np.sort(chosen))


def _describe_all(measure: Measure, comparison: Comparison) -> str:
    step = comparison.resolution
    if measure.ordered and step > 1:
        return f"all rows, of columns in order one value for about {step} rows"
    return "all rows"


def _add_how(score: Score, rows: int, how: str, note: str = "") -> Score:
    """Say how the score was found; values of single rows are not kept."""
    details: dict[str, Any] = {**score.details, "rows looked at": rows, "how": how}
    sentence = score.sentence if score.undefined else score.sentence + note
    return replace(score, sentence=sentence, details=details, records=None)


SLOW = 30.0
"""Measures that are expected to take more CPU seconds than this are named."""
NARROW = 12
"""Up to so many columns, trees find neighbours, and nothing below takes long."""

PEOPLE = {"pscr": 1e-9, "dbrl": 2e-9, "membership": 4e-9}
"""CPU seconds for each person, row and column, measured on a table of 20,000 × 800."""
SOME_PEOPLE = {"linkage": 2.5e-8, "inference": 1.4e-8}
"""The same for those that look at about 500 people, however many there are."""
FEW = 500
NUMBERS = {"rid-sorted": 6e-9, "sdid-sorted": 6e-9, "dbrl-sorted": 4e-9}
"""CPU seconds for each row and each two columns with numbers."""
CROSSED = {"small-cells": 2e-9}
"""CPU seconds for each row and each two columns of any kind."""


def expect_seconds(comparison: Comparison) -> dict[str, float]:
    """The CPU seconds that dear measures will take, about; a machine may be twice as fast."""
    rows, columns = comparison.n, len(comparison.known)
    if columns <= NARROW:
        return {}
    numbers = len([name for name in comparison.known if name in comparison.numeric])
    people = rows if comparison.people is None else min(comparison.people, rows)
    work = [
        (PEOPLE, people * rows * columns),
        (SOME_PEOPLE, min(people, FEW) * rows * columns),
        (NUMBERS, rows * numbers**2),
        (CROSSED, rows * columns**2),
    ]
    return {name: rate * much for rates, much in work for name, rate in rates.items()}


def name_slow(comparison: Comparison, measures: Iterable[str]) -> str:
    """The measures that will take long, the slowest first, in a line; "" if there are none."""
    expected = expect_seconds(comparison)
    slow = [name for name in measures if expected.get(name, 0.0) > SLOW]
    if not slow:
        return ""
    slow.sort(key=lambda name: -expected[name])
    minutes = max(round(sum(expected[name] for name in slow) / 60.0), 1)
    return f"slow on this table: {join_names(slow)} (about {minutes:,} min of CPU time)"


def return_freed_memory() -> None:
    """Give what was freed back to the system, where the C library can (glibc).

    Every thread frees into a store of its own, from which others do not take: work that wanders
    between threads needs several times its memory otherwise.
    """
    trim = _find_trim()
    if trim is not None:
        trim(0)


@cache
def _find_trim() -> Callable[[int], int] | None:
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
    return trim
