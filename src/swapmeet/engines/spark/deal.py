"""The rows of a Spark frame, dealt to blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from swapmeet.core.tables.frame import reorder
from swapmeet.core.tables.schema import Role
from swapmeet.engines.layout import CellLayout
from swapmeet.engines.spark.failures import guard
from swapmeet.engines.spark.names import BLOCK, REACH, ROW, quote, select_plainly

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from swapmeet.algorithms.blocks import RandomBlocks
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.core.tables.scan.scan import Scan
    from swapmeet.core.tables.schema import Schema
    from swapmeet.engines.layout import Sampling


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
