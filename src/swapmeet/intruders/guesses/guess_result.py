"""Guesses about people, and their results beyond what others' data reveal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, Ints, Rows
from swapmeet.comparison.comparison import Comparison, random_rows
from swapmeet.comparison.intervals import of_difference, of_paired_difference
from swapmeet.comparison.knowledge import MANY_COLUMNS, Knowledge, list_names
from swapmeet.comparison.score import CONFIDENCE, Undefined
from swapmeet.intruders.guesses.guesses import (
    STRANGER,
    WAYS,
    GuessSource,
    People,
    guess,
    guess_by_parts,
)
from swapmeet.intruders.guesses.scan import share_of_blind_guess
from swapmeet.intruders.guesses.secrets import (
    GuessTask,
    list_known,
    list_parts,
    list_questions,
    to_numbers,
)
from swapmeet.release.provenance import ELSEWHERE
from swapmeet.tables.microdata import Microdata


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Excess:
    """Right guesses of people who are in the release and of strangers, by guess chosen.

    `chosen` are the numbers of the guesses that looked worst to one half of the people and were
    judged on the other; usually both halves choose the same.
    """

    chosen: tuple[int, ...]
    share: float
    control: float
    interval: tuple[float, float]

    @property
    def value(self) -> float:
        """Return what is guessed beyond strangers' data; never below 0."""
        return max(self.share - self.control, 0.0)


def judge_pairs(right: Floats, control: Floats, confidence: float) -> Excess:
    """Both arrays have a line for each guess and a column for each person; NaN is nobody's."""
    chosen = [_choose(_means(right[:, half] - control[:, half])) for half in _halve(right.shape[1])]
    paired = np.where(np.isnan(right), np.nan, control)
    share, other = (_judge_other_half(part, chosen) for part in (right, paired))
    return Excess(
        chosen=tuple(sorted(set(chosen))), share=_mean(share), control=_mean(other),
        interval=of_paired_difference(share - other, confidence),
    )  # fmt: skip


def judge_groups(right: Floats, control: Floats, confidence: float) -> Excess:
    """The same where the control are other people, who may be fewer or more."""
    halves = zip(_halve(right.shape[1]), _halve(control.shape[1]), strict=True)
    chosen = [_choose(_means(right[:, one]) - _means(control[:, two])) for one, two in halves]
    share, other = (_judge_other_half(part, chosen) for part in (right, control))
    return Excess(
        chosen=tuple(sorted(set(chosen))), share=_mean(share), control=_mean(other),
        interval=of_difference(share, other, confidence),
    )  # fmt: skip


def _halve(n: int) -> list[Ints]:
    return [np.arange(half, n, 2) for half in (0, 1)]


def _judge_other_half(part: Floats, chosen: list[int]) -> Floats:
    """Return what a guess is worth to people with a value who did not choose it."""
    halves = zip(reversed(chosen), _halve(part.shape[1]), strict=True)
    judged = np.concatenate([part[guess, half] for guess, half in halves])
    return judged[~np.isnan(judged)]


