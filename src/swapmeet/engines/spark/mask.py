"""Work on the rows of a Spark frame, wherever they are."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from swapmeet.base.parallel import Workers, count_cores, silent
from swapmeet.engines.blocks import BlockMasker, CellLayout, Sampling, expected_guests, layout_of
from swapmeet.engines.checks import (
    check_first_rows,
    refuse_context,
    require_all_rows_at_once,
    require_something_to_mask,
)
from swapmeet.engines.spark.failures import guard, translate_errors
from swapmeet.engines.spark.names import (
    BLOCK,
    REACH,
    ROW,
    number_rows,
    plain,
    quote,
    select_plainly,
    without_comments,
)
from swapmeet.engines.spark.release import SparkRelease
from swapmeet.engines.spark.scan import fit_ties_on_cluster, scan
from swapmeet.engines.tally import Tally
from swapmeet.engines.unit_checks import refuse_units
from swapmeet.errors import OutputError
from swapmeet.release.donors import to_table_rows
from swapmeet.release.fingerprint import RowPrinter, choose_precisions
from swapmeet.tables.arrow import require_addressable
from swapmeet.tables.frame import Table, reorder
from swapmeet.tables.schema import Role, Schema
from swapmeet.tables.traces import Trace, describe_left_out
from swapmeet.tables.traces.arrow import clean_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from swapmeet.algorithms.blocks import RandomBlocks
    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.base.seeds import Seed
    from swapmeet.engines.spark.engine import Spark
    from swapmeet.engines.ties import FittedTies
    from swapmeet.methods import Method
    from swapmeet.release.outcome import Outcome
    from swapmeet.tables.microdata import Microdata
    from swapmeet.tables.scan import Scan


TASKS, TASK_ROWS = 64, 100_000
"""Blocks are masked in at most this many tasks, or in tasks of this many rows if these are more."""
BATCH = 50_000
"""This many rows are handed back at once."""


def prepare_release(
    engine: Spark, frame: Any, method: Method, schema: Schema, seed: Seed
) -> SparkRelease:
    """Number and scan the rows, and lay out the blocks; they are masked when they are asked for."""
    head = engine.head(frame)
    refuse_units(schema, "the Spark engine")
    require_all_rows_at_once(method)
    refuse_context(method, schema, "the Spark engine")
    require_something_to_mask(len(head), schema)
    check_first_rows(method, head, schema)
    with translate_errors():
        rows = number_rows(frame, engine.row_id)
        guests = expected_guests(method, rows.rows, engine.block_rows)
        require_room(frame, head.native.select(list(schema.published)), rows.rows, guests)
        scanned = scan(rows.frame, schema, head.native.schema)
    assert scanned is not None
    with translate_errors():
        ties = fit_ties_on_cluster(rows.frame, schema)
        scanned = replace(scanned, rests=ties.rests)
        layout = layout_of(
            method, scanned.strata.sizes, engine.block_rows, seed,
            lambda sampling: sample_rows(rows.frame, scanned, sampling), count_cores(),
        )  # fmt: skip
    kinds = {name: head.native.schema.field(name).type for name in schema.published}
    printer = RowPrinter(seed, choose_precisions(kinds))
    facts = (*rows.facts, *ties.list_facts(), *_name_left_out(frame, schema))
    return SparkRelease(
        BlockWork(method, printer, schema, scanned, layout, ties), rows.frame, facts
    )


def _name_left_out(frame: Any, schema: Schema) -> tuple[str, ...]:
    """Comments and other metadata of columns are not published."""
    fields = [field for field in frame.schema.fields if field.name in schema.published]
    return describe_left_out([Trace.COLUMN_METADATA] if any(f.metadata for f in fields) else [])


@dataclass(frozen=True, repr=False, eq=False)
class BlockWork:
    """All that a block needs to be masked; it holds the seed."""

    method: Method
    printer: RowPrinter
    schema: Schema
    scan: Scan
    layout: RandomBlocks | CellLayout
    ties: FittedTies

    def __repr__(self) -> str:
        return f"<Job: {self.layout.count} blocks>"

    @property
    def seed(self) -> Seed:
        """The root of all randomness."""
        return self.printer.seed

    @property
    def tasks(self) -> int:
        """In how many tasks blocks are masked: each has whole blocks, one unless they are small."""
        return min(self.layout.count, max(TASKS, self.scan.rows // TASK_ROWS))

    def mask(self, frame: Any, *, audited: bool) -> Any:
        """The rows of a numbered frame after masking, under plain names, and `added` columns."""
        from pyspark.sql.types import StructField, StructType

        types = {f.name: f.dataType for f in frame.schema.fields}
        names = self.schema.published
        fields = [
            StructField(alias, without_comments(types[name]), nullable=True)
            for alias, name in zip(plain(len(names)), names, strict=True)
        ]
        schema = StructType([*fields, *self._added_fields(audited=audited)])

        def work(batches: Iterable[Any]) -> Iterator[Any]:
            return self._mask_task(batches, audited=audited)

        dealt = deal(frame, self.scan, self.layout, self.tasks)
        return dealt.mapInArrow(guard(work), schema)

    def _mask_task(self, batches: Iterable[Any], *, audited: bool) -> Iterator[Any]:
        """The rows of a task, block by block."""
        held = list(batches)
        if not held:
            return
        table = pa.Table.from_batches(held).rename_columns(
            columns_of_block(self.schema, self.layout)
        )
        del held
        require_addressable(table)
        table = reorder(table.combine_chunks(), _by_block(table))
        numbers, begins = np.unique(table[BLOCK].to_numpy(), return_index=True)
        ends = [*begins[1:].tolist(), len(table)]
        for number, begin, end in zip(numbers.tolist(), begins.tolist(), ends, strict=True):
            block = table.slice(begin, end - begin).drop_columns([BLOCK])
            reach = _reach(block)
            if reach is None or len(reach):
                yield from self._mask_block(number, block, reach, audited=audited).to_batches(BATCH)

    def _mask_block(self, number: int, table: Any, reach: Floats | None, *, audited: bool) -> Any:
        """A block, masked, with what is added to it."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        rows, names = table[ROW].to_numpy(), self.schema.published
        masker = BlockMasker(self.method, self.seed, self.scan, self.layout.count, self.ties)
        with threadpool_limits(1, "blas"):
            data, tied = masker.mask(
                number, table.select(names), reach, names, Workers(1, silent), rows
            )
        tally = Tally(self.schema, self.scan.rows, audited=False)
        tally.add(number, rows, data, tied)
        columns = tied.released.native.columns
        cleaned = [clean_column(column, nan_is_null=False) for column in columns]
        block = pa.table(cleaned, names=plain(len(names)))
        added = self._of_audit(rows, tied.outcome, tied.released) if audited else []
        added += [*self._order(number, data.own), _first(pickle.dumps(tally), data.own)]
        titles = [field.name for field in self._added_fields(audited=audited)]
        for name, column in zip(titles, added, strict=True):
            block = block.append_column(name, column)
        return block

    def _added_fields(self, *, audited: bool) -> list[Any]:
        """Columns that are added to those published."""
        from pyspark.sql.types import ArrayType, BinaryType, IntegerType, LongType, StructField

        from swapmeet.engines.spark.names import PART, PLACE, PRINT, STUCK, TALLY

        donors = [f"d{j}" for j in range(len(self.schema.masked))]
        audit = {ROW: LongType(), **dict.fromkeys(donors, LongType()),
                 STUCK: ArrayType(IntegerType()), PRINT: LongType()}  # fmt: skip
        always = {PART: IntegerType(), PLACE: LongType(), TALLY: BinaryType()}
        wanted = {**(audit if audited else {}), **always}
        return [StructField(name, kind, nullable=True) for name, kind in wanted.items()]

    def _of_audit(self, rows: Ints, outcome: Outcome, released: Table) -> list[Any]:
        """The number of each row, of the donor of each masked cell, what is stuck, and the bits."""
        matrix = outcome.donors.matrix
        donors = [pa.array(to_table_rows(column, rows)) for column in matrix.T]
        stuck = {self.schema.masked.index(name): at for name, at in outcome.stuck.items()}
        own = len(matrix)
        bits = self.printer.print_rows(released).rows.view(np.int64)
        return [pa.array(rows[:own]), *donors, _lists(stuck, own), pa.array(bits)]

    def _order(self, number: int, rows: int) -> list[Any]:
        """The part of the release that each row of a block goes to, and its place in it."""
        parts = self.seed.stream("order", "parts", number).integers(self.tasks, size=rows)
        places = self.seed.stream("order", "places", number).integers(1 << 62, size=rows)
        return [pa.array(parts.astype(np.int32)), pa.array(places)]


