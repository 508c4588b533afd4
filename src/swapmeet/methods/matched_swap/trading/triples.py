"""Relations of three columns: the products of their features, summed over the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints, ShortInts


class Triples(NamedTuple):
    """Three columns each: where their entries stand, and the first and number of their features.

    The products of triple t are `offsets[t]` and following of `total`, one for each combination of
    features.
    """

    places: Ints
    firsts: Ints
    sizes: Ints
    offsets: Ints
    total: int


@kernel
def sum_triples(feature: ShortInts, value: Floats, triples: Triples) -> Floats:
    """The products of each combination of features, summed over the rows."""
    sums = np.zeros(triples.total)
    for t in range(triples.places.shape[0]):
        for row in range(feature.shape[0]):
            at, by = _look_up(feature, value, triples, t, row, row, 0, 0)
            sums[at] += by
    return sums


@kernel
def change_triples(
    feature: ShortInts, value: Floats, triples: Triples, gaps: Floats, a: int, b: int, begin: int,
    end: int,
) -> float:  # fmt: skip
    """Change of the sum of squared gaps if two rows trade the entries begin:end."""
    at, by = np.empty(4, np.int64), np.empty(4)
    change = 0.0
    for t in range(triples.places.shape[0]):
        if not _touches(triples, t, begin, end):
            continue
        _list_changes(feature, value, triples, t, a, b, begin, end, at, by)
        for i in range(4):
            change += by[i] * (2.0 * gaps[at[i]] + by[i])
            for j in range(i):
                if at[j] == at[i]:
                    change += 2.0 * by[i] * by[j]
    return change


@kernel
def add_triples(
    feature: ShortInts, value: Floats, triples: Triples, gaps: Floats, a: int, b: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Bring the gaps up to date, before two rows trade the entries begin:end."""
    at, by = np.empty(4, np.int64), np.empty(4)
    for t in range(triples.places.shape[0]):
        if _touches(triples, t, begin, end):
            _list_changes(feature, value, triples, t, a, b, begin, end, at, by)
            for i in range(4):
                gaps[at[i]] += by[i]


@kernel
def _touches(triples: Triples, t: int, begin: int, end: int) -> bool:
    """Return whether one of the columns, but not all of them, is traded."""
    traded = 0
    for i in range(3):
        traded += begin <= triples.places[t, i] < end
    return 0 < traded < 3


@kernel
def _list_changes(
    feature: ShortInts, value: Floats, triples: Triples, t: int, a: int, b: int, begin: int,
    end: int, at: Ints, by: Floats,
) -> None:  # fmt: skip
    """Two products vanish, those of the rows as they are, and two come."""
    at[0], by[0] = _look_up(feature, value, triples, t, a, a, begin, end)
    at[1], by[1] = _look_up(feature, value, triples, t, b, b, begin, end)
    by[0], by[1] = -by[0], -by[1]
    at[2], by[2] = _look_up(feature, value, triples, t, a, b, begin, end)
    at[3], by[3] = _look_up(feature, value, triples, t, b, a, begin, end)


@kernel
def _look_up(
    feature: ShortInts, value: Floats, triples: Triples, t: int, row: int, other: int, begin: int,
    end: int,
) -> tuple[int, float]:  # fmt: skip
    """The product of a row that has the entries begin:end of another one, and where it counts."""
    at, by = 0, 1.0
    for i in range(3):
        place = triples.places[t, i]
        own = other if begin <= place < end else row
        at = at * triples.sizes[t, i] + feature[own, place] - triples.firsts[t, i]
        by *= value[own, place]
    return triples.offsets[t] + at, by
