"""Guesses from the rows that are most like a person, in all or in some of what is known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.base.jit import kernel
from swapmeet.base.parallel import Workers

NEAREST, AGREEING, VOTE = range(3)
WITH, WITHOUT = range(2)
VOTERS = 5
TIED = 1e-9
PEOPLE_PER_BLOCK = 16


class Sight(NamedTuple):
    """Values that can be compared: a line per row or person, a number per column.

    `rows` are the released rows, `people` those sought; a column that is `nominal` is equal or
    not, of others the difference counts, in units in which 1 is far. NaN is missing. `surprise`
    tells for each person and column how much it says that a row has the same value.
    """

    rows: Floats
    people: Floats
    surprise: Floats
    nominal: Flags


class Secrets(NamedTuple):
    """Columns to be guessed: released `cells` by row, the `truth` by person.

    `givers` has the person who gave each cell, `known_givers` the same for the cells that are
    compared, and `places` the person in whose place a row stands, negative where there is none;
    `who` are the numbers of the people sought.
    """

    cells: Floats
    truth: Floats
    tolerance: Floats
    givers: Ints
    known_givers: Ints
    places: Ints
    who: Ints


class Questions(NamedTuple):
    """A secret each, and what is known: one of the `sets` of columns, without column `but`.

    A line of `sets` marks the columns that belong; `but` is -1 where none is to be left out.
    """

    sets: Flags
    known: Ints
    but: Ints
    secret: Ints


class _Best(NamedTuple):
    """The best rows so far, with all rows and without the person's, for each question.

    `away` and `like` are distance and agreement of the best; `ties` and `hits` how many rows are
    as good, and how many of these have the true value. The nearest `voters` are in order.
    """

    away: Floats
    away_ties: Floats
    away_hits: Floats
    like: Floats
    like_ties: Floats
    like_hits: Floats
    voters: Floats
    votes: Floats
    voted: Ints


def guess_from_rows(
    sight: Sight, secrets: Secrets, questions: Questions, workers: Workers
) -> Floats:
    """The chance that each guess is right: with all rows and without the person's, by way of
    guessing, question and person. A row is the person's if it stands in their place, or if they
    gave one of the cells that are compared or the one that is guessed.

    The ways are the nearest row, the row that agrees in most and rarest values, and the most
    frequent value of the nearest rows. Among rows that are equally good one is taken at random;
    the order of rows decides only which of them vote.
    """
    right = np.zeros((2, 3, len(questions.secret), len(secrets.who)))

    def block(begin: int, end: int) -> None:
        _scan(sight, secrets, questions, begin, end, right)

    workers.each(block, len(secrets.who), size=PEOPLE_PER_BLOCK, label="guesses")
    return right


@kernel
def _scan(
    sight: Sight, secrets: Secrets, questions: Questions, begin: int, end: int, right: Floats
) -> None:
    """Look at all rows for the people from `begin` to `end`."""
    rows, people, surprise, nominal = sight
    cells, truth, tolerance, givers, known_givers, places, who = secrets
    sets, known, but, secret = questions
    columns, many = rows.shape[1], len(secret)
    gaps, gains = np.empty(columns), np.empty(columns)
    away, like = np.empty(len(sets)), np.empty(len(sets))
    best = _make_best(many)
    limits = np.empty((2, many))
    for i in range(begin, end):
        _forget(best)
        limits[0], limits[1] = np.inf, -np.inf
        for r in range(len(rows)):
            compare(rows, people, surprise, nominal, r, i, gaps, gains)
            add_up(sets, gaps, gains, away, like)
            for q in range(many):
                far, alike = away[known[q]], like[known[q]]
                if but[q] >= 0:
                    far, alike = far - gaps[but[q]], alike - gains[but[q]]
                if far > limits[0, q] + TIED and alike < limits[1, q] - TIED:
                    continue
                s = secret[q]
                value = cells[r, s]
                hit = abs(value - truth[i, s]) <= tolerance[s]
                _offer(best, WITH, q, far, alike, value, hit)
                gave = _gave(known_givers, sets[known[q]], but[q], r, who[i])
                if not gave and places[r] != who[i] and givers[r, s] != who[i]:
                    _offer(best, WITHOUT, q, far, alike, value, hit)
                    limits[0, q] = best.voters[WITHOUT, q, VOTERS - 1]
                    limits[1, q] = best.like[WITHOUT, q]
        _judge(best, truth[i], tolerance, secret, i, right)


@kernel
def _make_best(many: int) -> _Best:
    return _Best(
        np.empty((2, many)), np.empty((2, many)), np.empty((2, many)), np.empty((2, many)),
        np.empty((2, many)), np.empty((2, many)), np.empty((2, many, VOTERS)),
        np.empty((2, many, VOTERS)), np.empty((2, many), np.int64),
    )  # fmt: skip


@kernel
def _forget(best: _Best) -> None:
    """Begin anew with the next person."""
    best.away[:], best.like[:], best.voters[:] = np.inf, -np.inf, np.inf
    best.away_ties[:], best.away_hits[:], best.like_ties[:], best.like_hits[:] = 0, 0, 0, 0
    best.voted[:] = 0


@kernel
def compare(
    rows: Floats, people: Floats, surprise: Floats, nominal: Flags, r: int, i: int, gaps: Floats,
    gains: Floats,
) -> None:  # fmt: skip
    """Distance and agreement of a row and a person, column by column."""
    for j in range(rows.shape[1]):
        one, other = rows[r, j], people[i, j]
        gaps[j], gains[j] = 0.0, 0.0
        if one == other or (np.isnan(one) and np.isnan(other)):
            gains[j] = surprise[i, j]
        elif nominal[j] or np.isnan(one) or np.isnan(other):
            gaps[j] = 1.0
        else:
            gaps[j] = (one - other) ** 2


@kernel
def add_up(sets: Flags, gaps: Floats, gains: Floats, away: Floats, like: Floats) -> None:
    """Over the columns of each set."""
    for k in range(sets.shape[0]):
        away[k], like[k] = 0.0, 0.0
        for j in range(sets.shape[1]):
            if sets[k, j]:
                away[k] += gaps[j]
                like[k] += gains[j]


@kernel
def _gave(givers: Ints, among: Flags, but: int, r: int, person: int) -> bool:
    """Return whether a person gave one of the cells of a row that are compared."""
    for j in range(len(among)):  # noqa: SIM110
        if among[j] and j != but and givers[r, j] == person:
            return True
    return False


@kernel
def _offer(
    best: _Best, arm: int, q: int, far: float, alike: float, value: float, hit: bool
) -> None:  # fmt: skip
    """Take a row into account."""
    if far < best.away[arm, q] - TIED:
        best.away[arm, q], best.away_ties[arm, q], best.away_hits[arm, q] = far, 1, hit
    elif far <= best.away[arm, q] + TIED:
        best.away_ties[arm, q] += 1
        best.away_hits[arm, q] += hit
    if alike > best.like[arm, q] + TIED:
        best.like[arm, q], best.like_ties[arm, q], best.like_hits[arm, q] = alike, 1, hit
    elif alike >= best.like[arm, q] - TIED:
        best.like_ties[arm, q] += 1
        best.like_hits[arm, q] += hit
    if far < best.voters[arm, q, VOTERS - 1] - TIED and not np.isnan(value):
        at = min(best.voted[arm, q], VOTERS - 1)
        while at > 0 and best.voters[arm, q, at - 1] > far:
            best.voters[arm, q, at] = best.voters[arm, q, at - 1]
            best.votes[arm, q, at] = best.votes[arm, q, at - 1]
            at -= 1
        best.voters[arm, q, at], best.votes[arm, q, at] = far, value
        best.voted[arm, q] = min(best.voted[arm, q] + 1, VOTERS)


@kernel
def _judge(
    best: _Best, truth: Floats, tolerance: Floats, secret: Ints, i: int, right: Floats
) -> None:
    """Write down how often the guesses about a person are right."""
    for arm in range(2):
        for q in range(len(secret)):
            s = secret[q]
            if best.away_ties[arm, q] > 0:
                right[arm, NEAREST, q, i] = best.away_hits[arm, q] / best.away_ties[arm, q]
                right[arm, AGREEING, q, i] = best.like_hits[arm, q] / best.like_ties[arm, q]
            votes = best.votes[arm, q]
            right[arm, VOTE, q, i] = share_of_modes(
                votes, best.voted[arm, q], truth[s], tolerance[s]
            )


@kernel
def share_of_modes(values: Floats, count: int, truth: float, tolerance: float) -> float:
    """The chance that the most frequent of the first `count` values is the true one.

    A value is as frequent as there are values within the tolerance of it; among those that are
    equally frequent one is taken at random. The values are sorted in place.

    >>> float(share_of_modes(np.array([3.0, 1.0, 3.0, 2.0]), 4, 3.0, 0.0))
    1.0
    >>> float(share_of_modes(np.array([3.0, 1.0]), 2, 3.0, 0.0))
    0.5
    """
    if count == 0:
        return 0.0
    values[:count].sort()
    begin, end, most, modes, hits = 0, 0, 0, 0, 0
    for at in range(count):
        while values[begin] < values[at] - tolerance:
            begin += 1
        while end < count and values[end] <= values[at] + tolerance:
            end += 1
        if end - begin > most:
            most, modes, hits = end - begin, 0, 0
        if end - begin == most:
            modes += 1
            hits += abs(values[at] - truth) <= tolerance
    return hits / modes


@kernel
def find_mode(values: Floats, tolerance: float) -> float:
    """The first of the most frequent values; they are sorted in place, and there is at least one.

    >>> float(find_mode(np.array([5.0, 1.0, 1.2, 9.0]), 0.5))
    1.0
    """
    values.sort()
    begin, end, most, mode = 0, 0, 0, values[0]
    for at in range(len(values)):
        while values[begin] < values[at] - tolerance:
            begin += 1
        while end < len(values) and values[end] <= values[at] + tolerance:
            end += 1
        if end - begin > most:
            most, mode = end - begin, values[at]
    return mode


def share_of_blind_guess(cells: Floats, truth: Floats, tolerance: float) -> float:
    """Share of people whose true value is the most frequent released one."""
    present = cells[~np.isnan(cells)]
    if not len(present):
        return 0.0
    guess = find_mode(present, tolerance)
    return float((np.abs(truth - guess) <= tolerance).mean())


class MarkedParts(NamedTuple):
    """A line of `sets` marks the columns looked at, one of `questions` the secrets guessed.

    A secret is never asked by a set that has it.
    """

    sets: Flags
    questions: Flags


class _BestOfParts(NamedTuple):
    """The best rows so far: with all rows and without the person's, by way, set and secret.

    A row is better if it agrees more (`like`), and of equals if it is nearer (`away`); to those
    who take the nearest row all agree alike. `ties` rows are as good, and `hits` of them right.
    """

    like: Floats
    away: Floats
    ties: Floats
    hits: Floats


def guess_from_parts(
    sight: Sight, secrets: Secrets, parts: MarkedParts, workers: Workers
) -> Floats:
    """The chance that each guess is right: with all rows and without the person's, by way, set,
    secret and person; 0 where a set is not asked.

    The ways are the nearest row, and of the rows that agree in the most and rarest values the
    nearest one. Among rows that are equally good one is taken at random. A row is the person's as
    for `guess_from_rows`.
    """
    right = np.zeros((2, 2, *parts.questions.shape, len(secrets.who)))

    def block(begin: int, end: int) -> None:
        _scan_parts(sight, secrets, parts, begin, end, right)

    workers.each(block, len(secrets.who), size=PEOPLE_PER_BLOCK, label="guesses")
    return right


@kernel
def _scan_parts(
    sight: Sight, secrets: Secrets, parts: MarkedParts, begin: int, end: int, right: Floats
) -> None:
    """Look at all rows for the people from `begin` to `end`."""
    rows, people, surprise, nominal = sight
    sets, questions = parts.questions.shape
    size, columns = (2, 2, sets, questions), rows.shape[1]
    gaps, gains = np.empty(columns), np.empty(columns)
    best = _BestOfParts(np.empty(size), np.empty(size), np.empty(size), np.empty(size))
    like, away, limits = np.empty(sets), np.empty(sets), np.empty((3, sets))
    for i in range(begin, end):
        best.like[:], best.away[:], best.ties[:], best.hits[:] = -1, np.inf, 0, 0
        limits[0], limits[1], limits[2] = np.inf, -1, np.inf
        for r in range(len(rows)):
            compare(rows, people, surprise, nominal, r, i, gaps, gains)
            add_up(parts.sets, gaps, gains, away, like)
            for k in range(sets):
                if away[k] <= limits[0, k] or like[k] > limits[1, k] + TIED or (
                    like[k] >= limits[1, k] - TIED and away[k] <= limits[2, k]
                ):  # fmt: skip
                    _offer_part(best, secrets, parts, k, r, i, like[k], away[k], limits)
        for way in range(2):
            _judge_parts(best, way, i, right)


@kernel
def _offer_part(
    best: _BestOfParts, secrets: Secrets, parts: MarkedParts, k: int, r: int, i: int, alike: float,
    far: float, limits: Floats,
) -> None:  # fmt: skip
    """Take a row into account, and note what a row must reach from now on."""
    own, person = _is_own(secrets, parts.sets[k], r, i), secrets.who[i]
    limits[0, k], limits[1, k], limits[2, k] = 0.0, np.inf, 0.0
    for s in range(parts.questions.shape[1]):
        if not parts.questions[k, s]:
            continue
        hit = abs(secrets.cells[r, s] - secrets.truth[i, s]) <= secrets.tolerance[s]
        for arm in range(2):
            if arm == WITH or not (own or secrets.givers[r, s] == person):
                _take(best, (arm, 0, k, s), 0.0, far, hit)
                _take(best, (arm, 1, k, s), alike, far, hit)
        _lower(best, k, s, limits)


@kernel
def _lower(best: _BestOfParts, k: int, s: int, limits: Floats) -> None:
    """A row is left aside only if it is too bad for every secret of the set."""
    limits[0, k] = max(limits[0, k], best.away[WITHOUT, 0, k, s] + TIED)
    limits[1, k] = min(limits[1, k], best.like[WITHOUT, 1, k, s])
    limits[2, k] = max(limits[2, k], best.away[WITHOUT, 1, k, s] + TIED)


@kernel
def _is_own(secrets: Secrets, among: Flags, r: int, i: int) -> bool:
    """Return whether a row is in the person's place, or has a compared cell of theirs."""
    person = secrets.who[i]
    return secrets.places[r] == person or _gave(secrets.known_givers, among, -1, r, person)


@kernel
def _take(
    best: _BestOfParts, at: tuple[int, int, int, int], alike: float, far: float, hit: bool
) -> None:  # fmt: skip
    more, less = alike > best.like[at] + TIED, alike < best.like[at] - TIED
    if more or (not less and far < best.away[at] - TIED):
        best.like[at], best.away[at], best.ties[at], best.hits[at] = alike, far, 1, hit
    elif not less and far <= best.away[at] + TIED:
        best.ties[at] += 1
        best.hits[at] += hit


@kernel
def _judge_parts(best: _BestOfParts, way: int, i: int, right: Floats) -> None:
    """Write down how often the guesses about a person are right."""
    for arm in range(2):
        for k in range(best.like.shape[2]):
            for s in range(best.like.shape[3]):
                if best.ties[arm, way, k, s] > 0:
                    share = best.hits[arm, way, k, s] / best.ties[arm, way, k, s]
                    right[arm, way, k, s, i] = share