def _by_block(table: Any) -> Ints:
    """The order of rows: by block, its own before its guests, as in the table."""
    keys = [table[ROW].to_numpy(), table[BLOCK].to_numpy()]
    if REACH in table.column_names:
        keys.insert(1, np.isnan(table[REACH].to_numpy()))
    return np.lexsort(keys)


def _reach(block: Any) -> Floats | None:
    """Return what the rows of a cell reach, without guests."""
    if REACH not in block.column_names:
        return None
    reach: Floats = block[REACH].to_numpy()
    return reach[~np.isnan(reach)]


def _first(content: bytes, rows: int) -> Any:
    """A column that has something in its first row."""
    return pa.concat_arrays([pa.array([content], pa.binary()), pa.nulls(rows - 1, pa.binary())])


def _lists(stuck: dict[int, Ints], rows: int) -> Any:
    """For each row, the numbers of the columns in which it is stuck."""
    columns = np.repeat(np.array([*stuck], np.int32), [len(at) for at in stuck.values()])
    places = np.concatenate([np.empty(0, np.int64), *stuck.values()])
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=rows))
    offsets = pa.array(np.concatenate(([0], ends)).astype(np.int32))
    return pa.ListArray.from_arrays(offsets, pa.array(columns[order]))


SHUFFLES = 2
"""Rows go to their blocks, and then to their parts of the release."""
CELL = 8
ADDED = 4
"""Cells that are added to a row on its way."""


