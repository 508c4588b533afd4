"""Groups of k to 2k - 1 similar rows on mixed columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.similar.cuts import MixedRows, cut_cells

if TYPE_CHECKING:
    from swapmeet.algorithms.encode.points import Points
    from swapmeet.core.base.arrays import Ints, ShortInts
    from swapmeet.core.base.parallel import Workers

WAYS = ("near", "tree")
NEAR_ROWS = 20_000
"""In larger tables all groups are cut: to form them from the outside in is quadratic."""
CELL_ROWS = 16_384
"""Cells of about this many rows are cut side by side."""


def group_rows(points: Points, strata: ShortInts, k: int, way: str, workers: Workers) -> Ints:
    """The group of each row, numbered without gaps, by one of the `WAYS`.

    Groups have k to 2k - 1 rows and never cross strata; a stratum with fewer than 2k rows is one.
    `near` forms them from the outside in (MDAV), by the distance of the points, in tables of up to
    `NEAR_ROWS` rows. `tree` cuts until the groups are left, which is O(n log n). Its groups of 10
    lie as close together as those of `near` or up to a quarter less (mean squared distance from the
    centre), those of 3 up to three quarters less.
    """
    cells = _Cells(points, strata, k, workers)
    if way == "near" and points.n <= NEAR_ROWS:
        return _form_inside(points, cells, k, workers)
    cells.cut(2 * k - 1)
    return cells.labels


class _Cells:
    """Cells of rows near in space: parts of `order`, each beginning where `begins` is set."""

    def __init__(self, points: Points, strata: ShortInts, k: int, workers: Workers) -> None:
        self._rows = MixedRows(
            np.ascontiguousarray(points.numbers.T),
            np.ascontiguousarray(points.codes.T),
            points.costs,
        )
        self._k, self._workers = k, workers
        self.order = np.argsort(strata, kind="stable")
        self.begins = np.diff(strata[self.order], prepend=-1) != 0

    @property
    def bounds(self) -> Ints:
        """The first row of each cell, followed by the number of rows."""
        return np.append(np.flatnonzero(self.begins), len(self.order))

    @property
    def labels(self) -> Ints:
        """The cell of each row."""
        labels = np.empty(len(self.order), np.int64)
        labels[self.order] = np.cumsum(self.begins) - 1
        return labels

    def cut(self, most: int) -> None:
        """Cut cells until none has more than `most` rows, or only such of fewer than 2k."""
        if most < CELL_ROWS:
            self._cut_each(CELL_ROWS)
        self._cut_each(most)

    def _cut_each(self, most: int) -> None:
        bounds = self.bounds

        def some_cells(first: int, last: int) -> None:
            some = bounds[first : last + 1]
            cut_cells(self._rows, self.order, some, self._k, most, self.begins)

        cells = len(bounds) - 1
        self._workers.each(some_cells, cells, size=1 + cells // 64, label="cells")


def _form_inside(points: Points, cells: _Cells, k: int, workers: Workers) -> Ints:
    """Groups inside each cell, from the outside in, cells side by side."""
    bounds = cells.bounds
    count = len(bounds) - 1
    inside = workers if count == 1 else workers.inside(1)
    labels = np.empty(points.n, np.int64)
    found = np.empty(count, np.int64)

    def some_cells(first: int, last: int) -> None:
        for cell in range(first, last):
            rows = np.sort(cells.order[bounds[cell] : bounds[cell + 1]])
            labels[rows] = _form_groups(points.of(rows), k, inside)
            found[cell] = labels[rows].max() + 1

    workers.each(some_cells, count, size=1 + count // 64, label="groups")
    return labels + (np.cumsum(found) - found)[cells.labels]


def _form_groups(points: Points, k: int, workers: Workers) -> Ints:
    from swapmeet.algorithms.groups.mdav.rounds import mdav
    from swapmeet.algorithms.groups.similar.coordinates import find_coordinates

    if points.n < 2 * k:
        return np.zeros(points.n, np.int64)
    return mdav(find_coordinates(points), k, workers, scaled=True)
