"""Shares of right guesses, with a person's data in the release and without."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from swapmeet.algorithms.groups.leaves.trees import DecisionTree, Predictors, Response
from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.jit import kernel
from swapmeet.base.parallel import Workers
from swapmeet.intruders.guesses.scan import (
    MarkedParts,
    Questions,
    Secrets,
    Sight,
    guess_from_parts,
    guess_from_rows,
    share_of_modes,
)
from swapmeet.intruders.guesses.secrets import GuessTask, to_numbers
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

WAYS = (
    "from the nearest released record",
    "from the released record that agrees in the most and rarest values",
    "from the five nearest released records",
    "from a tree grown on the release",
)
MIN_LEAF = 10
MIN_GAIN = 1e-4
MOST_BY_PARTS = 800
"""So many people are sought by parts of what is known; the first ones."""
STRANGER = -9
"""The number of a person who gave nothing and stands for no row."""


@dataclass(frozen=True, repr=False, eq=False)
class GuessSource:
    """Rows to guess from. `givers` has a column for each of the data, and says who gave a cell."""

    data: Microdata
    givers: Ints
    places: Ints

    def take(self, rows: Ints) -> GuessSource:
        """The rows in another order."""
        return GuessSource(self.data.take(rows), self.givers[rows], self.places[rows])

    def givers_of(self, names: Iterable[str]) -> Ints:
        """Return the donors of the cells of these columns."""
        return self.givers[:, [self.data.names.index(name) for name in names]].copy(order="C")


@dataclass(frozen=True, repr=False, eq=False)
class People:
    """People whose values are guessed, and their numbers in the source."""

    data: Microdata
    numbers: Ints

    def first(self, many: int) -> People:
        """Return the items in front."""
        rows = np.arange(min(many, len(self.numbers)))
        return People(self.data.take(rows), self.numbers[rows])


def guess(
    source: GuessSource, people: People, questions: tuple[GuessTask, ...], workers: Workers
) -> Floats:
    """The chance that a guess is right: with all rows and without the person's, by way, question
    and person; NaN where the person has no value.
    """
    by_rows = guess_from_rows(
        _see(source, people, questions), _hide(source, people, questions), _ask(questions), workers
    )
    by_tree = np.stack([_guess_by_tree(source, people, one) for one in questions], axis=1)
    right = np.concatenate([by_rows, by_tree[:, np.newaxis]], axis=1)
    for number, question in enumerate(questions):
        right[:, :, number, people.data[question.secret].missing] = np.nan
    return right


def guess_by_parts(
    source: GuessSource, people: People, questions: tuple[GuessTask, ...], workers: Workers
) -> Floats:
    """The same of the first people, from the nearest row and the one that agrees most; NaN for all
    others, and for all other ways.
    """
    right = np.full((2, len(WAYS), len(questions), len(people.numbers)), np.nan)
    if not questions:
        return right
    some = people.first(MOST_BY_PARTS)
    chances = guess_from_parts(
        _see(source, some, questions),
        _hide(source, some, questions),
        _ask_parts(questions),
        workers,
    )
    sets, secrets = _list_sets(questions), _list_secrets(questions)
    for number, one in enumerate(questions):
        at = chances[:, :, sets.index(one.known), secrets.index(one.secret)]
        there = ~some.data[one.secret].missing
        right[:, :2, number, : len(there)] = np.where(there, at, np.nan)
    return right


def _see(source: GuessSource, people: People, questions: tuple[GuessTask, ...]) -> Sight:
    names = _list_columns(questions)
    placed = [_place(source.data[name], people.data[name]) for name in names]
    rows, sought, surprise = (
        np.stack([column[part] for column in placed], axis=1) for part in range(3)
    )
    nominal = np.array([source.data[name].kind is Kind.NOMINAL for name in names])
    return Sight(rows, sought, surprise, nominal)


def _place(rows: Variable, people: Variable) -> tuple[Floats, Floats, Floats]:
    """Shares of rows below instead of numbers, codes of categories; and what agreement says.

    A share counts half of the rows that have the very value, so that equal shares are equal values.
    """
    ordered = np.sort(to_numbers(rows))
    ordered = ordered[~np.isnan(ordered)]
    low, high = (np.searchsorted(ordered, to_numbers(people), side) for side in ("left", "right"))
    same = np.where(people.missing, rows.missing.sum(), high - low)
    surprise = np.log((len(rows.values) + 2.0) / (same + 1.0))
    if rows.kind is Kind.NOMINAL:
        return to_numbers(rows), to_numbers(people), surprise
    return _to_shares(rows, ordered), _to_shares(people, ordered), surprise


def _to_shares(variable: Variable, ordered: Floats) -> Floats:
    low, high = (np.searchsorted(ordered, variable.values, side) for side in ("left", "right"))
    return np.where(variable.missing, np.nan, (low + high) / (2.0 * max(len(ordered), 1)))


def _hide(source: GuessSource, people: People, questions: tuple[GuessTask, ...]) -> Secrets:
    names = _list_secrets(questions)
    return Secrets(
        np.stack([to_numbers(source.data[name]) for name in names], axis=1),
        np.stack([to_numbers(people.data[name]) for name in names], axis=1),
        np.array(list({one.secret: one.tolerance for one in questions}.values())),
        source.givers_of(names),
        source.givers_of(_list_columns(questions)),
        source.places,
        people.numbers,
    )


def _ask(questions: tuple[GuessTask, ...]) -> Questions:
    """Questions that differ only in the secret share what is added up over columns."""
    columns, secrets = _list_columns(questions), _list_secrets(questions)
    wholes = [
        tuple(name for name in columns if name in {*one.known, one.secret}) for one in questions
    ]
    sets = list(dict.fromkeys(wholes))
    but = [columns.index(one.secret) if one.secret in columns else -1 for one in questions]
    return Questions(
        np.array([[name in names for name in columns] for names in sets]),
        np.array([sets.index(whole) for whole in wholes]),
        np.array(but),
        np.array([secrets.index(one.secret) for one in questions]),
    )


def _ask_parts(questions: tuple[GuessTask, ...]) -> MarkedParts:
    columns, secrets = _list_columns(questions), _list_secrets(questions)
    sets = _list_sets(questions)
    pairs = {(one.known, one.secret) for one in questions}
    return MarkedParts(
        np.array([[name in names for name in columns] for names in sets]),
        np.array([[(names, secret) in pairs for secret in secrets] for names in sets]),
    )


def _list_columns(questions: tuple[GuessTask, ...]) -> list[str]:
    return list(dict.fromkeys(name for one in questions for name in one.known))


def _list_sets(questions: tuple[GuessTask, ...]) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(one.known for one in questions))


def _list_secrets(questions: tuple[GuessTask, ...]) -> list[str]:
    return list(dict.fromkeys(one.secret for one in questions))


def _guess_by_tree(source: GuessSource, people: People, question: GuessTask) -> Floats:
    """Grow a tree on the rows; people are only sent down, never learned from."""
    right = np.zeros((2, len(people.numbers)))
    cells, n = to_numbers(source.data[question.secret]), source.data.n
    if np.isnan(cells).all():
        return right
    joined = [_join(source.data[name], people.data[name]) for name in question.known]
    predictors = Predictors.of(joined, np.arange(n + len(people.numbers)))
    learning = np.append(~np.isnan(cells), np.zeros(len(people.numbers), np.bool_))
    tree = DecisionTree.grow(
        predictors, _respond(source.data[question.secret], len(people.numbers)),
        min_leaf=MIN_LEAF, min_gain=MIN_GAIN, among=learning,
    )  # fmt: skip
    begins, sizes = tree.leaves(np.ascontiguousarray(predictors.codes[:, n:]))
    guess_in_leaves(
        begins.astype(np.int64), sizes.astype(np.int64), tree.rows.astype(np.int64), cells,
        np.column_stack([source.givers_of((*question.known, question.secret)), source.places]),
        people.numbers, to_numbers(people.data[question.secret]), question.tolerance, right,
    )  # fmt: skip
    return right


def _join(rows: Variable, people: Variable) -> Variable:
    values = np.concatenate([rows.values, people.values])
    return replace(rows, values=values, levels=max(rows.levels, people.levels), whole=None)


def _respond(variable: Variable, more: int) -> Response:
    """Lesson of the tree; `more` rows at the end do not take part."""
    last = np.repeat(variable.values[~variable.missing][:1], more)
    values = np.append(variable.values, last)
    if variable.kind is Kind.NOMINAL:
        return Response.of_classes(values)
    return Response.of_numbers(values)


MOST = 1_000
"""Of a larger leaf, about this many rows are looked at."""


@kernel
def guess_in_leaves(
    begins: Ints, sizes: Ints, rows: Ints, cells: Floats, givers: Ints, who: Ints, truth: Floats,
    tolerance: float, right: Floats,
) -> None:  # fmt: skip
    """The chance that the most frequent value of a person's leaf is the true one.

    A person's leaf are the `sizes` rows from `begins` on in `rows`. A line of `givers` names all
    whose row it is. `right` has a line for the guess with all rows, and one for that without the
    person's.
    """
    everyone, others = np.empty(2 * MOST), np.empty(2 * MOST)
    for i in range(len(who)):
        step = max(sizes[i] // MOST, 1)
        many, fewer = 0, 0
        for at in range(begins[i], begins[i] + sizes[i], step):
            r = rows[at]
            if np.isnan(cells[r]):
                continue
            everyone[many] = cells[r]
            many += 1
            if not _is_among(givers[r], who[i]):
                others[fewer] = cells[r]
                fewer += 1
        right[0, i] = share_of_modes(everyone, many, truth[i], tolerance)
        right[1, i] = share_of_modes(others, fewer, truth[i], tolerance)


@kernel
def _is_among(givers: Ints, person: int) -> bool:
    for giver in givers:  # noqa: SIM110
        if giver == person:
            return True
    return False
