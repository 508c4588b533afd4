"""mask_file(): a file of any size in, a release of it out, in bounded memory."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.base.atomic import all_or_nothing, check_target, write_atomically
from swapmeet.core.base.parallel import Progress, Workers, count_cores, silent
from swapmeet.core.base.seeds import Seed
from swapmeet.core.release.apply import apply_outcome
from swapmeet.core.release.release import Streamed
from swapmeet.core.tables.frame import Table
from swapmeet.core.tables.schema import Schema, require_schema
from swapmeet.core.tables.schema_guess import HEAD, INFERRED
from swapmeet.engines import Local
from swapmeet.engines.blocks import outcome_among
from swapmeet.engines.cell_layout import guests_expected
from swapmeet.engines.checks import checked_by_head, require_method
from swapmeet.engines.files.deal import Blocks, dealt_of, layout_of_file
from swapmeet.engines.files.guessing import schema_of
from swapmeet.engines.files.limits import Needs, bytes_of
from swapmeet.engines.files.moved_cells import with_cells
from swapmeet.engines.files.opening import opened
from swapmeet.engines.files.scan import scan
from swapmeet.engines.files.spill import Spill, private_folder
from swapmeet.engines.files.write import ReleaseWriter
from swapmeet.engines.tally import Tally
from swapmeet.errors import SwapmeetWarning, TableError, UsageError
from swapmeet.io.formats import streaming_format

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.algorithms.blocks import RandomBlocks
    from swapmeet.core.tables.scan.scan import Scan
    from swapmeet.engines.cell_layout import CellLayout
    from swapmeet.engines.files.deal import Block
    from swapmeet.io.stream import Outlet, Source
    from swapmeet.methods import Method

BLOCK_ROWS = 1_000_000
MEMORY = "4GB"


def mask_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    method: Method,
    *,
    schema: Schema | None = None,
    seed: int | None = None,
    block_rows: int = BLOCK_ROWS,
    memory: str | int = MEMORY,
    keep_order: bool = False,
    audit: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> Streamed:
    """Mask a Parquet file or a delimited text of any size into another one.

    The rows are those that `mask` releases in blocks of `block_rows`, in random order (or that of
    the file, with `keep_order`). `memory` is what the work may take: blocks that do not fit are
    refused before any work. `delimiter` and `encoding` are those of a text.

    >>> import tempfile
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> import swapmeet as sm
    >>> people = pa.Table.from_pandas(sm.datasets.load("fair"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(people, folder + "/people.parquet")
    ...     done = mask_file(folder + "/people.parquet", folder + "/release.parquet",
    ...                      sm.RWN(k=10, weights=0.2), block_rows=2000)
    >>> done.rows, done.notes[0].split(" of ")[0]
    (6366, 'masked in 4 blocks')
    """
    require_targets(source, target, audit, overwrite=overwrite)
    workers = Workers(threads or count_cores(), progress)
    with opened(source, target, delimiter=delimiter, encoding=encoding, workers=workers) as file:
        return mask_source(
            file, target, method, schema=schema, seed=seed, block_rows=block_rows, memory=memory,
            keep_order=keep_order, audit=audit, overwrite=overwrite, workers=workers,
        )  # fmt: skip


def mask_source(
    file: Source,
    target: str | os.PathLike[str],
    method: Method,
    *,
    schema: Schema | None,
    seed: int | None,
    block_rows: int,
    memory: str | int,
    keep_order: bool,
    audit: str | os.PathLike[str] | None,
    overwrite: bool,
    workers: Workers,
) -> Streamed:
    """Mask a file that is open; see `mask_file`."""
    require_method(method)
    Local(threads=workers.threads, block_rows=block_rows)
    limit, path = bytes_of(memory), Path(target)
    inferred = schema is None
    checked = _checked(file, method, schema)
    outlet = streaming_format(path).open_outlet(path, file)
    needs = Needs.of(file, checked, outlet)
    guests = guests_expected(method, file.rows, block_rows)
    needs.require_memory(block_rows, limit, audited=audit is not None, guests=guests)
    needs.require_disk(file.path, path, guests=guests)
    root = Seed.fresh() if seed is None else Seed.chosen_by_user(seed)
    run = _Run(file, outlet, method, root, workers, block_rows, needs.piece_rows(limit),
               keep_order, audit is not None)  # fmt: skip
    found = scan(file, checked, run.piece_rows, limit // 8, run.workers)
    tally = Tally(checked, found.rows, audited=audit is not None)
    with all_or_nothing(), private_folder(path) as folder:
        with write_atomically(path, overwrite=overwrite) as aside:
            owner = run.write(aside, folder, found, tally)
        if audit is not None:
            tally.record(method, root, owner).save(audit, overwrite=overwrite)
    facts, notes = tally.facts_and_notes(method)
    for note in notes:
        warnings.warn(note, SwapmeetWarning, stacklevel=3)
    told = (INFERRED,) if inferred and file.rows > HEAD else ()
    return Streamed(
        path, found.rows, checked, method.name, method.settings(), tally.changes(),
        (*facts, *told, *notes),
        root.chosen,
    )  # fmt: skip


@dataclass(frozen=True)
class _Run:
    """How a file is masked."""

    file: Source
    outlet: Outlet
    method: Method
    seed: Seed
    workers: Workers
    block_rows: int
    piece_rows: int
    keep_order: bool
    audited: bool

    def write(self, aside: Path, folder: Path, found: Scan, tally: Tally) -> npt.NDArray[np.int64]:
        """Rows to blocks, blocks to parts, parts to the release; who owns each released row."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        layout = layout_of_file(self.file, found, self.method, self.seed, self.block_rows,
                                self.piece_rows, self.workers)  # fmt: skip
        writing = ReleaseWriter(
            found, self.file, self.outlet, self.seed, keep_order=self.keep_order,
            audited=self.audited,
        )  # fmt: skip
        parts = Spill(folder / "parts", writing.parts(self.block_rows), self.workers.threads)
        blocks = self._dealt(folder / "blocks", found, layout, writing.row)
        with threadpool_limits(1 if layout.count > 1 else None, "blas"):
            for number in range(layout.count):
                block = blocks.block(number)
                if len(block.table):
                    self._block(number, block, layout.count, found, tally, writing, parts)
                self.workers.progress("blocks", number + 1, layout.count)
        blocks.discard()
        return writing.write(aside, parts, tally, self.workers)

    def _dealt(
        self, folder: Path, found: Scan, layout: RandomBlocks | CellLayout, row: str
    ) -> Blocks:
        """All rows with their numbers, each in its block."""
        blocks = Blocks(folder, layout, row, self.workers.threads)
        columns = (*found.schema.published, *self._cells(found.schema).values())
        for begin, table in self.file.pieces(columns, self.piece_rows):
            rows, packed = np.arange(begin, begin + len(table)), found.packed(table)
            blocks.add(rows, packed, dealt_of(layout, found, rows, packed))
            self.workers.progress("dealing", begin + len(table), found.rows)
        return blocks

    def _block(
        self, number: int, block: Block, count: int, found: Scan, tally: Tally,
        writing: ReleaseWriter, parts: Spill,
    ) -> None:  # fmt: skip
        table = block.table
        data = replace(found.microdata(table), reach=block.reach)
        quiet = Workers(self.workers.threads, silent)
        outcome = outcome_among(self.method, data, self.seed, number, count, quiet)
        released = apply_outcome(outcome, Table(table), data, writing.columns, found.grains)
        rows = table[writing.row].to_numpy()
        tally.add(number, rows, data, outcome, released)
        writing.use(released.native)
        moved = with_cells(released.native, table, self._cells(found.schema), data, outcome)
        parts.add(moved, writing.part(number, rows[: data.own]))

    def _cells(self, schema: Schema) -> dict[str, str]:
        """The columns that have the cells of published ones as they stand in the file."""
        cells = self.outlet.cells
        return {name: cells[name] for name in schema.published if name in cells}


def _checked(file: Source, method: Method, schema: Schema | None) -> Schema:
    """The schema, inferred if there is none, when it fits the file and the method."""
    head = Table(file.head)
    if schema is None:
        schema = schema_of(file)
        schema.warn_of_concerns(stacklevel=4)
    ordered = checked_by_head(require_schema(schema, "mask_file"), head, method)
    if file.rows == 1:
        raise TableError("the table has only 1 row; there is no other to trade values with.")
    return ordered


def require_targets(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    audit: str | os.PathLike[str] | None,
    *,
    overwrite: bool,
) -> None:
    """Refuse files that cannot be written, before any work is done."""
    streaming_format(target)
    made = [Path(target)] if audit is None else [Path(target), Path(audit)]
    if len({os.path.realpath(path) for path in (source, *made)}) <= len(made):
        raise UsageError(f"{target}: source, release and audit record must be different files.")
    for path in made:
        check_target(path, overwrite=overwrite)
