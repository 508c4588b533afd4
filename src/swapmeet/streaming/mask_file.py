"""mask_file(): a Parquet file in, a release of it out, in bounded memory."""

from __future__ import annotations

import os
import warnings
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.blocks import Progress, Workers, cores, silent
from swapmeet.engines import Local
from swapmeet.engines.by_blocks import outcome_of_block, streams_of_block
from swapmeet.errors import SwapmeetWarning, TableError, UsageError
from swapmeet.files import all_or_nothing, check_target, written_aside
from swapmeet.frame import Table
from swapmeet.masking import released_by, require_method, require_something_to_mask
from swapmeet.microdata import Microdata
from swapmeet.neighbors.cell_sample import GUESTS
from swapmeet.schema import Schema, require_schema
from swapmeet.seeds import Seed
from swapmeet.streaming.dealing import Blocks, dealt_of, layout_of_file
from swapmeet.streaming.guessing import guess_schema
from swapmeet.streaming.limits import Needs, bytes_of
from swapmeet.streaming.source import HEAD, ParquetSource, require_parquet
from swapmeet.streaming.spill import Spill, private_folder
from swapmeet.streaming.survey import Survey, survey
from swapmeet.streaming.tally import Tally
from swapmeet.streaming.writing import Writing

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from swapmeet.engines.cell_layout import CellLayout
    from swapmeet.layout import Layout
    from swapmeet.methods import Method
    from swapmeet.outcome import Outcome
    from swapmeet.release import ColumnChange
    from swapmeet.streaming.dealing import Block

BLOCK_ROWS = 1_000_000
MEMORY = "4GB"


@dataclass(frozen=True)
class Streamed:
    """What was done to a file; the release itself is in `path`."""

    path: Path
    rows: int
    schema: Schema
    method: str
    settings: Mapping[str, Any]
    changes: tuple[ColumnChange, ...]
    notes: tuple[str, ...]
    reproducible: bool


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
    threads: int | None = None,
    progress: Progress = silent,
) -> Streamed:
    """Mask a Parquet file of any size into another one.

    The rows are those that `mask` releases in blocks of `block_rows`, in random order (or that of
    the file, with `keep_order`). `memory` is what the work may take: blocks that do not fit are
    refused before any work.

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
    require_method(method)
    Local(threads=threads, block_rows=block_rows)
    limit, path = bytes_of(memory), Path(target)
    file = ParquetSource.open(source)
    _require_targets(file.path, path, audit, overwrite=overwrite)
    inferred = schema is None
    checked = _checked(file, method, schema)
    needs = Needs.of(file, checked)
    guests = GUESTS if method.nearness is not None and file.rows > block_rows else 0.0
    needs.require_memory(block_rows, limit, audited=audit is not None, guests=guests)
    needs.require_disk(file.path, path, guests=guests)
    root = Seed.fresh() if seed is None else Seed.chosen_by_user(seed)
    run = _Run(file, method, root, Workers(threads or cores(), progress), block_rows,
               needs.piece_rows(limit), keep_order, audit is not None)  # fmt: skip
    found = survey(file, checked, run.piece_rows, limit // 8, run.workers)
    tally = Tally(checked, found.rows, audited=audit is not None)
    with all_or_nothing(), private_folder(path) as folder:
        with written_aside(path, overwrite=overwrite) as aside:
            owner = run.write(aside, folder, found, tally)
        if audit is not None:
            tally.record(method, root, owner).save(audit, overwrite=overwrite)
    facts, notes = tally.facts_and_notes(method)
    for note in notes:
        warnings.warn(note, SwapmeetWarning, stacklevel=2)
    told = (INFERRED,) if inferred and file.rows > HEAD else ()
    return Streamed(
        path, found.rows, checked, method.name, method.settings(), tally.changes(),
        (*facts, *told, *notes),
        root.chosen,
    )  # fmt: skip


INFERRED = (
    "kinds of columns were inferred from all rows, and what looks like an identifier from the "
    f"first {HEAD}."
)


@dataclass(frozen=True)
class _Run:
    """How a file is masked."""

    file: ParquetSource
    method: Method
    seed: Seed
    workers: Workers
    block_rows: int
    piece_rows: int
    keep_order: bool
    audited: bool

    def write(
        self, aside: Path, folder: Path, found: Survey, tally: Tally
    ) -> npt.NDArray[np.int64]:
        """Rows to blocks, blocks to parts, parts to the release; who owns each released row."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        layout = layout_of_file(self.file, found, self.method, self.seed, self.block_rows,
                                self.piece_rows, self.workers)  # fmt: skip
        writing = Writing(found, self.file, self.seed, keep_order=self.keep_order,
                          audited=self.audited)  # fmt: skip
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

    def _dealt(self, folder: Path, found: Survey, layout: Layout | CellLayout, row: str) -> Blocks:
        """All rows with their numbers, each in its block."""
        blocks = Blocks(folder, layout, row, self.workers.threads)
        for begin, table in self.file.pieces(found.schema.published, self.piece_rows):
            rows, packed = np.arange(begin, begin + len(table)), found.packed(table)
            blocks.add(rows, packed, dealt_of(layout, found, rows, packed))
            self.workers.progress("dealing", begin + len(table), found.rows)
        return blocks

    def _block(
        self, number: int, block: Block, count: int, found: Survey, tally: Tally,
        writing: Writing, parts: Spill,
    ) -> None:  # fmt: skip
        data = replace(found.microdata(block.table), reach=block.reach)
        outcome = self._outcome(number, data, count)
        released = released_by(outcome, Table(block.table), data, writing.columns, found.grains)
        rows = block.table[writing.row].to_numpy()
        tally.add(number, rows, data, outcome, released)
        writing.use(released.native)
        parts.add(released.native, writing.part(number, rows[: data.own]))

    def _outcome(self, number: int, data: Microdata, count: int) -> Outcome:
        quiet = Workers(self.workers.threads, silent)
        if count == 1:
            return Local(threads=quiet.threads).run(self.method, data, self.seed)
        streams = streams_of_block(self.method, self.seed, number, count)
        return outcome_of_block(self.method, data, streams, quiet)


def _checked(file: ParquetSource, method: Method, schema: Schema | None) -> Schema:
    """The schema, inferred if there is none, when it fits the file and the method.

    Whether there are rows enough is not for the first of them to tell.
    """
    head = Table(file.head)
    if schema is None:
        schema = guess_schema(file)
        schema.warn_of_concerns(stacklevel=4)
    require_schema(schema, "mask_file").check(head)
    ordered = schema.in_order(head.names)
    require_something_to_mask(head, ordered)
    if file.rows == 1:
        raise TableError("the table has only 1 row; there is no other to trade values with.")
    first = Microdata.of(head, ordered)
    with suppress(TableError):
        method.check(first)
    return ordered


def _require_targets(
    source: Path, target: Path, audit: str | os.PathLike[str] | None, *, overwrite: bool
) -> None:
    require_parquet(target)
    made = [target] if audit is None else [target, Path(audit)]
    if len({os.path.realpath(path) for path in (source, *made)}) <= len(made):
        raise UsageError(f"{target}: source, release and audit record must be different files.")
    for path in made:
        check_target(path, overwrite=overwrite)
