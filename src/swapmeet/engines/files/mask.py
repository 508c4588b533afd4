"""A file is masked: rows to blocks, blocks to parts, parts to the release."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.base.atomic import all_or_nothing, write_atomically
from swapmeet.engines.blocks import BlockMasker, CellLayout, Sampling, expected_guests, layout_of
from swapmeet.engines.checks import (
    check_first_rows,
    refuse_context,
    require_all_rows_at_once,
    require_something_to_mask,
)
from swapmeet.engines.files.engine import BLOCK_ROWS, Files
from swapmeet.engines.files.needs import Needs, format_bytes
from swapmeet.engines.files.opening import open_outlet, scan
from swapmeet.engines.files.spill import Spill, private_folder
from swapmeet.engines.files.write import ReleaseWriter, WrittenRows
from swapmeet.engines.tally import Tally
from swapmeet.engines.ties import FittedTies, TiedRelease, fit_ties, list_tied
from swapmeet.engines.unit_checks import refuse_units
from swapmeet.release.donors import MADE, SUPPRESSED
from swapmeet.release.release import FileRelease
from swapmeet.tables.arrow import cells_of
from swapmeet.tables.frame import Table
from swapmeet.tables.traces import Trace, describe_left_out
from swapmeet.tables.traces.arrow import find_metadata

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from swapmeet.algorithms.blocks import BlockAssignment, RandomBlocks
    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.base.parallel import Workers
    from swapmeet.base.seeds import Seed
    from swapmeet.io.format import Outlet, Source
    from swapmeet.methods import Method
    from swapmeet.tables.microdata import Microdata
    from swapmeet.tables.scan import Scan
    from swapmeet.tables.schema import Schema


def mask_source(
    engine: Files, file: Source, method: Method, schema: Schema, seed: Seed
) -> FileRelease:
    """Mask a file that is open; the work is refused before it begins if it cannot be done."""
    target = engine.target
    assert target is not None
    refuse_units(schema, "masking piece by piece")
    require_all_rows_at_once(method)
    refuse_context(method, schema, "masking piece by piece")
    require_something_to_mask(file.rows, schema)
    check_first_rows(method, engine.head(file), schema)
    outlets = [open_outlet(path, file) for path in target.releases]
    audited = target.audit is not None
    needs = Needs.of(file, schema, _join_cells(outlets))
    engine, chosen = _settle_blocks(engine, needs, method)
    assert engine.block_rows is not None
    guests = expected_guests(method, file.rows, engine.block_rows)
    needs.require_memory(engine.block_rows, engine.limit, audited=audited, guests=guests)
    needs.require_disk(file.path, target.release, guests=guests, releases=len(target.releases))
    piece_rows = needs.piece_rows(engine.limit)
    scanned = scan(file, schema, piece_rows, engine.limit // 8, engine.workers)
    ties = fit_ties(schema, lambda: _read_pieces(file, list_tied(schema), piece_rows))
    scanned = replace(scanned, rests=ties.rests)
    tally = Tally(schema, scanned.rows, audited=audited)
    run = _Run(engine, file, outlets, method, seed, scanned, ties, tally, piece_rows)
    with all_or_nothing(), private_folder(target.release) as folder:
        with ExitStack() as stack:
            asides = [
                stack.enter_context(write_atomically(path, overwrite=target.overwrite))
                for path in target.releases
            ]
            written = run.write(asides, folder)
        if target.audit is not None:
            record = tally.record(method, seed, written.owner, written.fingerprint)
            record.save(target.audit, overwrite=target.overwrite)
    remarks = (*chosen, *ties.list_facts(), *describe_left_out(run.traces))
    return FileRelease(**tally.summarize(method, seed, remarks), path=target.release)


def settle_blocks(
    engine: Files, file: Source, method: Method, schema: Schema
) -> tuple[Files, tuple[str, ...]]:
    """The engine with the block rows that it will use, and what must be said of them."""
    target = engine.target
    assert target is not None
    outlets = [open_outlet(path, file) for path in target.releases]
    return _settle_blocks(engine, Needs.of(file, schema, _join_cells(outlets)), method)


def _settle_blocks(engine: Files, needs: Needs, method: Method) -> tuple[Files, tuple[str, ...]]:
    if engine.block_rows is not None:
        return engine, ()
    audited = engine.target is not None and engine.target.audit is not None
    rows = needs.choose_block_rows(
        BLOCK_ROWS, engine.limit, audited=audited,
        guests=lambda rows: expected_guests(method, needs.rows, rows),
    )  # fmt: skip
    notes = () if rows == BLOCK_ROWS else (_describe_blocks(rows, engine.limit),)
    return replace(engine, block_rows=rows), notes


def _describe_blocks(rows: int, limit: int) -> str:
    return (
        f"blocks have about {rows:,} rows, as many as {format_bytes(limit)} of memory hold; with "
        f"the same seed, block_rows = {rows} makes the same release with any memory"
    )


def _read_pieces(file: Source, columns: Sequence[str], rows: int) -> Iterator[Table]:
    return (Table(piece) for _, piece in file.pieces(columns, rows))


@dataclass(frozen=True, repr=False, eq=False)
class _Run:
    """Settings with which a file is masked; they hold the seed."""

    engine: Files
    file: Source
    outlets: Sequence[Outlet]
    method: Method
    seed: Seed
    scan: Scan
    ties: FittedTies
    tally: Tally
    piece_rows: int

    def write(self, asides: Sequence[Path], folder: Path) -> WrittenRows:
        """Rows to blocks, blocks to parts, parts to the release."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        workers, block_rows = self.engine.workers, self.engine.block_rows
        assert block_rows is not None
        layout = layout_of_file(
            self.file, self.scan, self.method, self.seed, block_rows, self.piece_rows, workers
        )
        writer = self._writer
        parts = Spill(folder / "parts", writer.parts(block_rows), workers.threads)
        blocks = self._deal(folder / "blocks", layout, writer.row)
        masker = BlockMasker(self.method, self.seed, self.scan, layout.count, self.ties)
        with threadpool_limits(1 if layout.count > 1 else None, "blas"):
            for number in range(layout.count):
                block = blocks.block(number)
                if len(block.table):
                    self._mask(number, block, masker, writer, parts)
                workers.progress("blocks", number + 1, layout.count)
        blocks.discard()
        return writer.write(asides, parts, self.tally, workers)

    @cached_property
    def traces(self) -> frozenset[Trace]:
        """List what the release leaves out; it has been written."""
        traces = find_metadata(self.file.schema)
        return traces | {Trace.CATEGORIES} if self._writer.has_lost_categories else traces

    @cached_property
    def _writer(self) -> ReleaseWriter:
        target = self.engine.target
        assert target is not None
        return ReleaseWriter(
            self.scan, self.file, self.outlets, self.seed, keep_order=target.keep_order,
            audited=target.audit is not None,
        )  # fmt: skip

    def _deal(self, folder: Path, layout: RandomBlocks | CellLayout, row: str) -> Blocks:
        """All rows with their numbers, each in its block."""
        workers = self.engine.workers
        blocks = Blocks(folder, layout, row, workers.threads)
        columns = (*self.scan.schema.published, *self._cells.values())
        for begin, table in self.file.pieces(columns, self.piece_rows):
            rows, packed = np.arange(begin, begin + len(table)), self.scan.packed(table)
            blocks.add(rows, packed, assign_blocks(layout, self.scan, rows, packed))
            workers.progress("dealing", begin + len(table), self.scan.rows)
        return blocks

    def _mask(
        self, number: int, block: Block, masker: BlockMasker, writer: ReleaseWriter, parts: Spill
    ) -> None:
        table = block.table
        quiet = self.engine.workers.inside()
        rows = table[writer.row].to_numpy()
        data, tied = masker.mask(number, table, block.reach, writer.columns, quiet, rows)
        self.tally.add(number, rows, data, tied)
        released = tied.released.native
        writer.use(released)
        moved = move_cells(released, table, self._cells, data, tied)
        parts.add(moved, writer.part(number, rows[: data.own]))

    @property
    def _cells(self) -> dict[str, str]:
        """The columns that have the cells of published ones as they stand in the file."""
        cells = _join_cells(self.outlets)
        return {name: cells[name] for name in self.scan.schema.published if name in cells}


