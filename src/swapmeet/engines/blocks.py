"""Steps of every engine for a block of rows.

The result depends on data, method, seed and the number of rows per block: not on who works on which
block, nor when.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from swapmeet.core.base.notes import merge_notes
from swapmeet.core.tables.frame import Table
from swapmeet.engines.together import move_together, require_movable_sets
from swapmeet.errors import InputError, TableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.core.base.arrays import Floats, Ints
    from swapmeet.core.base.parallel import Workers
    from swapmeet.core.base.seeds import Seed, Streams
    from swapmeet.core.release.outcome import Outcome
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.core.tables.scan.scan import Scan
    from swapmeet.engines.ties import FittedTies, TiedRelease
    from swapmeet.methods import Method


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