def require_room(frame: Any, head: Any, rows: int, guests: float = 0.0) -> None:
    """Refuse a local disk that cannot hold the rows of which `head` has some, as often as needed.

    Each brings this many `guests` to its block. Of the disks of a cluster nothing is known.
    """
    folder = _local_folder(frame)
    if folder is None or not len(head):
        return
    needed = (SHUFFLES + guests) * rows * (head.nbytes / len(head) + CELL * ADDED)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise OutputError(
            f"Spark needs about {needed / 1e9:.1f} GB of free disk in {folder}, which has "
            f"{free / 1e9:.1f} GB. Free some, or name another folder: spark.local.dir."
        )


def _local_folder(frame: Any) -> Path | None:
    """Return the folder of Spark's temporary rows, if it is on this machine."""
    conf = frame.sparkSession.conf
    if not conf.get("spark.master", "").startswith("local"):
        return None
    folders = os.environ.get("SPARK_LOCAL_DIRS") or conf.get(
        "spark.local.dir", tempfile.gettempdir()
    )
    folder = Path(folders.split(",")[0])
    return folder if folder.is_dir() else None


def sample_rows(frame: Any, scan: Scan, sampling: Sampling) -> Microdata:
    """The chosen rows of a numbered frame, in order; they come to the driver, a bounded number."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.pandas.functions import arrow_udf

    def choose(rows: pa.Array) -> pa.Array:
        return pa.array(sampling.chosen(rows.to_numpy()))

    names = [*scan.needs, ROW]
    some = frame.filter(cast("Any", arrow_udf)(choose, "boolean")(F.col(ROW)))
    table = select_plainly(some, names).toArrow().rename_columns(names)
    order = np.argsort(table[ROW].to_numpy())
    return scan.microdata(reorder(table.combine_chunks(), order), as_in_the_whole=True)


def columns_of_block(schema: Schema, layout: RandomBlocks | CellLayout) -> list[str]:
    """The columns of a dealt row: those published, its number, its block and what it reaches."""
    names = [*schema.published, ROW, BLOCK]
    return [*names, REACH] if isinstance(layout, CellLayout) else names


def deal(frame: Any, scan: Scan, layout: RandomBlocks | CellLayout, tasks: int) -> Any:
    """The rows of a numbered frame, each with the number of its block and in its task."""
    if isinstance(layout, CellLayout):
        return _deal_to_cells(frame, scan, layout, tasks)
    return _deal_at_random(frame, scan, layout, tasks)


def _deal_to_cells(frame: Any, scan: Scan, layout: CellLayout, tasks: int) -> Any:
    """The rows of each cell and its guests, with what they reach."""
    from pyspark.sql.types import DoubleType, IntegerType, StructType

    names = [*scan.schema.published, ROW]
    columns = select_plainly(frame, names)
    schema = StructType([*columns.schema.fields])
    schema = schema.add(BLOCK, IntegerType()).add(REACH, DoubleType())

    def visit(batches: Iterable[Any]) -> Iterator[Any]:
        """Rows, each as often as there are cells that it comes to."""
        for batch in batches:
            table = pa.Table.from_batches([batch]).rename_columns(names)
            rows, strata = table[ROW].to_numpy(), scan.stratum(table)
            dealt = layout.deal(rows, scan.microdata(table), strata)
            visits = batch.take(pa.array(dealt.places))
            visits = visits.append_column(BLOCK, pa.array(dealt.blocks.astype(np.int32)))
            yield visits.append_column(REACH, pa.array(dealt.reach))

    return columns.mapInArrow(guard(visit), schema).repartitionById(tasks, BLOCK)


def _deal_at_random(frame: Any, scan: Scan, layout: RandomBlocks, tasks: int) -> Any:
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.pandas.functions import arrow_udf

    names = scan.schema.having(Role.STRATA)

    def find_blocks(rows: pa.Array, *strata: pa.Array) -> pa.Array:
        table = pa.table([rows, *strata], names=[ROW, *names])
        blocks = layout.blocks(rows.to_numpy(), scan.stratum(table))
        return pa.array(blocks.astype(np.int32))

    block = F.lit(0)
    if layout.count > 1:
        strata = [F.col(quote(name)) for name in names]
        block = cast("Any", arrow_udf)(find_blocks, "int")(F.col(ROW), *strata)
    columns = columns_of_block(scan.schema, layout)
    dealt = select_plainly(frame.withColumn(BLOCK, block), columns)
    return dealt.repartitionById(tasks, dealt.columns[-1])
