"""What is done to the rows of a Spark frame, wherever they are."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from swapmeet.core.base.parallel import Workers, silent
from swapmeet.core.release.apply import apply_outcome
from swapmeet.core.release.donors import to_table_rows
from swapmeet.core.tables.arrow import require_addressable
from swapmeet.core.tables.frame import Table, reorder
from swapmeet.core.tables.schema import Role
from swapmeet.engines.blocks import outcome_among
from swapmeet.engines.cell_layout import CellLayout
from swapmeet.engines.spark.failures import guarded
from swapmeet.engines.spark.names import BLOCK, REACH, ROW, plain, plainly_named, quoted
from swapmeet.engines.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from swapmeet.algorithms.blocks import RandomBlocks
    from swapmeet.core.base.seeds import Seed
    from swapmeet.core.release.outcome import Outcome
    from swapmeet.core.tables.scan.scan import Scan
    from swapmeet.core.tables.schema import Schema
    from swapmeet.methods import Method

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

TASKS, TASK_ROWS = 64, 100_000
"""Blocks are masked in at most so many tasks, or in tasks of this many rows if these are more."""
BATCH = 50_000
"""So many rows are handed back at once."""


@dataclass(frozen=True, repr=False, eq=False)
class Job:
    """All that a block needs to be masked; it holds the seed."""

    method: Method
    seed: Seed
    schema: Schema
    scan: Scan
    layout: RandomBlocks | CellLayout

    def __repr__(self) -> str:
        return f"<Job: {self.layout.count} blocks>"

    @property
    def tasks(self) -> int:
        """In how many tasks blocks are masked: each has whole blocks, one unless they are small."""
        return min(self.layout.count, max(TASKS, self.scan.rows // TASK_ROWS))

    def masked(self, frame: Any, *, audited: bool) -> Any:
        """The rows of a numbered frame after masking, under plain names, and `added` columns."""
        from pyspark.sql.types import StructField, StructType

        types = {f.name: f.dataType for f in frame.schema.fields}
        names = self.schema.published
        fields = [
            StructField(alias, types[name], nullable=True)
            for alias, name in zip(plain(len(names)), names, strict=True)
        ]
        schema = StructType([*fields, *self._added(audited=audited)])

        def work(batches: Iterable[Any]) -> Iterator[Any]:
            return self._worked(batches, audited=audited)

        return self.dealt(frame).mapInArrow(guarded(work), schema)

    def dealt(self, frame: Any) -> Any:
        """The rows of a numbered frame, each with the number of its block and in its task."""
        if isinstance(self.layout, CellLayout):
            return self._with_guests(frame)
        return self._at_random(frame, self.layout)

    def _with_guests(self, frame: Any) -> Any:
        """The rows of each cell and its guests, with what they reach."""
        from pyspark.sql.types import DoubleType, IntegerType, StructType

        columns = plainly_named(frame, [*self.schema.published, ROW])
        schema = StructType([*columns.schema.fields])
        schema = schema.add(BLOCK, IntegerType()).add(REACH, DoubleType())
        visits = columns.mapInArrow(guarded(self._visits), schema)
        return visits.repartitionById(self.tasks, BLOCK)

    def _visits(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Rows, each as often as there are cells that it comes to."""
        for batch in batches:
            table = pa.Table.from_batches([batch]).rename_columns([*self.schema.published, ROW])
            rows, strata = table[ROW].to_numpy(), self.scan.stratum(table)
            dealt = self.layout.deal(rows, self.scan.microdata(table), strata)
            visits = batch.take(pa.array(dealt.places))
            visits = visits.append_column(BLOCK, pa.array(dealt.blocks.astype(np.int32)))
            yield visits.append_column(REACH, pa.array(dealt.reach))

    def _at_random(self, frame: Any, layout: RandomBlocks) -> Any:
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql.pandas.functions import arrow_udf

        def blocks(rows: pa.Array, *strata: pa.Array) -> pa.Array:
            table = pa.table([rows, *strata], names=[ROW, *self.schema.having(Role.STRATA)])
            found = layout.blocks(rows.to_numpy(), self.scan.stratum(table))
            return pa.array(found.astype(np.int32))

        strata = [F.col(quoted(name)) for name in self.schema.having(Role.STRATA)]
        block, numbered = F.lit(0), cast("Any", arrow_udf)
        if layout.count > 1:
            block = numbered(blocks, "int")(F.col(ROW), *strata)
        columns = plainly_named(frame.withColumn(BLOCK, block), self._columns)
        return columns.repartitionById(self.tasks, columns.columns[-1])

    @property
    def _columns(self) -> list[str]:
        """What a block is made of."""
        found = [*self.schema.published, ROW, BLOCK]
        return [*found, REACH] if isinstance(self.layout, CellLayout) else found

    def _worked(self, batches: Iterable[Any], *, audited: bool) -> Iterator[Any]:
        """The rows of a task, block by block."""
        held = list(batches)
        if not held:
            return
        table = pa.Table.from_batches(held).rename_columns(self._columns)
        del held
        require_addressable(table)
        table = reorder(table.combine_chunks(), _by_block(table))
        numbers, begins = np.unique(table[BLOCK].to_numpy(), return_index=True)
        ends = [*begins[1:].tolist(), len(table)]
        for number, begin, end in zip(numbers.tolist(), begins.tolist(), ends, strict=True):
            block = table.slice(begin, end - begin).drop_columns([BLOCK])
            reach = _reach(block)
            if reach is None or len(reach):
                yield from self._block(number, block, reach, audited=audited).to_batches(BATCH)

    def _block(self, number: int, table: Any, reach: Floats | None, *, audited: bool) -> Any:
        """A block, masked, with what is added to it."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        rows, cells = table[ROW].to_numpy(), table.select(self.schema.published)
        workers = Workers(1, silent)
        with threadpool_limits(1, "blas"):
            data = replace(self.scan.microdata(cells), reach=reach)
            outcome = outcome_among(
                self.method, data, self.seed, number, self.layout.count, workers
            )
        released = apply_outcome(
            outcome, Table(cells), data, self.schema.published, self.scan.grains
        )
        tally = Tally(self.schema, self.scan.rows, audited=False)
        tally.add(number, rows, data, outcome, released)
        found = released.native.rename_columns(plain(len(self.schema.published)))
        added = self._of_audit(rows, outcome) if audited else []
        added += [*self._order(number, data.own), _first(pickle.dumps(tally), data.own)]
        names = [field.name for field in self._added(audited=audited)]
        for name, column in zip(names, added, strict=True):
            found = found.append_column(name, column)
        return found.replace_schema_metadata(None)

    def _added(self, *, audited: bool) -> list[Any]:
        """Columns that are added to those published."""
        from pyspark.sql.types import (
            ArrayType,
            BinaryType,
            IntegerType,
            LongType,
            StructField,
        )

        from swapmeet.engines.spark.names import PART, PLACE, STUCK, TOLD

        donors = [f"d{j}" for j in range(len(self.schema.masked))]
        audit = {ROW: LongType(), **dict.fromkeys(donors, LongType()),
                 STUCK: ArrayType(IntegerType())}  # fmt: skip
        always = {PART: IntegerType(), PLACE: LongType(), TOLD: BinaryType()}
        wanted = {**(audit if audited else {}), **always}
        return [StructField(name, kind, nullable=True) for name, kind in wanted.items()]

    def _of_audit(self, rows: Ints, outcome: Outcome) -> list[Any]:
        """The number of each row, of the donor of each masked cell, and what is stuck."""
        matrix = outcome.donors.matrix
        donors = [pa.array(to_table_rows(column, rows)) for column in matrix.T]
        stuck = {self.schema.masked.index(name): at for name, at in outcome.stuck.items()}
        own = len(matrix)
        return [pa.array(rows[:own]), *donors, _lists(stuck, own)]

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
    """What the rows of a cell reach, without guests."""
    if REACH not in block.column_names:
        return None
    reach: Floats = block[REACH].to_numpy()
    return reach[~np.isnan(reach)]


def _first(told: bytes, rows: int) -> Any:
    """A column that has something in its first row."""
    return pa.concat_arrays([pa.array([told], pa.binary()), pa.nulls(rows - 1, pa.binary())])


def _lists(stuck: dict[int, Ints], rows: int) -> Any:
    """For each row, the numbers of the columns in which it is stuck."""
    columns = np.repeat(np.array([*stuck], np.int32), [len(at) for at in stuck.values()])
    places = np.concatenate([np.empty(0, np.int64), *stuck.values()])
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=rows))
    offsets = pa.array(np.concatenate(([0], ends)).astype(np.int32))
    return pa.ListArray.from_arrays(offsets, pa.array(columns[order]))
