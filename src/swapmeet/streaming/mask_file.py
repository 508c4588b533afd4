"""mask_file(): a Parquet file in, a release of it out, in bounded memory."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.blocks import Progress, Workers, cores, silent
from swapmeet.engines import Local
from swapmeet.engines.by_blocks import outcome_among
from swapmeet.engines.tally import Tally
from swapmeet.errors import SwapmeetWarning, TableError, UsageError
from swapmeet.files import all_or_nothing, check_target, written_aside
from swapmeet.frame import Table
from swapmeet.layout import Layout
from swapmeet.masking import checked_by_head, require_method
from swapmeet.release import Streamed
from swapmeet.releasing import released_by
from swapmeet.schema import Schema, require_schema
from swapmeet.seeds import Seed
from swapmeet.streaming.guessing import guess_schema
from swapmeet.streaming.limits import Needs, bytes_of
from swapmeet.streaming.source import ParquetSource, require_parquet
from swapmeet.streaming.spill import Spill, private_folder
from swapmeet.streaming.surveying import survey
from swapmeet.streaming.writing import Writing
from swapmeet.survey.guessing import HEAD, INFERRED

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.methods import Method
    from swapmeet.survey.survey import Survey

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
    needs.require_memory(block_rows, limit, audited=audit is not None)
    needs.require_disk(file.path, path)
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

        layout = Layout.of(found.strata.sizes, self.block_rows, self.seed)
        writing = Writing(found, self.file, self.seed, keep_order=self.keep_order,
                          audited=self.audited)  # fmt: skip
        parts = Spill(folder / "parts", writing.parts(self.block_rows), self.workers.threads)
        blocks = self._dealt(folder / "blocks", found, layout, writing.row)
        with threadpool_limits(1 if layout.count > 1 else None, "blas"):
            for number in range(layout.count):
                table = blocks.heap(number)
                if len(table):
                    self._block(number, table, layout, found, tally, writing, parts)
                self.workers.progress("blocks", number + 1, layout.count)
        blocks.discard()
        return writing.write(aside, parts, tally, self.workers)

    def _dealt(self, folder: Path, found: Survey, layout: Layout, row: str) -> Spill:
        """All rows with their numbers, each in its block."""
        import pyarrow as pa

        blocks = Spill(folder, layout.count, self.workers.threads)
        for begin, table in self.file.pieces(found.schema.published, self.piece_rows):
            rows = np.arange(begin, begin + len(table))
            numbered = found.packed(table).append_column(row, pa.array(rows))
            blocks.add(numbered, layout.blocks(rows, found.stratum(table)))
            self.workers.progress("dealing", begin + len(table), found.rows)
        return blocks

    def _block(
        self, number: int, table: Any, layout: Layout, found: Survey, tally: Tally,
        writing: Writing, parts: Spill,
    ) -> None:  # fmt: skip
        data = found.microdata(table)
        quiet = Workers(self.workers.threads, silent)
        outcome = outcome_among(self.method, data, self.seed, number, layout.count, quiet)
        released = released_by(outcome, Table(table), data, writing.columns, found.grains)
        rows = table[writing.row].to_numpy()
        tally.add(number, rows, data, outcome, released)
        writing.use(released.native)
        parts.add(released.native, writing.part(number, rows))


def _checked(file: ParquetSource, method: Method, schema: Schema | None) -> Schema:
    """The schema, inferred if there is none, when it fits the file and the method."""
    head = Table(file.head)
    if schema is None:
        schema = guess_schema(file)
        schema.warn_of_concerns(stacklevel=4)
    ordered = checked_by_head(require_schema(schema, "mask_file"), head, method)
    if file.rows == 1:
        raise TableError("the table has only 1 row; there is no other to trade values with.")
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
