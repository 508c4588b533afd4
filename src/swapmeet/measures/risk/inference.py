"""Guesses about people from a release, beyond what strangers' data would reveal."""

from __future__ import annotations

from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, Rows
from swapmeet.comparison.comparison import Comparison, random_rows
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.comparison.score import CONFIDENCE, SAMPLED, Score, Undefined
from swapmeet.intruders.guesses.guess_result import Excess, GuessResult, judge_groups, judge_pairs
from swapmeet.intruders.guesses.guesses import STRANGER, GuessSource, People, guess, guess_by_parts
from swapmeet.intruders.guesses.secrets import (
    GuessTask,
    list_all_secrets,
    list_known,
    list_parts,
    list_questions,
    list_secrets,
)
from swapmeet.measures.base import RiskMeasure
from swapmeet.release.provenance import ELSEWHERE
from swapmeet.tables.microdata import Microdata

MOST_PEOPLE = 2_000
FEWEST_PEOPLE = 200
EFFORT = 2 * 10**9
"""Cells that are compared; where columns and rows are many, fewer people are judged."""


class Inference(RiskMeasure):
    """Excess of an intruder's right guesses of a person's value over those from strangers' data.

    Each sensitive column is unknown in turn (each masked one, if none is named). The intruder knows
    the keys, or at the level "everything" all other columns, and guesses in four ways: from the
    nearest released row; from the row that agrees exactly in most values, rare ones first; by the
    most frequent value of the five nearest rows; by that of a leaf of a tree grown on the release.
    Each way is tried with all that is known, and with the columns that moved together with the
    unknown one. Another intruder looks at parts only: at random halves of what is known, and at the
    columns that came from the same person as the unknown one clearly more often than is usual in
    the release; from the nearest row, and from the one that agrees most. The worse of the two
    counts, so that more knowledge never means less risk. Categories and columns of few values must
    be guessed exactly, other numbers within 5 % of their standard deviation. Rows that are equally
    good share the guess.

    The same guess is made once more without the person: without the row in their place and every
    row in which they gave the unknown cell or a known one. What is still guessed then, others' data
    reveal about everybody, and that is what a release is for. The value is the difference of the
    two shares of right guesses, for the column and way where it is largest; these are chosen on one
    half of the people and judged on the other, in both directions. Leaving rows out agrees with
    holding people out before masking: on halves of the census data, RWN (k = 5) gains 0.26 and
    0.25, RWN (k = 50) 0.05 and 0.06, CART (leaf 5) 0.52 and 0.52; in coarse tables and small
    neighbourhoods it is stricter (`fair`, RWN with k = 5: 0.31 and 0.20).

    If people are given who are not in the file (`control`), their values are guessed instead of
    leaving rows out. Where it is not known who gave which cell, the second guess is the best one
    from the original data of all others. Values that were made, such as means of groups, are
    nobody's; only the row in the person's place is left out then.

    An unchanged release scores 1 less what strangers' data reveal, one with shuffled columns 0.
    """

    name = "inference"
    growth = "people × rows × columns × secrets; beyond 100 columns 10 secrets, and fewer people"
    remedy = (
        "Some values can be guessed from the other columns. Mask the guessed columns, or the "
        "keys, more strongly."
    )
    question = "What can an intruder learn about a person that other people's data do not reveal?"
    in_sample = ", in which known values of other rows are not found"
    by_pairs = True

    def score(self, comparison: Comparison) -> Score:
        guesses = _guess_all(comparison, comparison.level)
        guessed, secrets = list_secrets(comparison), comparison.once(list_all_secrets)
        return self.make_score(
            guesses.excess.value,
            guesses.sentence + _tell_asked(len(guessed), len(secrets)),
            interval=guesses.excess.interval,
            details={**guesses.details, **_look_beside(comparison)},
            hidden=SAMPLED if len(guessed) < len(secrets) else "",
            finding=guesses.finding,
            finding_in=100,
        )


def _tell_asked(guessed: int, secrets: int) -> str:
    if guessed == secrets:
        return ""
    return (
        f" {guessed} of {secrets:,} columns, drawn at random, were guessed; others may be guessed "
        "more often. Name the sensitive ones."
    )


def _guess_all(comparison: Comparison, level: Knowledge) -> GuessResult:
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


def _look_beside(comparison: Comparison) -> dict[str, Any]:
    """Guess as an intruder who knows everything else, where the keys are not everything."""
    level, secrets = Knowledge.EVERYTHING, list_secrets(comparison)
    if all(set(list_known(comparison, secret, comparison.level))
           == set(list_known(comparison, secret, level)) for secret in secrets):  # fmt: skip
        return {}
    excess = _guess_all(comparison, level).excess
    return {
        "excess knowing every other column": excess.value,
        "at most, knowing every other column": excess.interval[1],
    }


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
