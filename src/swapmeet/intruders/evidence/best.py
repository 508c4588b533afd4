"""Compiled loops of evidence: who may have got a value, and the rows and units that fit best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel
from swapmeet.intruders.evidence.base import TIED


def share_right(scores: Floats, offsets: Floats, people: Ints, place: Ints, giver: Ints) -> Floats:
    """Share of right links of each person if the best of the rows is taken, tied ones by lot.

    `scores` has a line for each of the people; `offsets` is subtracted from each line. A row is
    right if the person is its `place` or its `giver`.
    """
    shares = np.empty(len(people))
    _share_right(scores, offsets, people, place, giver, shares)
    return shares


@kernel
def _share_right(
    scores: Floats, offsets: Floats, people: Ints, place: Ints, giver: Ints, shares: Floats
) -> None:
    for line in range(scores.shape[0]):
        best = -np.inf
        for row in range(scores.shape[1]):
            best = max(best, scores[line, row] - offsets[row])
        least = best - TIED * max(abs(best), 1.0)
        taken, right = 0, 0
        for row in range(scores.shape[1]):
            if scores[line, row] - offsets[row] >= least:
                taken += 1
                right += place[row] == people[line] or giver[row] == people[line]
        shares[line] = right / taken


class MemberFits(NamedTuple):
    """Fits of released rows to members: a line for each member, those of a unit together.

    The fit of a row is `matrix[line, row]`, if there is a matrix, plus `base[row]`, plus
    `common[row] * shares[line]`, plus the `gains[line, j]` of all columns j whose `codes[row, j]`
    are the member's, `own[line, j]`.
    """

    matrix: Floats
    base: Floats
    common: Floats
    shares: Floats
    codes: Ints
    own: Ints
    gains: Floats

    @classmethod
    def of_matrix(cls, matrix: Floats) -> MemberFits:
        """Of fits that are known one by one."""
        lines, n = matrix.shape
        zeros = np.zeros(n)
        nothing = np.empty((lines, 0), np.int64)
        return cls(
            matrix, zeros, zeros, np.zeros(lines), np.empty((n, 0), np.int64), nothing,
            np.empty((lines, 0)),
        )  # fmt: skip


def add_best_rows(
    fits: MemberFits, sizes: Ints, starts: Ints, places: Ints, *, alike: bool = False
) -> Floats:
    """For each unit sought, how well released ones fit: the sum of its members' best rows.

    `sizes` has the number of members of each unit. Rows of a released unit stand together; `starts`
    tells where each begins, and where the last ends, and `places` which of them are looked at. A
    row stands for one member: each in turn takes the best that is left, or where none is, the best
    of all. Where only units of the same size are `alike`, others score minus infinity.

    >>> fits = MemberFits.of_matrix(np.array([[0.0, 2.0, 1.0], [3.0, 4.0, 1.0]]))
    >>> add_best_rows(fits, np.array([2]), np.array([0, 2, 3]), np.arange(2)).tolist()
    [[5.0, 2.0]]
    """
    scores = np.zeros((len(sizes), len(places)))
    begins = np.cumsum(np.append(0, sizes))
    taken = np.full(len(fits.base), -1)
    _add_best_rows(*fits, begins, starts, places, alike, scores, taken)
    return scores


@kernel
def _add_best_rows(
    matrix: Floats,
    base: Floats,
    common: Floats,
    shares: Floats,
    codes: Ints,
    own: Ints,
    gains: Floats,
    begins: Ints,
    starts: Ints,
    places: Ints,
    alike: bool,
    scores: Floats,
    taken: Ints,
) -> None:
    known = matrix.shape[0] > 0
    for unit in range(len(begins) - 1):
        size = begins[unit + 1] - begins[unit]
        for number in range(len(places)):
            place = places[number]
            if alike and starts[place + 1] - starts[place] != size:
                scores[unit, number] = -np.inf
                continue
            for line in range(begins[unit], begins[unit + 1]):
                best, free, which = -np.inf, -np.inf, -1
                for row in range(starts[place], starts[place + 1]):
                    fit = base[row] + common[row] * shares[line]
                    if known:
                        fit += matrix[line, row]
                    for j in range(own.shape[1]):
                        if codes[row, j] == own[line, j]:
                            fit += gains[line, j]
                    best = max(best, fit)
                    if fit > free and taken[row] != unit:
                        free, which = fit, row
                if which >= 0:
                    taken[which] = unit
                scores[unit, number] += free if which >= 0 else best


def share_right_inside(
    fits: MemberFits, right: Ints, starts: Ints, people: Ints, place: Ints, giver: Ints
) -> Floats:
    """Share of right links of each member if the best row of the `right` unit is taken.

    A row is right if the person is its `place` or its `giver`; a negative unit is none.
    """
    shares = np.zeros(len(people))
    _share_right_inside(*fits, right, starts, people, place, giver, shares)
    return shares


@kernel
def _share_right_inside(
    matrix: Floats,
    base: Floats,
    common: Floats,
    portions: Floats,
    codes: Ints,
    own: Ints,
    gains: Floats,
    right: Ints,
    starts: Ints,
    people: Ints,
    place: Ints,
    giver: Ints,
    shares: Floats,
) -> None:
    known = matrix.shape[0] > 0
    for line in range(len(people)):
        if right[line] < 0:
            continue
        begin, end = starts[right[line]], starts[right[line] + 1]
        fits = np.empty(end - begin)
        best = -np.inf
        for row in range(begin, end):
            fit = base[row] + common[row] * portions[line]
            if known:
                fit += matrix[line, row]
            for j in range(own.shape[1]):
                if codes[row, j] == own[line, j]:
                    fit += gains[line, j]
            fits[row - begin] = fit
            best = max(best, fit)
        least = best - TIED * max(abs(best), 1.0)
        taken, hits = 0, 0
        for row in range(begin, end):
            if fits[row - begin] >= least:
                taken += 1
                hits += place[row] == people[line] or giver[row] == people[line]
        shares[line] = hits / taken


@kernel
def weigh_receivers(
    codes: Ints,
    starts: Ints,
    holders: Ints,
    begins: Ints,
    people: ShortInts,
    weights: Floats,
    stay: float,
    doubt: float,
    chances: Floats,
    logs: Floats,
) -> None:
    """Write a line of log-likelihoods of everybody for each code.

    `holders` from `starts[code]` on have the value; the entries of `people` and `weights` from
    `begins[holder]` on are those who may receive it. Who has it keeps it with probability `stay`.
    """
    shares = np.zeros(logs.shape[1])
    touched = np.empty(logs.shape[1], np.int64)
    for line in range(codes.shape[0]):
        code = codes[line]
        chance = doubt * chances[code]
        count = 0
        for place in range(starts[code], starts[code + 1]):
            holder = holders[place]
            if stay > 0.0:
                if shares[holder] == 0.0:
                    touched[count] = holder
                    count += 1
                shares[holder] += stay
            for entry in range(begins[holder], begins[holder + 1]):
                person, share = people[entry], (1.0 - stay) * weights[entry]
                if share == 0.0:
                    continue
                if shares[person] == 0.0:
                    touched[count] = person
                    count += 1
                shares[person] += share
        floor = np.log(chance) if chance > 0.0 else -np.inf
        for person in range(logs.shape[1]):
            logs[line, person] = floor
        for place in range(count):
            person = touched[place]
            share = (1.0 - doubt) * shares[person] + chance
            logs[line, person] = np.log(share) if share > 0.0 else -np.inf
            shares[person] = 0.0
