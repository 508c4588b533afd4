"""Guesses from the released row that is most like a person in some of what is known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Flags, Floats
from swapmeet.base.jit import kernel
from swapmeet.base.parallel import Workers
from swapmeet.intruders.guesses.scan import (
    PEOPLE_PER_BLOCK,
    TIED,
    WITH,
    WITHOUT,
    Secrets,
    Sight,
    add_up,
    compare,
)


class MarkedParts(NamedTuple):
    """A line of `sets` marks the columns looked at, one of `questions` the secrets guessed.

    A secret is never asked by a set that has it.
    """

    sets: Flags
    questions: Flags


class _Best(NamedTuple):
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
        _scan(sight, secrets, parts, begin, end, right)

    workers.each(block, len(secrets.who), size=PEOPLE_PER_BLOCK, label="guesses")
    return right


@kernel
def _scan(
    sight: Sight, secrets: Secrets, parts: MarkedParts, begin: int, end: int, right: Floats
) -> None:
    """Look at all rows for the people from `begin` to `end`."""
    rows, people, surprise, nominal = sight
    sets, questions = parts.questions.shape
    size, columns = (2, 2, sets, questions), rows.shape[1]
    gaps, gains = np.empty(columns), np.empty(columns)
    best = _Best(np.empty(size), np.empty(size), np.empty(size), np.empty(size))
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
                    _offer(best, secrets, parts, k, r, i, like[k], away[k], limits)
        for way in range(2):
            _judge(best, way, i, right)


@kernel
def _offer(
    best: _Best, secrets: Secrets, parts: MarkedParts, k: int, r: int, i: int, alike: float,
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
def _lower(best: _Best, k: int, s: int, limits: Floats) -> None:
    """A row is left aside only if it is too bad for every secret of the set."""
    limits[0, k] = max(limits[0, k], best.away[WITHOUT, 0, k, s] + TIED)
    limits[1, k] = min(limits[1, k], best.like[WITHOUT, 1, k, s])
    limits[2, k] = max(limits[2, k], best.away[WITHOUT, 1, k, s] + TIED)


@kernel
def _is_own(secrets: Secrets, among: Flags, r: int, i: int) -> bool:
    """Return whether a row is in the person's place, or has a compared cell of theirs."""
    person = secrets.who[i]
    if secrets.places[r] == person:
        return True
    for j in range(len(among)):  # noqa: SIM110
        if among[j] and secrets.known_givers[r, j] == person:
            return True
    return False


@kernel
def _take(
    best: _Best, at: tuple[int, int, int, int], alike: float, far: float, hit: bool
) -> None:  # fmt: skip
    more, less = alike > best.like[at] + TIED, alike < best.like[at] - TIED
    if more or (not less and far < best.away[at] - TIED):
        best.like[at], best.away[at], best.ties[at], best.hits[at] = alike, far, 1, hit
    elif not less and far <= best.away[at] + TIED:
        best.ties[at] += 1
        best.hits[at] += hit


@kernel
def _judge(best: _Best, way: int, i: int, right: Floats) -> None:
    """Write down how often the guesses about a person are right."""
    for arm in range(2):
        for k in range(best.like.shape[2]):
            for s in range(best.like.shape[3]):
                if best.ties[arm, way, k, s] > 0:
                    share = best.hits[arm, way, k, s] / best.ties[arm, way, k, s]
                    right[arm, way, k, s, i] = share
