"""The scan of a Spark frame, of its ties and recoded columns: each partition tells what it saw."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from swapmeet.engines.spark.failures import guard, translate_errors
from swapmeet.engines.spark.names import ROW, quote, select_plainly
from swapmeet.engines.ties import (
    FittedTies,
    bind_ties,
    check_piece,
    find_facts,
    list_tied,
    require_obeyed,
    ties_with_facts,
)
from swapmeet.tables.derived_columns import TableFacts
from swapmeet.tables.frame import Table
from swapmeet.tables.recoding.plan import RecodePlan, add_counts
from swapmeet.tables.recoding.recoded import Recoded
from swapmeet.tables.scan import (
    Coding,
    ColumnScan,
    CombinationCounts,
    Scan,
    Strata,
    columns_to_scan,
    require_few_levels,
)
from swapmeet.tables.schema import Role, Schema
from swapmeet.tables.schema_guess import FewValues
from swapmeet.tables.statistics import Levels, PartialStatistics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from swapmeet.base.arrays import Ints, ShortInts
    from swapmeet.tables.recoding.recode import Recode


AT_ONCE = 250_000
"""This many rows of a partition are looked at together."""
LEVELS = 100 * 10**6
"""Bytes that the levels of a column may take."""


def scan(frame: Any, schema: Schema, types: Any) -> Scan | None:
    """That of a numbered frame with these Arrow types, in one pass; None of one without rows."""
    columns = columns_to_scan(schema, types)
    names = [column.name for column in columns]
    if any(column.coding is not None for column in columns):
        names.append(ROW)

    def seen(batches: Iterable[Any]) -> Iterator[Any]:
        looked = columns_to_scan(schema, types)
        piece = Piece.of(read_tables(batches, names), looked, schema)
        yield from as_row(piece if piece.rows else None)

    rows = select_plainly(frame, names).mapInArrow(guard(seen), "piece binary").collect()
    pieces = [pickle.loads(row.piece) for row in rows]
    return Piece.merged(pieces, schema) if pieces else None


def with_many_values(frame: Any, names: Sequence[str]) -> set[str]:
    """Choose the integer columns that have more than a few distinct values."""

    def seen(batches: Iterable[Any]) -> Iterator[Any]:
        few = FewValues(names)
        for table in read_tables(batches, names):
            few.add(table)
        yield from as_row(few.values)

    if not names:
        return set()
    rows = select_plainly(frame, names).mapInArrow(guard(seen), "piece binary").collect()
    whole = FewValues(names)
    for row in rows:
        whole.merge(pickle.loads(row.piece))
    return whole.many


@dataclass(frozen=True, repr=False, eq=False)
class Seen:
    """Facts that a partition saw of a column."""

    gathered: PartialStatistics | None
    coding: Coding | None
    first: Ints
    grain: int

    def __repr__(self) -> str:
        return "<Seen>"

    @property
    def levels(self) -> Any:
        """The levels that were met, if any."""
        return None if self.coding is None else self.coding.levels


@dataclass(frozen=True, repr=False, eq=False)
class Piece:
    """Facts that a partition saw; levels and strata have numbers of its own."""

    rows: int
    columns: Mapping[str, Seen]
    strata: Counter[tuple[int, ...]]

    def __repr__(self) -> str:
        return f"<Piece of {self.rows} rows>"

    @classmethod
    def of(cls, tables: Iterable[Any], columns: Sequence[ColumnScan], schema: Schema) -> Piece:
        """That of the rows of some tables, one of whose columns has the numbers."""
        combinations = CombinationCounts(len(schema.having(Role.STRATA)))
        done = 0
        for table in tables:
            rows = table[ROW].to_numpy() if ROW in table.column_names else None
            for column in columns:
                column.look(table, rows)
            combinations.add([c.codes for c in columns if c.is_stratum], len(table))
            require_few_levels(columns, LEVELS)
            done += len(table)
        seen = {c.name: Seen(c.gathered, c.coding, c.first, c.grain) for c in columns}
        return cls(done, seen, combinations.counts)

    @staticmethod
    def merged(pieces: Sequence[Piece], schema: Schema) -> Scan:
        """The scan of all rows: it does not matter how they were cut, nor who is first."""
        names = list(pieces[0].columns)
        coded = [name for name in names if pieces[0].columns[name].coding is not None]
        codings = {name: _coding([piece.columns[name] for piece in pieces]) for name in coded}
        recoded = [piece.in_codes(codings, schema) for piece in pieces]
        combinations = CombinationCounts(len(schema.having(Role.STRATA)))
        for piece in recoded:
            combinations.counts.update(piece.strata)
        return Scan(
            schema=schema,
            rows=sum(piece.rows for piece in pieces),
            statistics={name: PartialStatistics.merge(parts).statistics() for name in names
                   if (parts := _gathered(recoded, name))},
            codings=codings,
            strata=Strata.of(combinations),
            grains={name: grain for name in names if (grain := _grain(pieces, name))},
            used={},
        )  # fmt: skip

    def in_codes(self, codings: Mapping[str, Coding], schema: Schema) -> Piece:
        """The same with the codes of the whole table."""
        places = {name: _places(self.columns[name], coding) for name, coding in codings.items()}
        columns = {
            name: _recoded(seen, places[name]) if name in places else seen
            for name, seen in self.columns.items()
        }
        new = [places[name] for name in schema.having(Role.STRATA)]
        counts = {
            tuple(int(codes[old]) for codes, old in zip(new, key, strict=True)): count
            for key, count in self.strata.items()
        }
        return Piece(self.rows, columns, Counter(counts))


def _coding(seen: Sequence[Seen]) -> Coding:
    """The levels of a column in the order of their first rows."""
    levels = [one.levels for one in seen if one.levels is not None]
    coding = Coding()
    if levels:
        order = np.argsort(np.concatenate([one.first for one in seen]), kind="stable")
        coding.learn(pa.concat_arrays(levels).take(pa.array(order)))
    return coding


def _places(seen: Seen, coding: Coding) -> ShortInts:
    """The code in the whole table of each level that was seen; the last is for what is missing."""
    known = np.empty(0, np.int32) if seen.levels is None else coding.codes(seen.levels)
    return np.append(known, np.int32(-1))


def _recoded(seen: Seen, places: ShortInts) -> Seen:
    gathered = seen.gathered
    if gathered is None or gathered.levels is None:
        return seen
    codes = places[gathered.levels.values]
    order = np.argsort(codes)
    levels = Levels(codes[order].astype(np.int64), gathered.levels.counts[order])
    return replace(seen, gathered=replace(gathered, levels=levels))


def _gathered(pieces: Sequence[Piece], name: str) -> list[PartialStatistics]:
    return [one for piece in pieces if (one := piece.columns[name].gathered) is not None]


def _grain(pieces: Sequence[Piece], name: str) -> int:
    return int(np.gcd.reduce([piece.columns[name].grain for piece in pieces]))


def as_row(thing: object) -> Iterator[Any]:
    """A thing, if there is one, as a batch of one row."""
    if thing is not None:
        yield pa.RecordBatch.from_pydict({"piece": pa.array([pickle.dumps(thing)], pa.binary())})


def read_tables(batches: Iterable[Any], names: Sequence[str]) -> Iterator[Any]:
    """The rows of a partition under their names, many at a time."""
    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= AT_ONCE:
            yield pa.Table.from_batches(held).rename_columns(names)
            held = []
    if sum(map(len, held)):
        yield pa.Table.from_batches(held).rename_columns(names)


def fit_ties_on_cluster(frame: Any, schema: Schema) -> FittedTies:
    """Derivations and rules that the whole frame obeys; what it breaks is refused."""
    ties = bind_ties(schema)
    if not ties.derived and not ties.rules:
        return ties
    names = list_tied(schema)
    facts: TableFacts | None = None
    for part in ask_pieces(frame, names, lambda piece: find_facts(ties, piece)):
        facts = part if facts is None else facts.merge(part)
    known = ties_with_facts(ties, facts or TableFacts())
    return require_obeyed(known, ask_pieces(frame, names, lambda piece: check_piece(known, piece)))


def ask_pieces(frame: Any, names: tuple[str, ...], look: Callable[[Table], Any]) -> list[Any]:
    """Return what `look` finds in each piece of the frame."""

    def see(batches: Iterable[Any]) -> Iterator[Any]:
        for table in read_tables(batches, names):
            yield from as_row(look(Table(table)))

    rows = select_plainly(frame, list(names)).mapInArrow(guard(see), "piece binary").collect()
    return [pickle.loads(row.piece) for row in rows]


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
            column = pa.array([pickle.dumps(look(Table(table)))], pa.binary())
            yield pa.RecordBatch.from_pydict({"piece": column})

    with translate_errors():
        rows = select_plainly(frame, names).mapInArrow(guard(seen), "piece binary").collect()
    return [pickle.loads(row.piece) for row in rows]


def _head(frame: Any, names: Sequence[str]) -> Table:
    with translate_errors():
        return Table(select_plainly(frame, names).limit(1).toArrow().rename_columns(list(names)))
