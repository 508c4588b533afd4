"""Neighbourhoods by a function of the user's: draws, lists and extents from all pairs of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.algorithms.neighbors.exact_draws import Extents
from swapmeet.algorithms.neighbors.samples import draw_by_distances
from swapmeet.algorithms.neighbors.search import TOLERANCE, DrawSummary, Rule, require_rows
from swapmeet.base.arrays import Floats, Groups, Ints, ShortInts
from swapmeet.base.jit import kernel
from swapmeet.base.named_function import NamedFunction
from swapmeet.base.parallel import Workers
from swapmeet.errors import ParameterError, SwapmeetError
from swapmeet.tables.microdata import LARGEST, split_by_stratum

Look = Callable[[Ints, Ints, Floats], None]


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
    extents = Extents(np.zeros(n, np.int64), np.full(n, np.inf), np.full(n, np.inf))

    def look(rows: Ints, others: Ints, squares: Floats) -> None:  # noqa: ARG001
        extents.nearest[rows] = squares.min(axis=1)
        inside = squares < rule.ball
        sizes = inside.sum(axis=1)
        farthest = np.where(inside, squares, -1.0).max(axis=1)
        if rule.k:
            kth = np.partition(squares, rule.k - 1, axis=1)[:, rule.k - 1]
            tied = (squares <= kth[:, np.newaxis] * (1.0 + TOLERANCE)).sum(axis=1)
            farthest = np.where(sizes >= rule.k, farthest, kth)
            sizes = np.where(sizes >= rule.k, sizes, tied if rule.all_ties else rule.k)
        extents.sizes[rows] = sizes
        extents.farthest[rows] = np.where(sizes > 0, farthest, np.inf)

    pairs.each(strata, workers, look)
    return extents


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


PAIRS = 1_000_000
"""So many distances are asked for at once, or those of one row."""
TRIED = 7
"""Of so many rows it is tried whether a distance depends on the two rows only."""
SHAPES = (
    "Columns of the first mapping have the shape (rows, 1), those of the second (1, candidates)."
)


@dataclass(frozen=True, repr=False, eq=False)
class PairDistances:
    """Distances of rows by a `function` of their `columns`, which are given by name.

    The function is called with two mappings, of the columns of some rows and of the columns of
    their candidates, and gives an array (rows, candidates) of distances.
    """

    function: NamedFunction
    columns: Mapping[str, npt.NDArray[Any]]

    def each(self, strata: Groups, workers: Workers, look: Look) -> None:
        """Show `look` rows, their candidates and squared distances, infinite to themselves."""
        self._try_out(len(strata))
        blocks = [
            (at, at + size, stratum)
            for stratum in split_by_stratum(np.arange(len(strata)), strata)
            for size in (max(PAIRS // len(stratum), 1),)
            for at in range(0, len(stratum), size)
        ]

        def some_blocks(begin: int, end: int) -> None:
            for first, last, stratum in blocks[begin:end]:
                rows = stratum[first:last]
                squares = self.measure(rows, stratum) ** 2
                places = np.arange(len(rows))
                squares[places, first + places] = np.inf
                look(rows, stratum, squares)

        workers.each(some_blocks, len(blocks), size=1, label="neighbourhoods")

    def measure(self, rows: Ints, others: Ints) -> Floats:
        """The distances of rows to others, checked."""
        ours = {name: values[rows][:, np.newaxis] for name, values in self.columns.items()}
        theirs = {name: values[others][np.newaxis] for name, values in self.columns.items()}
        try:
            answer = self.function(ours, theirs)
        except SwapmeetError:
            raise
        except Exception as error:
            raise ParameterError(
                f"{self._named} failed with {type(error).__name__}. It is called with two mappings "
                f"of the columns {', '.join(self.columns)}. {SHAPES}"
            ) from error
        return self._check(answer, (len(rows), len(others)))

    @property
    def _named(self) -> str:
        return f"`distance`: the function {self.function!r}"

    def _check(self, answer: Any, shape: tuple[int, int]) -> Floats:
        distances = np.asarray(answer)
        if distances.shape != shape or distances.dtype.kind not in "biuf":
            raise ParameterError(
                f"{self._named} must give numbers of the shape {shape}, for {shape[0]} rows and "
                f"{shape[1]} candidates; it gave {distances.dtype} of {distances.shape}. {SHAPES}"
            )
        distances = distances.astype(np.float64)
        strange = int(np.count_nonzero(~(np.abs(distances) <= LARGEST)))
        negative = int(np.count_nonzero(distances < 0.0))
        if strange or negative:
            raise ParameterError(
                f"{self._named} must give finite distances from 0 up; of {distances.size:,}, "
                f"{strange:,} are missing, infinite or too large, and {negative:,} are negative. "
                "Missing numbers are NaN and missing categories None: say how far they are away."
            )
        return distances

    def _try_out(self, n: int) -> None:
        """Refuse a function that draws numbers, or whose distances depend on other rows."""
        rows = np.unique(np.linspace(0, n - 1, TRIED).astype(np.int64))
        whole = self.measure(rows, rows)
        for one in range(min(len(rows), 2)):
            alone = self.measure(rows[one : one + 1], rows[one + 1 :])[0]
            if not np.allclose(alone, whole[one, one + 1 :], rtol=1e-9, atol=0.0):
                raise ParameterError(
                    f"{self._named} gives a pair of rows another distance when it is asked again, "
                    "or among other rows. It must depend on the values of the two rows only: "
                    "compute means, ranges and the like of the whole table beforehand."
                )
