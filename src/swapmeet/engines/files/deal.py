"""The rows of a file put aside block by block, those of a block before its guests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from swapmeet.engines.files.spill import Spill
from swapmeet.engines.layout import CellLayout, Sampling, layout_of

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.algorithms.blocks import BlockAssignment, RandomBlocks
    from swapmeet.core.base.arrays import Floats, Ints
    from swapmeet.core.base.parallel import Workers
    from swapmeet.core.base.seeds import Seed
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.core.tables.scan.scan import Scan
    from swapmeet.io.stream import Source
    from swapmeet.methods import Method


class Block(NamedTuple):
    """A table of rows, and for each that is no guest its reach, if blocks are cells."""

    table: Any
    reach: Floats | None


class Blocks:
    """Buckets of rows on the disk; `row` is the name of the column of row numbers."""

    def __init__(
        self, folder: Path, layout: RandomBlocks | CellLayout, row: str, threads: int
    ) -> None:
        self._layout, self._row = layout, row
        self._reach = row + "_"
        self._has_guests = isinstance(layout, CellLayout)
        self._spill = Spill(folder, layout.count * (1 + self._has_guests), threads)

    def __repr__(self) -> str:
        return f"<Blocks: {self._layout.count}>"

    def add(self, rows: Ints, table: Any, dealt: BlockAssignment) -> None:
        """Put rows, which have these numbers, aside."""
        table = table.append_column(self._row, pa.array(rows))
        if dealt.reach is None:
            self._spill.add(table, dealt.blocks)
            return
        reach = pa.array(_reach_of_rows(dealt, len(rows)))
        self._spill.add(table.append_column(self._reach, reach), dealt.buckets, dealt.places)

    def block(self, number: int) -> Block:
        """A block, which may be empty."""
        if not self._has_guests:
            return Block(self._spill.bucket(number), None)
        own, guests = self._spill.bucket(2 * number), self._spill.bucket(2 * number + 1)
        reach = own[self._reach].to_numpy()
        both = pa.concat_tables([own, guests]) if len(own) else own
        return Block(both.drop_columns([self._reach]), reach)

    def discard(self) -> None:
        """Free the disk."""
        self._spill.discard()


def _reach_of_rows(dealt: BlockAssignment, n: int) -> Floats:
    """The reach of each row in the block that is its own."""
    assert dealt.reach is not None
    found, own = np.empty(n), ~np.isnan(dealt.reach)
    found[dealt.places[own]] = dealt.reach[own]
    return found


def assign_blocks(
    layout: RandomBlocks | CellLayout, found: Scan, rows: Ints, table: Any
) -> BlockAssignment:
    """Return the blocks of the rows of a piece of a file; random blocks need not see the values."""
    strata = found.stratum(table)
    if isinstance(layout, CellLayout):
        return layout.deal(rows, found.microdata(table), strata)
    return layout.deal(rows, None, strata)


def layout_of_file(
    file: Source, found: Scan, method: Method, seed: Seed, block_rows: int,
    piece_rows: int, workers: Workers,
) -> RandomBlocks | CellLayout:  # fmt: skip
    """The layout of a file, which is read once more if blocks are to be cells."""

    def sampled(sampling: Sampling) -> Microdata:
        return _sample(file, found, sampling, piece_rows, workers)

    return layout_of(method, found.strata.sizes, block_rows, seed, sampled, workers.threads)


def _sample(
    file: Source, found: Scan, sampling: Sampling, piece_rows: int, workers: Workers
) -> Microdata:
    """The sampled rows, with strata numbered as in the whole file."""
    pieces = []
    for begin, table in file.pieces(found.needs, piece_rows):
        chosen = sampling.chosen(np.arange(begin, begin + len(table)))
        pieces.append(found.packed(table.filter(pa.array(chosen))))
        workers.progress("sampling", begin + len(table), found.rows)
    return found.microdata(pa.concat_tables(pieces), as_in_the_whole=True)
