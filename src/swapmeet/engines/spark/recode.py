"""A Spark frame whose columns are recoded wherever its rows are."""

from __future__ import annotations

import pickle
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from swapmeet.engines.spark.failures import guard, translate_errors
from swapmeet.engines.spark.names import quote, select_plainly
from swapmeet.tables.frame import Table
from swapmeet.tables.recoding.plan import RecodePlan, add_counts
from swapmeet.tables.recoding.recoded import Recoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from swapmeet.tables.recoding.recode import Recode


def recode_frame(frame: Any, recodes: Sequence[Recode]) -> Recoded[Any]:
    """The frame after the steps; all rows are read once, and once more for each count of levels."""
    if not recodes:
        return Recoded(frame)
    RecodePlan(tuple(recodes)).require_columns(frame.columns)
    plan = RecodePlan.settle(recodes, lambda so_far, recode: _count_levels(frame, so_far, recode))
    parts = _ask(frame, plan.columns, lambda table: plan.apply(table)[1])
    tally = reduce(add, parts) if parts else plan.apply(_head(frame, plan.columns))[1]
    return Recoded(_add_steps(frame, plan), plan, plan.conclude(tally))


def _add_steps(frame: Any, plan: RecodePlan) -> Any:
    from pyspark.sql import functions as F  # noqa: N812

    for name in plan.columns:
        kind = frame.schema[name].dataType
        work = F.arrow_udf(_make_work(plan, name), kind)  # type: ignore[attr-defined]
        frame = frame.withColumn(name, work(F.col(quote(name))))
    return frame


def _make_work(plan: RecodePlan, name: str) -> Callable[[pa.Array], pa.Array]:
    """Work of a worker on the cells of a column."""

    def work(cells: pa.Array) -> pa.Array:
        table = plan.apply(Table(pa.table({name: cells})))[0]
        return table[name].combine_chunks()

    return work


def _count_levels(frame: Any, plan: RecodePlan, recode: Recode) -> Any:
    look = lambda table: plan.count_levels(table, recode)  # noqa: E731
    return add_counts(_ask(frame, (recode.column,), look))


def _ask(frame: Any, names: Sequence[str], look: Callable[[Table], Any]) -> list[Any]:
    """Return what is found in each batch of rows of some columns."""

    def seen(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            table = pa.Table.from_batches([batch]).rename_columns(list(names))
            told = pa.array([pickle.dumps(look(Table(table)))], pa.binary())
            yield pa.RecordBatch.from_pydict({"piece": told})

    with translate_errors():
        told = select_plainly(frame, names).mapInArrow(guard(seen), "piece binary").collect()
    return [pickle.loads(row.piece) for row in told]


def _head(frame: Any, names: Sequence[str]) -> Table:
    with translate_errors():
        return Table(select_plainly(frame, names).limit(1).toArrow().rename_columns(list(names)))
