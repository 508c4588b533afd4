"""What an intruder reads about people in a release, beyond what strangers' data would tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from swapmeet.algorithms.guesses.modes import share_of_blind_guess
from swapmeet.core.release.provenance import ELSEWHERE
from swapmeet.measures.base import Measure
from swapmeet.measures.comparison import random_rows
from swapmeet.measures.intruders import MANY_COLUMNS, Knowledge, list_names
from swapmeet.measures.risk.excess import judge_pairs
from swapmeet.measures.risk.guesses import STRANGER, WAYS, People, Source, guess
from swapmeet.measures.risk.homogeneity import share_in_uniform_groups
from swapmeet.measures.risk.secrets import (
    list_known,
    list_questions,
    list_secrets,
    to_numbers,
)
from swapmeet.measures.score import CONFIDENCE, Family, Undefined

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.measures.comparison import Comparison
    from swapmeet.measures.risk.excess import Excess
    from swapmeet.measures.risk.secrets import Question
    from swapmeet.measures.score import Score

    Floats = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int64]

MOST_PEOPLE = 2_000
FEWEST_PEOPLE = 200
EFFORT = 2 * 10**9
"""Cells that are compared; where columns and rows are many, fewer people are judged."""
SMALL = 100


@dataclass(frozen=True, kw_only=True)
class Inference(Measure):
    """How much more often an intruder guesses a person's value than from strangers' data.

    Each sensitive column is unknown in turn (each masked one, if none is named). The intruder knows
    the keys, or at the level "everything" all other columns, and guesses in four ways: from the
    nearest released row; from the row that agrees exactly in most values, rare ones first; by the
    most frequent value of the five nearest rows; by that of a leaf of a tree grown on the release.
    Each way is tried with all that is known, and with the columns that moved together with the
    unknown one. Categories and columns of few values must be guessed exactly, other numbers within
    5 % of their standard deviation. Rows that are equally good share the guess.

    The same guess is made once more without the person: without the row in their place and every
    row in which they gave the unknown cell or a known one. What is guessed even then others' data
    tell about everybody, and that is what a release is for. The value is the difference of the two
    shares of right guesses, for the column and way where it is largest; these are chosen on one
    half of the people and judged on the other, in both directions. Leaving rows out agrees with
    holding people out before masking: on halves of the census data, RWN (k = 5) gains 0.26 and
    0.25, RWN (k = 50) 0.05 and 0.06, CART (leaf 5) 0.15 and 0.15; in coarse tables and small
    neighbourhoods it is stricter (`fair`, RWN with k = 5: 0.31 and 0.20).

    Where it is not known who gave which cell, the second guess is the best one from the original
    data of all others. Values that were made, such as means of groups, are nobody's; only the row
    in the person's place is left out then.

    An unchanged release scores 1 less what strangers tell, one with shuffled columns 0.
    """

    name: ClassVar[str] = "inference"
    family: ClassVar[Family] = Family.RISK
    question: ClassVar[str] = "What does an intruder learn of a person that others do not tell?"
    in_sample: ClassVar[str] = ", where known values that stand in other rows are not found"
    by_pairs: ClassVar[bool] = True

    def score(self, comparison: Comparison) -> Score:
        guesses = _guess_all(comparison, comparison.level)
        return self.make_score(
            guesses.excess.value,
            guesses.sentence,
            interval=guesses.excess.interval,
            details={**guesses.details, **_look_beside(comparison)},
            finding=guesses.finding,
        )


def _guess_all(comparison: Comparison, level: Knowledge) -> _Guesses:
    questions = list_questions(comparison, level)
    people = _choose_people(comparison, questions)
    right, control = _guess_both(comparison, questions, people)
    excess = judge_pairs(_flatten(right), _flatten(control), CONFIDENCE)
    return _Guesses(comparison, level, questions, right, control, excess)


def _look_beside(comparison: Comparison) -> dict[str, Any]:
    """What an intruder who knows everything else guesses, where the keys are not everything."""
    level, secrets = Knowledge.EVERYTHING, list_secrets(comparison)
    if all(set(list_known(comparison, secret, comparison.level))
           == set(list_known(comparison, secret, level)) for secret in secrets):  # fmt: skip
        return {}
    excess = _guess_all(comparison, level).excess
    return {
        "excess knowing every other column": excess.value,
        "at most, knowing every other column": excess.interval[1],
    }


def _choose_people(comparison: Comparison, questions: tuple[Question, ...]) -> People:
    """At random, and as many as effort allows; they come in random order."""
    cells = comparison.n * (len(comparison.original.names) + 2 * len(questions))
    most = min(max(EFFORT // max(cells, 1), FEWEST_PEOPLE), MOST_PEOPLE)
    most = most if comparison.at_most is None else min(most, comparison.at_most)
    among = _find_givers(comparison, questions)
    stream = comparison.streams.stream("inference", "people")
    chosen = among[random_rows(stream, len(among), min(most, len(among)))]
    if len(chosen) < 2:
        raise Undefined("it takes two people to choose a guess and to judge it")
    chosen = stream.permutation(chosen)
    return People(comparison.original.take(chosen), chosen)


def _find_givers(comparison: Comparison, questions: tuple[Question, ...]) -> Rows:
    """Everybody; in a sample of rows, those who gave it a value that is to be guessed."""
    provenance, everybody = comparison.provenance, np.arange(comparison.n)
    if provenance is None or not (provenance.donors == ELSEWHERE).any():
        return everybody
    secrets = {one.secret for one in questions}
    chosen = [j for j, name in enumerate(provenance.columns) if name in secrets]
    return np.intersect1d(everybody, provenance.donors[:, chosen])


def _guess_both(
    comparison: Comparison, questions: tuple[Question, ...], people: People
) -> tuple[Floats, Floats]:
    """Right guesses with and without the person, by way, question and person."""
    provenance = comparison.provenance
    order = comparison.streams.stream("inference", "rows").permutation(comparison.released.n)
    source = _open_release(comparison).take(order)
    if provenance is not None and provenance.columns:
        right = guess(source, people, questions, comparison.workers)
        return right[0], right[1]
    others = _open_original(comparison)
    right = guess(source, people, questions, comparison.workers)[0]
    control = guess(others, people, questions, comparison.workers)[1]
    return right, _take_best(control, questions)


def _open_release(comparison: Comparison) -> Source:
    """The released rows, with who gave what; strangers where that is not known."""
    data, provenance = comparison.released, comparison.provenance
    givers = np.full((data.n, len(data.names)), STRANGER + 1)
    if provenance is None:
        return Source(data, givers, givers[:, 0])
    for j, name in enumerate(data.names):
        if name in provenance.columns:
            givers[:, j] = provenance.donors[:, provenance.columns.index(name)]
    return Source(data, givers, provenance.place)


def _open_original(comparison: Comparison) -> Source:
    """The original rows: everybody gave their own."""
    data, rows = comparison.original, np.arange(comparison.n)
    return Source(data, np.repeat(rows[:, np.newaxis], len(data.names), axis=1), rows)


def _take_best(control: Floats, questions: tuple[Question, ...]) -> Floats:
    """For each secret the way and the columns that serve best, in place of all others."""
    best = np.empty_like(control)
    for secret in {one.secret for one in questions}:
        which = np.array([one.secret == secret for one in questions])
        some = control[:, which].reshape(-1, control.shape[2])
        best[:, which] = some[np.argmax(np.nan_to_num(some).mean(axis=1))]
    return best


def _flatten(right: Floats) -> Floats:
    return right.reshape(-1, right.shape[2])


@dataclass(frozen=True, repr=False, eq=False)
class _Guesses:
    """Right guesses with all rows and without the person's, in figures and in words."""

    comparison: Comparison
    level: Knowledge
    questions: tuple[Question, ...]
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
        """What was found, how, and what guessing blindly would give."""
        return (
            f"{self.finding[0].upper()}{self.finding[1:]}, {self._ways}; a blind guess is right "
            f"for {round(100 * self._blind)} of 100.{self._caveat}"
        )

    @property
    def details(self) -> dict[str, Any]:
        """For each column the way of guessing that gains most, and further figures."""
        found: dict[str, Any] = {
            "guessed": self._secrets,
            "share guessed": self.excess.share,
            "share guessed from strangers": self.excess.control,
            "blind guess": self._blind,
            "people judged": self.right.shape[2],
        }
        for secret in dict.fromkeys(one.secret for one in self.questions):
            found |= self._describe(secret)
        return found

    def _describe(self, secret: str) -> dict[str, Any]:
        """How one column is guessed best, over all people."""
        numbers = [q for q, one in enumerate(self.questions) if one.secret == secret]
        there = ~np.isnan(self.right[0, numbers[0]])
        if not there.any():
            return {}
        right, control = (
            part[:, numbers][:, :, there].mean(axis=2) for part in (self.right, self.control)
        )
        way, which = np.unravel_index(np.argmax(right - control), right.shape)
        question = self.questions[numbers[which]]
        found = {
            f"{secret}: guessed": float(right[way, which]),
            f"{secret}: from strangers": float(control[way, which]),
            f"{secret}: how": f"{WAYS[way]}, by {list_names(question.known)}",
        }
        uniform = _share_in_uniform_groups(self.comparison, question)
        return found if uniform is None else {**found, f"{secret}: groups of one value": uniform}

    @property
    def _worst(self) -> list[Question]:
        """What was guessed; one question, unless the halves of the people differ about it."""
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


def _share_in_uniform_groups(comparison: Comparison, question: Question) -> float | None:
    provenance = comparison.provenance
    if provenance is None or question.secret not in provenance.columns:
        return None
    return share_in_uniform_groups(
        provenance.donors[:, provenance.columns.index(question.secret)],
        provenance.place,
        to_numbers(comparison.original[question.secret]),
        question.tolerance,
    )
