"""Neighbourhoods by a function of the user's: draws, lists and extents from all pairs of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.neighbors.draw_summary import DrawSummary
from swapmeet.algorithms.neighbors.extents import Extents
from swapmeet.algorithms.neighbors.rule import TOLERANCE
from swapmeet.algorithms.neighbors.samples import draw_by_distances
from swapmeet.algorithms.neighbors.search import require_rows
from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.algorithms.neighbors.pair_distances import PairDistances
    from swapmeet.algorithms.neighbors.rule import Rule
    from swapmeet.base.arrays import Floats, Ints, ShortInts
    from swapmeet.base.parallel import Workers


def draw_by_function(
    pairs: PairDistances, strata: ShortInts, rule: Rule, words: Ints, workers: Workers
) -> DrawSummary:
    """Replace each word by a random member of its row's neighbourhood."""
    require_rows(strata, rule.k)
    sizes = np.empty(len(strata), np.int32)

    def look(rows: Ints, others: Ints, squares: Floats) -> None:
        _draw(rows, others, squares, rule.k, rule.ball, rule.all_ties, words, sizes)

    pairs.each(strata, workers, look)
    return DrawSummary(sizes)


def list_by_function(
    pairs: PairDistances, strata: ShortInts, length: int, workers: Workers
) -> tuple[ShortInts, Floats]:
    """The nearest rows of each row, nearest first, and their squared distances.

    -1 and infinity where there are no more.
    """
    who = np.full((len(strata), length), -1, np.int32)
    far = np.full((len(strata), length), np.inf)

    def look(rows: Ints, others: Ints, squares: Floats) -> None:
        count = min(length, len(others) - 1)
        if count == 0:
            return
        near = np.argpartition(squares, count - 1, axis=1)[:, :count]
        away = np.take_along_axis(squares, near, axis=1)
        order = np.argsort(away, axis=1, kind="stable")
        who[rows, :count] = others[np.take_along_axis(near, order, axis=1)]
        far[rows, :count] = np.take_along_axis(away, order, axis=1)

    pairs.each(strata, workers, look)
    return who, far


def measure_by_function(
    pairs: PairDistances, strata: ShortInts, rule: Rule, workers: Workers
) -> Extents:
    """Measure how large neighbourhoods are, and how far they extend."""
    require_rows(strata, rule.k)
    n = len(strata)
    found = Extents(np.zeros(n, np.int64), np.full(n, np.inf), np.full(n, np.inf))

    def look(rows: Ints, others: Ints, squares: Floats) -> None:  # noqa: ARG001
        found.nearest[rows] = squares.min(axis=1)
        inside = squares < rule.ball
        sizes = inside.sum(axis=1)
        farthest = np.where(inside, squares, -1.0).max(axis=1)
        if rule.k:
            kth = np.partition(squares, rule.k - 1, axis=1)[:, rule.k - 1]
            tied = (squares <= kth[:, np.newaxis] * (1.0 + TOLERANCE)).sum(axis=1)
            farthest = np.where(sizes >= rule.k, farthest, kth)
            sizes = np.where(sizes >= rule.k, sizes, tied if rule.all_ties else rule.k)
        found.sizes[rows] = sizes
        found.farthest[rows] = np.where(sizes > 0, farthest, np.inf)

    pairs.each(strata, workers, look)
    return found


@kernel
def _draw(
    rows: Ints, others: Ints, squares: Floats, k: int, ball: float, all_ties: bool,
    words: Ints, sizes: ShortInts,
) -> None:  # fmt: skip
    for i in range(rows.shape[0]):
        row = rows[i]
        sizes[row] = draw_by_distances(
            row, others, others.shape[0], squares[i], k, ball, all_ties, words[row]
        )
