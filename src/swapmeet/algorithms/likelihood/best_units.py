"""Released units, such as households, that fit the members of a unit best."""

from __future__ import annotations

import numpy as np

from swapmeet.algorithms.likelihood.base import TIED
from swapmeet.core.base.jit import Floats, Ints, kernel


def add_best_rows(fits: Floats, chance: Floats, sizes: Ints, starts: Ints) -> Floats:
    """For each unit sought, how well each released one fits: the sum of its members' best rows.

    `fits` has a line for each member, those of a unit together, with every released row, of which
    `chance` is subtracted; `sizes` has the number of members of each unit. Rows of a released unit
    stand together; `starts` tells where each begins, and where the last ends. A row stands for one
    member: each in turn takes the best that is left, or where none is, the best of all.

    >>> fits = np.array([[0.0, 2.0, 1.0], [3.0, 4.0, 1.0]])
    >>> add_best_rows(fits, np.zeros(3), np.array([2]), np.array([0, 2, 3])).tolist()
    [[5.0, 2.0]]
    """
    scores = np.zeros((len(sizes), len(starts) - 1))
    begins = np.cumsum(np.append(0, sizes))
    taken = np.full(fits.shape[1], -1)
    _add_best_rows(fits, chance, begins, starts, scores, taken)
    return scores


@kernel
def _add_best_rows(
    fits: Floats, chance: Floats, begins: Ints, starts: Ints, scores: Floats, taken: Ints
) -> None:
    for unit in range(len(begins) - 1):
        for place in range(len(starts) - 1):
            for line in range(begins[unit], begins[unit + 1]):
                best, free, which = -np.inf, -np.inf, -1
                for row in range(starts[place], starts[place + 1]):
                    fit = fits[line, row] - chance[row]
                    best = max(best, fit)
                    if fit > free and taken[row] != unit:
                        free, which = fit, row
                if which >= 0:
                    taken[which] = unit
                scores[unit, place] += free if which >= 0 else best


def share_right_inside(
    fits: Floats, chance: Floats, right: Ints, starts: Ints, people: Ints, place: Ints, giver: Ints
) -> Floats:
    """How often each member is linked rightly if the best row of the `right` unit is taken.

    A row is right if the person is its `place` or its `giver`; a negative unit is none.
    """
    shares = np.zeros(len(people))
    _share_right_inside(fits, chance, right, starts, people, place, giver, shares)
    return shares


@kernel
def _share_right_inside(
    fits: Floats,
    chance: Floats,
    right: Ints,
    starts: Ints,
    people: Ints,
    place: Ints,
    giver: Ints,
    shares: Floats,
) -> None:
    for line in range(fits.shape[0]):
        if right[line] < 0:
            continue
        begin, end = starts[right[line]], starts[right[line] + 1]
        best = -np.inf
        for row in range(begin, end):
            best = max(best, fits[line, row] - chance[row])
        least = best - TIED * max(abs(best), 1.0)
        taken, hits = 0, 0
        for row in range(begin, end):
            if fits[line, row] - chance[row] >= least:
                taken += 1
                hits += place[row] == people[line] or giver[row] == people[line]
        shares[line] = hits / taken
