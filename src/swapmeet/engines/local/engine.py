"""Masking in the memory of this machine, block by block, on all its cores."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from swapmeet.algorithms.blocks import BlockAssignment, RandomBlocks, split_into_blocks
from swapmeet.base.parallel import Workers, count_cores
from swapmeet.base.params import is_count
from swapmeet.base.progress import Progress, Pulse, silent
from swapmeet.engines.blocks import BlockNotes, layout_of, mask_block, merge_block_notes
from swapmeet.engines.checks import require_all_rows_at_once
from swapmeet.engines.protocol import Inferred, Request, is_spark
from swapmeet.engines.units import run_by_level
from swapmeet.errors import ParameterError, UsageError
from swapmeet.io.document import get_frame
from swapmeet.release.donors import DonorMap, to_table_rows
from swapmeet.release.outcome import Outcome
from swapmeet.tables.frame import Frame, Table
from swapmeet.tables.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from swapmeet.base.arrays import Floats, Rows
    from swapmeet.base.seeds import Seed
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.engines.blocks import CellLayout, Sampling
    from swapmeet.methods import Method
    from swapmeet.release.release import Release
    from swapmeet.tables.microdata import Microdata
    from swapmeet.tables.recoding.recode import Recode
    from swapmeet.tables.recoding.recoded import Recoded


@dataclass(frozen=True, kw_only=True)
class Local:
    """One machine; `threads` defaults to all cores the process may use.

    With `block_rows`, a larger table is masked in blocks of about this many rows: random ones, or
    for methods that seek neighbours cells in space with a halo. Ranges and spreads stay those of
    the whole table. The result does not depend on the number of threads. `kinds` are those that a
    file declares of its columns.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("fair")
    >>> method = sm.RWN(k=10, weights=0.2)
    >>> sm.mask(people, method, seed=1, engine=sm.Local(block_rows=1000)).data.shape
    (6366, 9)
    """

    threads: int | None = None
    block_rows: int | None = None
    progress: Progress = silent
    kinds: Mapping[str, str] = field(default_factory=dict, repr=False)

    in_memory: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, least in (("threads", 1), ("block_rows", 2)):
            value = getattr(self, name)
            if value is not None and not is_count(value, least):
                raise ParameterError(f"Local: `{name}` must be a whole number, {least} or more.")

    def open(self, data: Frame) -> Table:
        """A frame of pandas, polars or pyarrow, or the document of a file."""
        if is_spark(data):
            raise UsageError(
                "mask: a Spark frame is masked by the engine Spark, or without `engine`."
            )
        return Table.of(get_frame(data))

    def head(self, data: Any) -> Table:
        """All rows: they are here."""
        from swapmeet.engines.local.pair import table_of

        return table_of(data)

    def infer(self, data: Table) -> Inferred:
        """The kinds of the columns."""
        return Inferred(Schema.guess(data, self.kinds))

    def complete(self, schema: Schema, data: Table) -> Schema:  # noqa: ARG002
        """The schema as it is."""
        return schema

    def recode(self, data: Table, recodes: Sequence[Recode]) -> Recoded[Table]:
        """The table after these steps."""
        from swapmeet.tables.recoding.recode import recode_table

        return recode_table(data, recodes)

    def mask(self, data: Table, method: Method, schema: Schema, seed: Seed) -> Release:
        """Mask a table in memory."""
        from swapmeet.engines.local.mask import mask_table

        return mask_table(self, data, method, schema, seed)

    def run(self, method: Method, data: Microdata, seed: Seed) -> Outcome:
        """Mask columns of numbers and codes."""
        return run_by_level(method, data, seed, self._run_rows)

    def _run_rows(self, method: Method, data: Microdata, seed: Seed) -> Outcome:
        """Mask a table whose rows stand alone."""
        workers = Workers(self.threads or count_cores(), Pulse.of(self.progress))
        if self.block_rows is None or data.n <= self.block_rows:
            return mask_block(method, data, seed, 0, 1, workers)
        require_all_rows_at_once(method)
        method.check(data)
        return mask_by_blocks(method, data, seed, self.block_rows, workers)

    def share_memory(self, number: int) -> Local:  # noqa: ARG002
        """The same engine."""
        return self

    @contextmanager
    def compare(self, original: Table, release: Any, request: Request) -> Iterator[Comparison]:
        """Original and release row beside row, in memory."""
        from swapmeet.engines.local.pair import compare_tables

        yield compare_tables(original, release, request)


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