def _join_cells(outlets: Sequence[Outlet]) -> dict[str, str]:
    """The columns of the file that have cells as they stand there, for whichever outlet asks."""
    return {name: raw for outlet in outlets for name, raw in outlet.cells.items()}


def move_cells(
    released: Any, table: Any, cells: Mapping[str, str], data: Microdata, tied: TiedRelease
) -> Any:
    """Released rows with the cells that moved along: empty if suppressed, null if made."""
    donors = dict(zip(data.names, tied.outcome.donors.matrix.T, strict=True))
    donors |= dict.fromkeys(tied.derived, np.full(data.own, MADE))
    for name, column in cells.items():
        moved = table[column].slice(0, data.own)
        if name in donors:
            given = donors[name]
            moved = cells_of(table[column], pa.array(given, mask=given < 0))
            moved = pc.if_else(pa.array(given == SUPPRESSED), "", moved)
        released = released.append_column(column, moved)
    return released


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
    reach, own = np.empty(n), ~np.isnan(dealt.reach)
    reach[dealt.places[own]] = dealt.reach[own]
    return reach


def assign_blocks(
    layout: RandomBlocks | CellLayout, file_scan: Scan, rows: Ints, table: Any
) -> BlockAssignment:
    """Return the blocks of the rows of a piece of a file; random blocks need not see the values."""
    strata = file_scan.stratum(table)
    if isinstance(layout, CellLayout):
        return layout.deal(rows, file_scan.microdata(table), strata)
    return layout.deal(rows, None, strata)


def layout_of_file(
    file: Source, file_scan: Scan, method: Method, seed: Seed, block_rows: int,
    piece_rows: int, workers: Workers,
) -> RandomBlocks | CellLayout:  # fmt: skip
    """The layout of a file, which is read once more if blocks are to be cells."""

    def sampled(sampling: Sampling) -> Microdata:
        return _sample(file, file_scan, sampling, piece_rows, workers)

    return layout_of(method, file_scan.strata.sizes, block_rows, seed, sampled, workers.threads)


def _sample(
    file: Source, file_scan: Scan, sampling: Sampling, piece_rows: int, workers: Workers
) -> Microdata:
    """The sampled rows, with strata numbered as in the whole file."""
    pieces = []
    for begin, table in file.pieces(file_scan.needs, piece_rows):
        chosen = sampling.chosen(np.arange(begin, begin + len(table)))
        pieces.append(file_scan.packed(table.filter(pa.array(chosen))))
        workers.progress("sampling", begin + len(table), file_scan.rows)
    return file_scan.microdata(pa.concat_tables(pieces), as_in_the_whole=True)
