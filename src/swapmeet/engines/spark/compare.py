"""A comparison of two Spark frames: workers look at rows, the driver adds up what they found."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pyarrow as pa

from swapmeet.base.arrays import Floats, Rows
from swapmeet.base.parallel import Workers
from swapmeet.comparison.comparison import Comparison, EquivalenceClasses
from swapmeet.comparison.values import alone, buckets_of, present_in, same_values, shares_below
from swapmeet.engines.remote import RemoteComparison
from swapmeet.engines.spark.failures import guard, translate_errors
from swapmeet.engines.spark.names import ROW
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind

TASK_ROWS = 250_000
"""This many rows are looked at in one task."""
CLASS_ROWS = 500_000
IN_ORDER = 100_000
"""Of more rows, about this many values stand for a column in order."""
MERGED = 32
"""Number of tasks beyond which the cluster adds up their findings first."""
BUCKET, SIDE, SAME = "bucket", "side", "same"


@dataclass(frozen=True, repr=False, eq=False)
class SparkComparison(RemoteComparison):
    """Two frames side by side: `frame` has the number of each row, and codes or numbers.

    Columns a0, a1 and so on are those of the original, b0 and so on those of the release, in the
    order of `names`. A column in `ranks` is shown as the shares of rows below its values.
    """

    frame: Any = field(kw_only=True)
    names: tuple[str, ...] = field(kw_only=True)
    ranks: Mapping[str, tuple[Floats, Floats]] = field(kw_only=True, default_factory=dict)

    @property
    def resolution(self) -> int:
        return max(-(-self.size // IN_ORDER), 1)

    def gather(self, look: Callable[[Comparison], Any], names: Iterable[str] | None = None) -> Any:
        wanted = self.add_weight(names)
        maker = self._maker(wanted)

        def work(batches: Iterable[Any]) -> Iterator[Any]:
            piece = maker.piece(batches)
            yield from [] if piece is None else _as_row(look(piece))

        return self._collect(self._columns(wanted).mapInArrow(guard(work), "part binary"))

    def in_order(self, name: str) -> tuple[Floats, Floats]:
        return self.once(_Ordered(name))

    def pick_rows(self, rows: Rows) -> Comparison:
        from pyspark.sql import functions as F  # noqa: N812

        wanted = np.unique(rows)
        few = self.frame.sparkSession.createDataFrame(pa.table({ROW: wanted}))
        with translate_errors():
            columns = self._columns(self.original.names).join(F.broadcast(few), ROW, "left_semi")
            table = columns.toArrow()
        piece = self._maker(self.original.names).piece(table.to_batches())
        assert piece is not None
        places = np.searchsorted(wanted, rows)
        return replace(
            piece, original=_rows(piece.original, places), released=_rows(piece.released, places),
            workers=self.workers,
        )  # fmt: skip

    def to_ranks(self, names: Iterable[str]) -> Comparison:
        names = tuple(names)
        ordered = {}
        for name in (name for name in names if name in self.numeric):
            before, after = self.in_order(name)
            ordered[name] = present_in(before), present_in(after)
        one, other = (alone(data.select(names)) for data in (self.original, self.released))
        return replace(self, original=one, released=other, ranks=ordered)

    def gather_classes(
        self,
        look: Callable[[EquivalenceClasses], Any],
        names: Iterable[str],
        also: Iterable[str] = (),
    ) -> Any:
        known, others = tuple(names), tuple(also)
        buckets = max(-(-2 * self.size // CLASS_ROWS), 1)
        maker, dealing = self._maker((*known, *others)), _Dealing(known, others, buckets)

        def deal(batches: Iterable[Any]) -> Iterator[Any]:
            piece = maker.piece(batches)
            yield from [] if piece is None else dealing.dealt(piece)

        empty = maker.empty

        def work(batches: Iterable[Any]) -> Iterator[Any]:
            crowd = dealing.crowd(list(batches), empty)
            yield from [] if crowd is None else _as_row(look(crowd))

        dealt = self._columns((*known, *others)).mapInArrow(guard(deal), dealing.schema(empty))
        met = dealt.repartitionById(buckets, BUCKET)
        return self._collect(met.mapInArrow(guard(work), "part binary"))

    def _maker(self, names: tuple[str, ...]) -> _Maker:
        one, other = (data.select(names) for data in (self.original, self.released))
        ranks = {name: both for name, both in self.ranks.items() if name in names}
        empty = Comparison(
            one, other, self.masked, self.known, self.ownership, self.at_most, Workers(1)
        )
        return _Maker(empty, ranks)

    def _columns(self, names: Iterable[str]) -> Any:
        places = [self.names.index(name) for name in names]
        return self.frame.select(
            ROW, *(f"a{place}" for place in places), *(f"b{place}" for place in places)
        )

    def _collect(self, frame: Any) -> Any:
        """Merge what all tasks found; that of many is added up by some of them first."""
        if -(-self.size // TASK_ROWS) > MERGED:
            frame = frame.repartition(MERGED).mapInArrow(guard(_merge), "part binary")
        with translate_errors():
            parts = [pickle.loads(row[0]) for row in frame.collect()]
        return reduce(add, parts)


@dataclass(frozen=True, repr=False, eq=False)
class _Maker:
    """Makes a piece of what a task is given."""

    empty: Comparison
    ranks: Mapping[str, tuple[Floats, Floats]]

    def piece(self, batches: Iterable[Any]) -> Comparison | None:
        """The rows of a task, in order; None if there are none."""
        held = [batch for batch in batches if batch.num_rows]
        if not held:
            return None
        table = pa.Table.from_batches(held)
        rows = table.column(0).to_numpy()
        order = np.argsort(rows)
        count = len(self.empty.original.variables)
        one, other = (
            self._filled(data, table, order, 1 + side * count, side)
            for side, data in enumerate((self.empty.original, self.empty.released))
        )
        return replace(
            self.empty, original=one, released=other, first=int(rows.min()),
        )  # fmt: skip

    def _filled(self, data: Microdata, table: Any, order: Rows, begin: int, side: int) -> Microdata:
        variables = []
        for place, variable in enumerate(data.variables, begin):
            values = _numbers(table.column(place), variable.kind)[order]
            if variable.name in self.ranks:
                values = shares_below(values, self.ranks[variable.name][side])
            variables.append(replace(variable, values=values))
        return Microdata(tuple(variables), np.zeros(len(order), np.int32))


@dataclass(frozen=True)
class _Dealing:
    """Rows of both tables, dealt by the values of the columns `known`."""

    known: tuple[str, ...]
    also: tuple[str, ...]
    buckets: int

    def schema(self, empty: Comparison) -> str:
        """The columns of a dealt row, for Spark."""
        kinds = [
            "int" if empty.original[name].kind is Kind.NOMINAL else "double"
            for name in (*self.known, *self.also)
        ]
        cells = [f"v{place} {kind}" for place, kind in enumerate(kinds)]
        return ", ".join([f"{BUCKET} int", f"{SIDE} int", f"{SAME} boolean", *cells])

    def dealt(self, piece: Comparison) -> Iterator[Any]:
        """The rows of both tables, one below the other."""
        same = same_values(piece.original, piece.released, self.known)
        for side, data in enumerate((piece.original, piece.released)):
            buckets = buckets_of([data[name].values for name in self.known], data.n, self.buckets)
            arrays = [buckets.astype(np.int32), np.full(data.n, side, np.int32), same]
            arrays += [data[name].values for name in (*self.known, *self.also)]
            names = [BUCKET, SIDE, SAME, *(f"v{j}" for j in range(len(arrays) - 3))]
            yield pa.RecordBatch.from_arrays(list(map(pa.array, arrays)), names)

    def crowd(self, batches: list[Any], empty: Comparison) -> EquivalenceClasses | None:
        """Return those of one bucket."""
        held = [batch for batch in batches if batch.num_rows]
        if not held:
            return None
        table = pa.Table.from_batches(held)
        released = table.column(1).to_numpy() == 1
        one, other = (
            _of_bucket(data, table, here)
            for data, here in ((empty.original, ~released), (empty.released, released))
        )
        pair = Comparison(one, other, empty.masked, empty.known)
        same = table.column(2).to_numpy()[~released] if empty.owners_known else None
        return EquivalenceClasses(*pair.combinations(self.known), same, other, pair.weights)


@dataclass(frozen=True)
class _Ordered:
    """A column of both tables in order, or some values of it."""

    name: str

    def __call__(self, comparison: Comparison) -> tuple[Floats, Floats]:
        look = _Thin(self.name, comparison.resolution)
        sample = comparison.gather(look, (self.name,))
        return np.sort(sample.before), np.sort(sample.after)


@dataclass(frozen=True, repr=False, eq=False)
class _Values:
    before: Floats
    after: Floats

    def __add__(self, other: _Values) -> _Values:
        return _Values(np.append(self.before, other.before), np.append(self.after, other.after))


@dataclass(frozen=True)
class _Thin:
    """Every n-th value of a piece in order."""

    name: str
    step: int

    def __call__(self, piece: Comparison) -> _Values:
        return _Values(*(
            np.sort(data[self.name].values)[(self.step - 1) // 2 :: self.step]
            for data in (piece.original, piece.released)
        ))  # fmt: skip


def _merge(batches: Iterable[Any]) -> Iterator[Any]:
    whole = None
    for batch in batches:
        for part in batch.column(0):
            one = pickle.loads(part.as_py())
            whole = one if whole is None else whole + one
    yield from [] if whole is None else _as_row(whole)


def _as_row(part: object) -> Iterator[Any]:
    yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(part)], pa.binary())], ["part"])


def _numbers(column: Any, kind: Kind) -> Any:
    """Codes, or numbers, as they lie in the frame."""
    values = column.combine_chunks()
    if kind is Kind.NOMINAL:
        return values.to_numpy(zero_copy_only=False).astype(np.int32)
    return np.asarray(values.to_numpy(zero_copy_only=False), np.float64)


def _of_bucket(data: Microdata, table: Any, here: Any) -> Microdata:
    variables = tuple(
        replace(variable, values=_numbers(table.column(place), variable.kind)[here])
        for place, variable in enumerate(data.variables, 3)
    )
    return Microdata(variables, np.zeros(int(here.sum()), np.int32))


def _rows(data: Microdata, places: Rows) -> Microdata:
    variables = tuple(replace(v, values=v.values[places]) for v in data.variables)
    return Microdata(variables, np.zeros(len(places), np.int32))
