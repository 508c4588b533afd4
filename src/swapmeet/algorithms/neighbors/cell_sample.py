"""The random sample of rows that cells are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.algorithms.encode import Points
from swapmeet.algorithms.neighbors.search import Rule
from swapmeet.base.arrays import Ints, ShortInts
from swapmeet.base.parallel import Workers, silent
from swapmeet.base.row_hash import RowHash

if TYPE_CHECKING:
    from swapmeet.algorithms.neighbors.cells import CellTrees

SAMPLE, PER_CELL = 1 << 17, 256
"""About so many rows are sampled in all, and at least for each cell."""
GUESTS = 2.0
"""A cell with its guests is at most 1 + this times as large as cells shall be."""


def share_sampled(n: int, rows_per_cell: int) -> float:
    """The share of `n` rows that is enough to cut them into cells of so many.

    >>> share_sampled(1000, 100), share_sampled(2**27, 2**20)
    (1.0, 0.0009765625)
    """
    return min(max(SAMPLE, PER_CELL * -(-n // rows_per_cell)) / n, 1.0)


def cells_from_sample(
    points: Points,
    strata: ShortInts,
    sizes: Ints,
    rows_per_cell: int,
    rule: Rule,
    hashing: RowHash,
    threads: int,
    *,
    halos: bool = True,
) -> CellTrees:
    """Cells for strata of these `sizes`, from sampled rows in the table's order.

    Without halos no row is a guest in another cell.
    """
    from swapmeet.algorithms.neighbors.cell_cuts import Wanted, cut, needs_of, with_halos

    cells = int(sizes.sum()) // rows_per_cell
    needs = needs_of(points, strata, sizes, rule, cells, Workers(threads, silent))
    every = int(sizes.sum())
    least = least_sampled(min(rule.k, every), points.n / every)
    wanted = Wanted(points, strata, needs, sizes, rows_per_cell, least, hashing)
    return with_halos(cut(wanted), wanted, rule) if halos else cut(wanted)


def least_sampled(k: int, share: float) -> float:
    """Count the rows of a sample that surely stand for as many as a neighbourhood needs.

    >>> least_sampled(5, 1.0), round(least_sampled(5, 0.01), 1)
    (6.0, 17.4)
    """
    mean, luck = (k + 1) * share, 1.0 - share
    return mean + 6.0 * (mean * luck) ** 0.5 + 16.0 * luck
