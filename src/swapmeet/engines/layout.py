"""Blocks that are cells in space, for methods that seek neighbours or group similar rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.blocks import BlockAssignment, RandomBlocks
from swapmeet.algorithms.neighbors import Neighborhood, Rule
from swapmeet.algorithms.neighbors.cell_sample import GUESTS, cells_from_sample, share_sampled
from swapmeet.base.row_hash import RowHash
from swapmeet.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.algorithms.encode import Space
    from swapmeet.algorithms.neighbors.cells import Cells
    from swapmeet.base.arrays import Flags, Ints, ShortInts
    from swapmeet.base.seeds import Seed
    from swapmeet.methods import Method
    from swapmeet.tables.microdata import Microdata


@dataclass(frozen=True, repr=False, eq=False)
class CellLayout:
    """The cells of a table; a row goes to its own, and as a guest to those whose halo it is in.

    Cells of a method that groups rows have no halo.

    Strata that fit into a block stay whole, as in random blocks.
    """

    space: Space
    cells: Cells

    def __repr__(self) -> str:
        return f"<CellLayout of {self.count} blocks>"

    @property
    def count(self) -> int:
        """Number of blocks; by chance some may be empty if they are very small."""
        return self.cells.count

    def deal(self, rows: Ints, data: Microdata, strata: ShortInts) -> BlockAssignment:
        """Return the blocks of these rows, given their numbers, values, and strata in the table."""
        return self.cells.deal(self.space.points(data), strata, rows)


@dataclass(frozen=True, repr=False)
class Sampling:
    """Draw the rows, by number, that cells are made from: a random share, the same everywhere."""

    share: float
    hashing: RowHash

    def chosen(self, rows: Ints) -> Flags:
        """Return whether each of these rows is in the sample."""
        return (
            self.hashing.in_sample(rows, self.share)
            if self.share < 1.0
            else np.ones(len(rows), bool)
        )


def expected_guests(method: Method, rows: int, rows_per_block: int) -> float:
    """Largest number of guests per row of a table, before it was looked at."""
    return GUESTS if method.neighborhood is not None and rows > rows_per_block else 0.0


def needs_cells(method: Method, sizes: Ints, rows_per_block: int) -> bool:
    """Return whether blocks are cells: nearness matters, and a stratum exceeds one block."""
    return _find_neighborhood(method) is not None and int(np.max(sizes)) > rows_per_block


def layout_of(
    method: Method,
    sizes: Ints,
    rows_per_block: int,
    seed: Seed,
    sampled: Callable[[Sampling], Microdata],
    threads: int,
) -> RandomBlocks | CellLayout:
    """The layout of a table whose strata have these sizes.

    `sampled` gives the rows of a sampling in the order of the table, with the facts of the whole
    and strata numbered as in the whole; it is asked only if there are to be cells.
    """
    near = _find_neighborhood(method)
    if near is None or not needs_cells(method, sizes, rows_per_block):
        _require_whole_groups(method, sizes, rows_per_block)
        return RandomBlocks.of(sizes, rows_per_block, seed)
    share = share_sampled(int(np.sum(sizes)), rows_per_block)
    sample = sampled(Sampling(share, RowHash.of(seed.stream("blocks", "sample"))))
    cells = cells_from_sample(
        near.space.points(sample), sample.strata, np.asarray(sizes, np.int64), rows_per_block,
        near.rule, RowHash.of(seed.stream("blocks")), threads,
        halos=method.neighborhood is not None,
    )  # fmt: skip
    return CellLayout(near.space, cells)


def _find_neighborhood(method: Method) -> Neighborhood | None:
    """Return which rows shall be in the same cell, if any: neighbours, or those of a group."""
    groups = method.grouping
    if groups is None or groups.space is None:
        return method.neighborhood
    return Neighborhood(groups.space, Rule(k=2 * groups.k - 1))


def _require_whole_groups(method: Method, sizes: Ints, rows_per_block: int) -> None:
    """Refuse to split strata that are the groups of a method."""
    largest = int(np.max(sizes))
    if method.grouping is None or largest <= rows_per_block:
        return
    raise TableError(
        f"{method.name}: strata are its groups, which blocks must not split; the largest has "
        f"{largest} rows, and a block {rows_per_block}. Raise `block_rows` to {largest} or more, "
        "or let it form the groups itself."
    )