def _means(values: Floats) -> Floats:
    """Of each line, over those who are there; NaN where nobody is."""
    there = ~np.isnan(values)
    means = np.where(there, values, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    return np.where(there.any(axis=1), means, np.nan)


def _choose(gains: Floats) -> int:
    """The line that gains most; never one of nobody, unless all are."""
    return int(np.argmax(np.where(np.isnan(gains), -np.inf, gains)))


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0


SMALL = 100
"""A table of fewer people says that it is small."""


@dataclass(frozen=True, repr=False, eq=False)
class GuessResult:
    """Right guesses of people and of strangers, by way, question and person."""

    comparison: Comparison
    level: Knowledge
    questions: tuple[GuessTask, ...]
    right: Floats
    control: Floats
    excess: Excess

    @property
    def finding(self) -> str:
        """The clause that a verdict quotes."""
        more = round(100 * self.excess.share) - round(100 * self.excess.control)
        many = f"{more} more" if more > 0 else "no more"
        return (
            f"an intruder who knows {self._known} guesses the {self._secrets} of "
            f"{round(100 * self.excess.share)} of 100 people, {many} than from strangers' data"
        )

    @property
    def sentence(self) -> str:
        """Finding, the way to it, and what guessing blindly would give."""
        return (
            f"{self.finding[0].upper()}{self.finding[1:]}, {self._ways}; a blind guess is right "
            f"for {round(100 * self._blind)} of 100.{self._caveat}"
        )

    @property
    def details(self) -> dict[str, Any]:
        """For each column the way of guessing that gains most, and further figures."""
        details: dict[str, Any] = {
            "guessed": self._secrets,
            "share guessed": self.excess.share,
            "share guessed from strangers": self.excess.control,
            "blind guess": self._blind,
            "people judged": self.right.shape[2],
        }
        for secret in dict.fromkeys(one.secret for one in self.questions):
            details |= self._describe(secret)
        return details

    def _describe(self, secret: str) -> dict[str, Any]:
        """Best guesses of one column, over all people."""
        numbers = [q for q, one in enumerate(self.questions) if one.secret == secret]
        right, control = (_mean_of_people(part[:, numbers]) for part in (self.right, self.control))
        tried = ~np.isnan(self.right[:, numbers]).all(axis=2)
        gains = np.where(tried, right - control, -np.inf)
        way, which = np.unravel_index(np.argmax(gains), gains.shape)
        question = self.questions[numbers[which]]
        figures = {
            f"{secret}: guessed": float(right[way, which]),
            f"{secret}: from strangers": float(control[way, which]),
            f"{secret}: how": f"{WAYS[way]}, by {list_names(question.known)}",
        }
        uniform = _share_in_uniform_groups(self.comparison, question)
        return (
            figures if uniform is None else {**figures, f"{secret}: groups of one value": uniform}
        )

    @property
    def _worst(self) -> list[GuessTask]:
        """Say what was guessed; one question, unless the halves of the people differ about it."""
        return [self.questions[number % len(self.questions)] for number in self.excess.chosen]

    @property
    def _secrets(self) -> str:
        return " or ".join(dict.fromkeys(one.secret for one in self._worst))

    @property
    def _known(self) -> str:
        secrets = {one.secret for one in self._worst}
        known = list_known(self.comparison, self._worst[0].secret, self.level)
        names = [name for name in known if name not in secrets] or list(known)
        return list_names(names) if len(names) <= MANY_COLUMNS else f"{len(names)} other columns"

    @property
    def _ways(self) -> str:
        many = len(self.questions)
        return " or ".join(dict.fromkeys(WAYS[number // many] for number in self.excess.chosen))

    @property
    def _blind(self) -> float:
        return max(
            share_of_blind_guess(
                to_numbers(self.comparison.released[one.secret]),
                to_numbers(self.comparison.original[one.secret]),
                one.tolerance,
            )
            for one in self._worst
        )

    @property
    def _caveat(self) -> str:
        n = self.comparison.n
        return f" The table is small ({n} people), so that this is uncertain." if n < SMALL else ""


def _mean_of_people(right: Floats) -> Floats:
    """Over those who have a value; 0 where nobody has one."""
    there = ~np.isnan(right)
    return np.where(there, right, 0.0).sum(axis=2) / np.maximum(there.sum(axis=2), 1)


def _share_in_uniform_groups(comparison: Comparison, question: GuessTask) -> float | None:
    provenance = comparison.provenance
    if provenance is None or question.secret not in provenance.columns:
        return None
    return share_in_uniform_groups(
        provenance.donors[:, provenance.columns.index(question.secret)],
        provenance.place,
        to_numbers(comparison.original[question.secret]),
        question.tolerance,
    )


def share_in_uniform_groups(
    givers: Ints, places: Ints, values: Floats, tolerance: float
) -> float | None:
    """The share of people who traded only with people of their own value; None if nobody traded.

    `givers` and `places` name, for each released row, who gave the cell and in whose place it is;
    `values` are the true ones of the people. A group are all who are joined by trades.

    >>> share_in_uniform_groups(
    ...     np.array([1, 0, 3, 2]), np.arange(4), np.array([7.0, 7.0, 8.0, 9.0]), 0.0)
    0.5
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(values)
    traded = (givers >= 0) & (places >= 0) & (givers != places)
    if not traded.any():
        return None
    pairs = (givers[traded], places[traded])
    joined = coo_array((np.ones(traded.sum(), np.int8), pairs), shape=(n, n))
    many, groups = connected_components(joined, directed=False)
    low, high = np.full(many, np.inf), np.full(many, -np.inf)
    there = ~np.isnan(values)
    np.minimum.at(low, groups[there], values[there])
    np.maximum.at(high, groups[there], values[there])
    uniform = (high - low <= tolerance) & (np.bincount(groups, minlength=many) > 1)
    return float(uniform[groups].mean())


MOST_PEOPLE = 2_000
FEWEST_PEOPLE = 200
EFFORT = 2 * 10**9
"""Cells that are compared; where columns and rows are many, fewer people are judged."""


def guess_all(comparison: Comparison, level: Knowledge) -> GuessResult:
    """Guess all secrets in all ways, by what is known and by parts of it."""
    questions, parts = list_questions(comparison, level), list_parts(comparison, level)
    people = _choose_people(comparison, questions)
    right, control = _guess_both(comparison, questions, parts, people)
    excess = _judge_worst(comparison, right, control, len(questions))
    return GuessResult(comparison, level, (*questions, *parts), right, control, excess)


def _judge_worst(comparison: Comparison, right: Floats, control: Floats, many: int) -> Excess:
    """Of two intruders: by all that is known (the first `many` questions), and by parts of it.

    Each chooses among their own questions, so that more to choose from never means less risk.
    """
    judge = judge_pairs if comparison.control is None else judge_groups
    by_parts = np.arange(right.shape[1]) >= many
    masks = [by_parts, ~by_parts] if by_parts.any() else [by_parts]
    tried = [np.where(left_out[:, np.newaxis], np.nan, right) for left_out in masks]
    excesses = [judge(_flatten(one), _flatten(control), CONFIDENCE) for one in tried]
    return max(excesses, key=lambda one: one.share - one.control)


def _choose_people(comparison: Comparison, questions: tuple[GuessTask, ...]) -> People:
    """At random, in random order, and as many as effort allows."""
    among = _find_givers(comparison, questions)
    stream = comparison.streams.stream("inference", "people")
    most = min(_limit_people(comparison, questions), len(among))
    chosen = stream.permutation(among[random_rows(stream, len(among), most)])
    if len(chosen) < 2:
        raise Undefined("it takes two people to choose a guess and to judge it")
    return People(comparison.original.take(chosen), chosen)


def _choose_strangers(
    control: Microdata, comparison: Comparison, questions: tuple[GuessTask, ...]
) -> People:
    """People who are not in the file, at random and in random order."""
    stream = comparison.streams.stream("inference", "strangers")
    most = min(_limit_people(comparison, questions), control.n)
    chosen = stream.permutation(random_rows(stream, control.n, most))
    return People(control.take(chosen), np.full(len(chosen), STRANGER))


def _limit_people(comparison: Comparison, questions: tuple[GuessTask, ...]) -> int:
    """Largest number of people who are judged."""
    cells = comparison.n * (len(comparison.original.names) + 2 * len(questions))
    most = min(max(EFFORT // max(cells, 1), FEWEST_PEOPLE), MOST_PEOPLE)
    return most if comparison.people is None else min(most, comparison.people)


def _find_givers(comparison: Comparison, questions: tuple[GuessTask, ...]) -> Rows:
    """Everybody; in a sample of rows, those who gave it a value that is to be guessed."""
    provenance, everybody = comparison.provenance, np.arange(comparison.n)
    if provenance is None or not (provenance.donors == ELSEWHERE).any():
        return everybody
    secrets = {one.secret for one in questions}
    chosen = [j for j, name in enumerate(provenance.columns) if name in secrets]
    return np.intersect1d(everybody, provenance.donors[:, chosen])


def _guess_both(
    comparison: Comparison,
    questions: tuple[GuessTask, ...],
    parts: tuple[GuessTask, ...],
    people: People,
) -> tuple[Floats, Floats]:
    """Right guesses of people, and of strangers or without the person."""
    order = comparison.streams.stream("inference", "rows").permutation(comparison.released.n)
    source, workers = _open_release(comparison).take(order), comparison.workers

    def guess_about(some: People) -> Floats:
        both = guess(source, some, questions, workers), guess_by_parts(source, some, parts, workers)
        return np.concatenate(both, axis=2)

    right, without = guess_about(people)
    if comparison.control is not None:
        strangers = _choose_strangers(comparison.control, comparison, questions)
        return right, _take_better(guess_about(strangers)[0], len(questions))
    if comparison.provenance is not None and comparison.provenance.columns:
        return right, _take_better(without, len(questions))
    others = guess(_open_original(comparison), people, questions, workers)[1]
    return right, _take_best(others, questions, (*questions, *parts))


def _open_release(comparison: Comparison) -> GuessSource:
    """The released rows, with who gave what; strangers where that is not known."""
    data, provenance = comparison.released, comparison.provenance
    givers = np.full((data.n, len(data.names)), STRANGER + 1)
    if provenance is None:
        return GuessSource(data, givers, givers[:, 0])
    for j, name in enumerate(data.names):
        if name in provenance.columns:
            givers[:, j] = provenance.donors[:, provenance.columns.index(name)]
    return GuessSource(data, givers, provenance.place)


def _open_original(comparison: Comparison) -> GuessSource:
    """The original rows: everybody gave their own."""
    data, rows = comparison.original, np.arange(comparison.n)
    return GuessSource(data, np.repeat(rows[:, np.newaxis], len(data.names), axis=1), rows)


def _take_better(control: Floats, many: int) -> Floats:
    """Choose by parts, after the first `many` questions, the way that serves strangers better.

    The row that agrees in one value of the person shows what goes with that value. Without it,
    others' data show the same through the nearest row, not through one that agrees by chance.
    """
    control = control.copy()
    for number in range(many, control.shape[1]):
        means = np.nan_to_num(control[:, number]).mean(axis=1)
        control[:, number] = control[np.argmax(means), number]
    return control


def _take_best(
    control: Floats, questions: tuple[GuessTask, ...], tasks: tuple[GuessTask, ...]
) -> Floats:
    """For each secret the way and the columns that serve best, for all that is asked about it."""
    best = np.empty((len(control), len(tasks), control.shape[2]))
    for secret in {one.secret for one in questions}:
        some = control[:, [one.secret == secret for one in questions]]
        some = some.reshape(-1, control.shape[2])
        which = [one.secret == secret for one in tasks]
        best[:, which] = some[np.argmax(np.nan_to_num(some).mean(axis=1))]
    return best


def _flatten(right: Floats) -> Floats:
    return right.reshape(-1, right.shape[2])
