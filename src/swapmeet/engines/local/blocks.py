"""A table in memory, masked block by block; several blocks are worked on at once."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.blocks import BlockAssignment, RandomBlocks, split_into_blocks
from swapmeet.engines.blocks import BlockNotes, mask_block, merge_block_notes
from swapmeet.engines.layout import layout_of
from swapmeet.release.donors import DonorMap, to_table_rows
from swapmeet.release.outcome import Outcome

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Rows
    from swapmeet.base.parallel import Workers
    from swapmeet.base.seeds import Seed
    from swapmeet.engines.layout import CellLayout, Sampling
    from swapmeet.methods import Method
    from swapmeet.tables.microdata import Microdata

PIECE = 1 << 18
"""Rows that are dealt at once."""


def mask_by_blocks(
    method: Method, data: Microdata, seed: Seed, rows_per_block: int, workers: Workers
) -> Outcome:
    """Mask `data` with `method`, block by block."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    layout = layout_in_memory(method, data, rows_per_block, seed, workers.threads)
    members = list(split_into_blocks(deal_rows(layout, data, workers)))
    merger = BlockMerger(data)
    inside = workers.inside(max(workers.threads // len(members), 1))

    def mask_some(begin: int, end: int) -> None:
        for number, rows, reach in members[begin:end]:
            block = data.block(rows, reach)
            merger.add(number, rows, mask_block(method, block, seed, number, layout.count, inside))

    with threadpool_limits(1, "blas"):
        workers.each(mask_some, len(members), size=1, label="blocks")
    return merger.outcome()


def layout_in_memory(
    method: Method, data: Microdata, rows_per_block: int, seed: Seed, threads: int
) -> RandomBlocks | CellLayout:
    """The layout of a table that is there as a whole."""
    sizes = np.bincount(data.strata)
    return layout_of(
        method, sizes, rows_per_block, seed, lambda sampling: _sample(data, sampling), threads
    )


def _sample(data: Microdata, sampling: Sampling) -> Microdata:
    rows = np.flatnonzero(sampling.chosen(np.arange(data.n)))
    return replace(data.block(rows), strata=data.strata[rows])


def deal_rows(
    layout: RandomBlocks | CellLayout, data: Microdata, workers: Workers
) -> BlockAssignment:
    """Return the blocks of all rows, in order; several pieces are dealt at once."""
    if isinstance(layout, RandomBlocks):
        return layout.deal(np.arange(data.n), None, data.strata)
    pieces: dict[int, BlockAssignment] = {}

    def deal_piece(begin: int, end: int) -> None:
        rows = np.arange(begin, end)
        pieces[begin] = layout.deal(rows, data.block(rows), data.strata[begin:end])

    workers.each(deal_piece, data.n, size=PIECE, label="dealing")
    return BlockAssignment.concatenate([pieces[begin] for begin in sorted(pieces)], sorted(pieces))


class BlockMerger:
    """The outcome for all rows of a table, which comes together block by block in any order."""

    def __init__(self, data: Microdata) -> None:
        self._data = data
        self._donors = np.empty((len(data.variables), data.n), np.int64)
        self._made: dict[str, Floats] = {}
        self._stuck: dict[str, list[Rows]] = {name: [] for name in data.names}
        self._notes: dict[int, BlockNotes] = {}
        self._turn = Lock()

    def __repr__(self) -> str:
        return f"<BlockMerger of {len(self._notes)} blocks so far>"

    def add(self, number: int, rows: Rows, outcome: Outcome) -> None:
        """Add the outcome of a block, whose own rows come before its guests."""
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
            self._notes[number] = BlockNotes(len(own), outcome.facts, outcome.notes)

    def outcome(self) -> Outcome:
        """The outcome of all blocks; what several of them noted is said once."""
        facts, notes = merge_block_notes(self._notes, self._data.n)
        return Outcome(
            DonorMap(self._donors.T),
            made={name: self._made[name] for name in self._data.names if name in self._made},
            stuck={name: np.sort(np.concatenate(s)) for name, s in self._stuck.items() if s},
            facts=facts,
            notes=notes,
        )
