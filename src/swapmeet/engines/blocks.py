"""A table masked block by block: what every engine does with a block, and how blocks come together.

The result depends on data, method, seed and the number of rows per block: not on who works on which
block, nor when.
"""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.algorithms.blocks import BlockAssignment, RandomBlocks, split_into_blocks
from swapmeet.core.base.notes import merge_notes
from swapmeet.core.base.parallel import Workers, silent
from swapmeet.core.release.donors import DonorMap, to_table_rows
from swapmeet.core.release.outcome import Outcome
from swapmeet.engines.cell_layout import layout_of
from swapmeet.errors import InputError, TableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from swapmeet.core.base.seeds import Seed, Streams
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.engines.cell_layout import CellLayout, Sampling
    from swapmeet.methods import Method

    Rows = npt.NDArray[np.int64]

PIECE = 1 << 18
"""Rows that are dealt at once."""


def masked_by_blocks(
    method: Method, data: Microdata, seed: Seed, rows_per_block: int, workers: Workers
) -> Outcome:
    """What `method` does to `data`, block by block; several blocks are worked on at once."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    layout = layout_in_memory(method, data, rows_per_block, seed, workers.threads)
    members = list(split_into_blocks(dealt_to(layout, data, workers)))
    whole = BlockMerger(data)
    inside = Workers(max(workers.threads // len(members), 1), silent)

    def some_blocks(begin: int, end: int) -> None:
        for number, rows, reach in members[begin:end]:
            streams = streams_of_block(method, seed, number, layout.count)
            block = data.block(rows, reach)
            whole.add(number, rows, outcome_of_block(method, block, streams, inside))

    with threadpool_limits(1, "blas"):
        workers.each(some_blocks, len(members), size=1, label="blocks")
    return whole.outcome()


def layout_in_memory(
    method: Method, data: Microdata, rows_per_block: int, seed: Seed, threads: int
) -> RandomBlocks | CellLayout:
    """The layout of a table that is there as a whole."""
    sizes = np.bincount(data.strata)
    return layout_of(
        method, sizes, rows_per_block, seed, lambda sampling: _sampled(data, sampling), threads
    )


def _sampled(data: Microdata, sampling: Sampling) -> Microdata:
    rows = np.flatnonzero(sampling.chosen(np.arange(data.n)))
    return replace(data.block(rows), strata=data.strata[rows])


def dealt_to(
    layout: RandomBlocks | CellLayout, data: Microdata, workers: Workers
) -> BlockAssignment:
    """Where all rows go, in order; several pieces are dealt at once."""
    if isinstance(layout, RandomBlocks):
        return layout.deal(np.arange(data.n), None, data.strata)
    pieces: dict[int, BlockAssignment] = {}

    def piece(begin: int, end: int) -> None:
        rows = np.arange(begin, end)
        pieces[begin] = layout.deal(rows, data.block(rows), data.strata[begin:end])

    workers.each(piece, data.n, size=PIECE, label="dealing")
    return BlockAssignment.concatenate([pieces[begin] for begin in sorted(pieces)], sorted(pieces))


def streams_of_block(method: Method, seed: Seed, number: int, count: int) -> Streams:
    """The streams of one of so many blocks; a table in one block is as if there were none."""
    streams = seed.within(method.name)
    return streams if count == 1 else streams.within("block", int(number))


def outcome_among(
    method: Method, data: Microdata, seed: Seed, number: int, count: int, workers: Workers
) -> Outcome:
    """What `method` does to one of `count` blocks; the only one is the table itself."""
    if count > 1:
        streams = streams_of_block(method, seed, number, count)
        return outcome_of_block(method, data, streams, workers)
    method.check(data)
    outcome = method.outcome(data, seed.within(method.name), workers)
    outcome.require_complete(method.name, data)
    return outcome


def outcome_of_block(
    method: Method, block: Microdata, streams: Streams, workers: Workers
) -> Outcome:
    """What `method` does to a block, whose rows are in the order of the table."""
    try:
        method.check(block)
        outcome = method.outcome(block, streams, workers)
    except InputError as error:
        raise TableError(
            f"in a block of {block.n} rows, which is masked like a table of its own: {error} "
            "Or raise `block_rows`, so that blocks are larger."
        ) from error
    outcome.require_complete(method.name, block)
    return outcome


class BlockMerger:
    """The outcome for all rows of a table, which comes together block by block in any order."""

    def __init__(self, data: Microdata) -> None:
        self._data = data
        self._donors = np.empty((len(data.variables), data.n), np.int64)
        self._made: dict[str, npt.NDArray[np.float64]] = {}
        self._stuck: dict[str, list[Rows]] = {name: [] for name in data.names}
        self._told: dict[int, Told] = {}
        self._turn = Lock()

    def __repr__(self) -> str:
        return f"<BlockMerger of {len(self._told)} blocks so far>"

    def add(self, number: int, rows: Rows, outcome: Outcome) -> None:
        """The outcome of the block of this number, which has these rows, its own before guests."""
        own = rows[: len(outcome.donors.matrix)]
        with self._turn:
            for donors, given in zip(self._donors, outcome.donors.matrix.T, strict=True):
                donors[own] = to_table_rows(given, rows)
            for name, values in outcome.made.items():
                if name not in self._made:
                    self._made[name] = self._data[name].values.copy()
                self._made[name][own] = values
            for name, stuck in outcome.stuck.items():
                self._stuck[name].append(rows[stuck])
            self._told[number] = Told(len(own), outcome.facts, outcome.notes)

    def outcome(self) -> Outcome:
        """The outcome of all blocks, what they told said once."""
        n, names = self._data.n, self._data.names
        facts, notes = said_once(self._told, n)
        return Outcome(
            DonorMap(self._donors.T),
            made={name: self._made[name] for name in names if name in self._made},
            stuck={name: np.sort(np.concatenate(s)) for name, s in self._stuck.items() if s},
            facts=facts,
            notes=notes,
        )


class Told(NamedTuple):
    """What is kept of a block besides its cells."""

    rows: int
    facts: tuple[str, ...]
    notes: tuple[str, ...]


def said_once(told: Mapping[int, Told], n: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Facts and notes of all blocks, by number, of a table of `n` rows."""
    blocks = [told[number] for number in sorted(told)]
    sizes = _sizes([block.rows for block in blocks])
    facts = (sizes, *merge_notes([block.facts for block in blocks], n))
    return facts, merge_notes([block.notes for block in blocks], n)


def _sizes(sizes: list[int]) -> str:
    return f"masked in {len(sizes)} blocks of {min(sizes)} to {max(sizes)} rows."
