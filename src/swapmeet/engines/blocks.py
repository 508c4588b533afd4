"""Blocks of rows in every engine: their layout in space, and the steps for each.

The result depends on data, method, seed and the number of rows per block: not on who works on which
block, nor when.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from swapmeet.algorithms.blocks import BlockAssignment, RandomBlocks
from swapmeet.algorithms.neighbors import Neighborhood, Rule
from swapmeet.algorithms.neighbors.cell_sample import GUESTS, cells_from_sample, share_sampled
from swapmeet.base.notes import merge_notes
from swapmeet.base.row_hash import RowHash
from swapmeet.base.sentences import join_names
from swapmeet.errors import InputError, SchemaError, TableError
from swapmeet.release.donors import MADE, DonorMap
from swapmeet.tables.frame import Table
from swapmeet.tables.schema import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from swapmeet.algorithms.encode import Space
    from swapmeet.algorithms.neighbors.cells import CellTrees
    from swapmeet.base.arrays import Flags, Floats, Ints, ShortInts
    from swapmeet.base.parallel import Workers
    from swapmeet.base.seeds import Seed, Streams
    from swapmeet.engines.ties import FittedTies, TiedRelease
    from swapmeet.methods import Method
    from swapmeet.release.outcome import Outcome
    from swapmeet.tables.microdata import Microdata
    from swapmeet.tables.scan import Scan


class MaskedBlock(NamedTuple):
    """A block: its columns as numbers, what was done to them, and the released rows."""

    data: Microdata
    tied: TiedRelease


@dataclass(frozen=True, repr=False, eq=False)
class BlockMasker:
    """Masks the blocks of a table that was scanned, `count` in all; it holds the seed."""

    method: Method
    seed: Seed
    scan: Scan
    count: int
    ties: FittedTies

    def __repr__(self) -> str:
        return f"<BlockMasker of {self.count} blocks>"

    def mask(
        self, number: int, table: Any, reach: Floats | None, columns: Sequence[str],
        workers: Workers, rows: Ints,
    ) -> MaskedBlock:  # fmt: skip
        """Mask a block, whose own rows come before its guests; `columns` are those released.

        `rows` are the numbers of its rows in the table.
        """
        data = replace(self.scan.microdata(table), reach=reach)
        outcome = mask_block(self.method, data, self.seed, number, self.count, workers)
        levels = {name: self.scan.codings[name].levels for name in self.scan.used}
        tied = self.ties.apply(
            outcome, Table(table), data, tuple(columns), self.seed, rows,
            grains=self.scan.grains, levels=levels,
        )  # fmt: skip
        return MaskedBlock(data, tied)


def mask_block(
    method: Method, data: Microdata, seed: Seed, number: int, count: int, workers: Workers
) -> Outcome:
    """Mask one of `count` blocks; the only one is the table itself.

    The rows of a block are in the order of the table.
    """
    try:
        method.check(data)
        require_movable_sets(method, data)
        outcome = method.outcome(data, streams_of_block(method, seed, number, count), workers)
    except InputError as error:
        if count == 1:
            raise
        raise TableError(
            f"in a block of {data.n} rows, which is masked like a table of its own: {error} "
            "Or raise `block_rows`, so that blocks are larger."
        ) from error
    outcome.require_complete(method.name, data)
    return move_together(outcome, data)


def streams_of_block(method: Method, seed: Seed, number: int, count: int) -> Streams:
    """The streams of one of `count` blocks; a table in one block is as if there were none."""
    streams = seed.within(method.name)
    return streams if count == 1 else streams.within("block", int(number))


class BlockNotes(NamedTuple):
    """Record of a block besides its cells."""

    rows: int
    facts: tuple[str, ...]
    notes: tuple[str, ...]


def merge_block_notes(
    blocks: Mapping[int, BlockNotes], rows: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Facts and notes of all blocks, by number, of a table of this many rows."""
    ordered = [blocks[number] for number in sorted(blocks)]
    sizes = [block.rows for block in ordered]
    extent = f"masked in {len(sizes)} blocks of {min(sizes)} to {max(sizes)} rows."
    facts = (extent, *merge_notes([block.facts for block in ordered], rows))
    return facts, merge_notes([block.notes for block in ordered], rows)


def require_movable_sets(method: Method, data: Microdata) -> None:
    """Refuse sets that a method cannot move as one."""
    problems = [p for names in data.together for p in _list_problems(method, data, names)]
    if problems:
        raise SchemaError(problems)


def move_together(outcome: Outcome, data: Microdata) -> Outcome:
    """The outcome with the donors of the first column of each set for all of it.

    A method that moves sets by itself, as matched swapping does, gave all of a set the same donors.
    """
    if not data.together:
        return outcome
    matrix, stuck = outcome.donors.matrix.copy(), dict(outcome.stuck)
    for names in data.together:
        at = [data.names.index(name) for name in names]
        _require_moved(outcome, data, names)
        matrix[:, at] = matrix[:, at[:1]]
        for name in names:
            stuck.pop(name, None)
        if names[0] in outcome.stuck:
            stuck |= dict.fromkeys(names, outcome.stuck[names[0]])
    stuck = {name: stuck[name] for name in data.names if name in stuck}
    donors = DonorMap(matrix, outcome.donors.givers)
    return replace(outcome, donors=donors, stuck=stuck)


def _list_problems(method: Method, data: Microdata, names: tuple[str, ...]) -> Iterator[str]:
    listed = join_names(names)
    left = [name for name in names if not method.masks(_column_of(data, name))]
    if 0 < len(left) < len(names):
        yield (
            f"{method.name} leaves {join_names(left)} in place and moves the others of the columns "
            f"that belong together, {listed}. Let it move all of them, or none, or leave "
            f"{join_names(left)} out of the set."
        )
    parts = [own for own in _list_parts(method) if set(own) & set(names)]
    if len(parts) > 1:
        yield (
            f"{method.name}: {listed} belong together and need one method, but are in "
            f"{len(parts)} parts. Put them into one."
        )


def _column_of(data: Microdata, name: str) -> Column:
    return Column(name, data[name].kind, data[name].role)


def _list_parts(method: Method) -> list[tuple[str, ...]]:
    return [names for _, names in method.submethods]


def _require_moved(outcome: Outcome, data: Microdata, names: tuple[str, ...]) -> None:
    """Refuse made values: they are of nobody, and no donor can give the rest of the set."""
    at = [data.names.index(name) for name in names]
    made = (outcome.donors.matrix[:, at] == MADE).any(axis=0)
    new = [name for name, is_made in zip(names, made, strict=True) if is_made]
    if new:
        problem = (
            f"{join_names(names)} belong together, and a method that makes new values of "
            f"{join_names(new)} pulls them apart. Choose a method that moves values, or let each "
            "column move alone."
        )
        raise SchemaError([problem])


@dataclass(frozen=True, repr=False, eq=False)
class CellLayout:
    """The cells of a table; a row goes to its own, and as a guest to those whose halo it is in.

    Cells of a method that groups rows have no halo.

    Strata that fit into a block stay whole, as in random blocks.
    """

    space: Space
    cells: CellTrees

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
