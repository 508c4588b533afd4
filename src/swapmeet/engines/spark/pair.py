"""Two Spark frames side by side, as numbers and codes, in the order of the original's rows."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from swapmeet.base.parallel import Workers
from swapmeet.comparison.comparison import Comparison, Ownership, ownership_of
from swapmeet.engines.spark.compare import TASK_ROWS, SparkComparison
from swapmeet.engines.spark.failures import guard, translate_errors
from swapmeet.engines.spark.names import ROW, TALLY, number_rows, plain, quote, select_plainly
from swapmeet.engines.spark.provenance import DonorColumns, SparkProvenance
from swapmeet.engines.spark.release import SparkRelease
from swapmeet.errors import TableError, UsageError
from swapmeet.measures.matching import (
    ROWS,
    UNKNOWN,
    find_ownership,
    not_identifying,
    require_as_many,
    require_in_both,
)
from swapmeet.release.provenance import Provenance
from swapmeet.tables.arrow import CellType, family_of, numbers_of
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.missing_codes import blank_values, flag_codes
from swapmeet.tables.scan import Coding
from swapmeet.tables.schema import Column, Kind
from swapmeet.tables.statistics import PartialStatistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from swapmeet.engines.protocol import Request

MOST_LEVELS = 1_000_000
"""A nominal column with more levels is refused: the driver and all workers hold them."""
RECODED = (
    "assess: this release of a Spark frame was recoded, and loss is measured against the frame as "
    "it was, which the release does not know. Write both to Parquet files, and assess the files."
)
_ID, _TASK = "__swapmeet_id", "__swapmeet_task"


@dataclass(frozen=True, repr=False, eq=False)
class Sides:
    """Two frames whose rows have the same numbers; `owned`: those of a pair are one person's.

    `provenance` is where released cells come from, if that is known.
    """

    original: Any
    released: Any
    rows: int
    owned: bool | None
    provenance: Provenance | None = None

    def __repr__(self) -> str:
        return f"<Sides of {self.rows} rows>"


@contextmanager
def pair_frames(original: Any, release: Any, request: Request) -> Iterator[SparkComparison]:
    """A comparison of a Spark frame with its release, or with another frame."""
    if request.audit is not None:
        raise UsageError(
            "assess: with Spark frames give the release that `mask` made itself, which knows the "
            "owners of its rows, or `match` them by a column."
        )
    with _find_sides(original, release, request.match) as sides:
        if sides.owned is None:
            ownership = find_ownership(None, request.match, request.known, request.masked)
        else:
            ownership = ownership_of(sides.owned, request.known, request.masked)
        with join_sides(sides, request, ownership) as comparison:
            yield comparison


def _find_sides(original: Any, release: Any, match: str) -> AbstractContextManager[Sides]:
    if isinstance(release, SparkRelease):
        if release.recodes:
            raise UsageError(RECODED)
        return pair_release(release)
    if match == ROWS:
        raise UsageError(
            "match: rows of Spark frames have no order. Name a column that identifies them."
        )
    return nullcontext(match_frames(original, release, None if match == UNKNOWN else match))


@contextmanager
def pair_release(release: SparkRelease) -> Iterator[Sides]:
    """The rows that were masked, and what became of them, which is kept on disk meanwhile."""
    from pyspark import StorageLevel
    from pyspark.sql import functions as F  # noqa: N812

    names = release.schema.published
    masked = release.job.mask(release.frame, audited=True).persist(StorageLevel.DISK_ONLY)
    try:
        with translate_errors():
            tallies = masked.select(TALLY).dropna().collect()
        tally = release.merge_tallies(bytes(row[0]) for row in tallies)
        owned, columns = tally.is_owned(release.job.method), DonorColumns(masked, release)
        owner = columns.find_owner() if owned else ROW
        released = masked.select(F.col(owner), *plain(len(names))).toDF(ROW, *names)
        origin = SparkProvenance.of_release(columns, owner, owned=owned)
        yield Sides(release.frame, released, release.rows, owned, origin)
    finally:
        masked.unpersist()


def match_frames(original: Any, released: Any, match: str | None) -> Sides:
    """Two frames; `match` names a column that identifies rows in both."""
    with translate_errors():
        one = number_rows(original, None)
        rows = released.count()
        require_as_many(one.rows, rows)
        if match is None:
            return Sides(one.frame, number_rows(released, None).frame, rows, None)
        matched = _match(one.frame, released, match, rows)
        return Sides(one.frame, matched, rows, None, Provenance.claim())


def _match(original: Any, released: Any, name: str, rows: int) -> Any:
    from pyspark.sql import functions as F  # noqa: N812

    require_in_both(name, original.columns, released.columns)
    keys = original.select(F.col(quote(name)).alias(_ID), ROW)
    matches = released.withColumn(_ID, F.col(quote(name))).join(keys, _ID)
    if (matches.count(), matches.select(ROW).distinct().count()) != (rows, rows):
        raise not_identifying(name)
    return matches.drop(_ID)


@contextmanager
def join_sides(sides: Sides, request: Request, ownership: Ownership) -> Iterator[SparkComparison]:
    """A comparison of the columns asked for, whose rows are kept on disk meanwhile."""
    from pyspark import StorageLevel
    from pyspark.sql import functions as F  # noqa: N812

    columns = request.columns
    with translate_errors():
        codings = {c.name: _coding(sides, c.name) for c in columns if c.kind is Kind.NOMINAL}
        one = _convert(sides.original, columns, codings, "a")
        other = _convert(sides.released, columns, codings, "b")
        tasks = max(-(-sides.rows // TASK_ROWS), 1)
        task = F.floor(F.col(ROW) / TASK_ROWS).cast("int")
        frame = one.join(other, ROW).withColumn(_TASK, task).repartitionById(tasks, _TASK)
        frame = frame.drop(_TASK).persist(StorageLevel.DISK_ONLY)
    try:
        comparison = _with_statistics(frame, sides.rows, codings, request, ownership)
        yield replace(comparison, provenance=sides.provenance)
    finally:
        frame.unpersist()


def _with_statistics(
    frame: Any, rows: int, codings: Mapping[str, Coding], request: Request, ownership: Ownership
) -> SparkComparison:
    columns = request.columns
    empty = _head(columns, codings, None)
    blank = SparkComparison(
        empty, empty, request.masked, request.known, ownership, request.at_most,
        Workers(request.workers.threads), frame=frame, size=rows,
        names=tuple(column.name for column in columns), keys=request.keys, level=request.level,
    )  # fmt: skip
    seen = blank.gather(_see)
    one, other = (_head(columns, codings, side) for side in (seen.before, seen.after))
    return replace(blank, original=one, released=other)


@dataclass(frozen=True, repr=False, eq=False)
class _Seen:
    before: dict[str, PartialStatistics]
    after: dict[str, PartialStatistics]

    def __add__(self, other: _Seen) -> _Seen:
        return _Seen(
            {name: values + other.before[name] for name, values in self.before.items()},
            {name: values + other.after[name] for name, values in self.after.items()},
        )


def _see(piece: Comparison) -> _Seen:
    return _Seen(*(
        {v.name: PartialStatistics.of(v.values, v.kind) for v in data.variables}
        for data in (piece.original, piece.released)
    ))  # fmt: skip


def _head(
    columns: Sequence[Column],
    codings: Mapping[str, Coding],
    seen: dict[str, PartialStatistics] | None,
) -> Microdata:
    """Columns without rows."""
    variables = tuple(
        Variable(
            c.name, c.kind, np.empty(0, np.int32 if c.name in codings else np.float64),
            len(codings[c.name]) if c.name in codings else 0, c.role,
            whole=None if seen is None else seen[c.name].statistics(),
        )
        for c in columns
    )  # fmt: skip
    return Microdata(variables, np.zeros(0, np.int32))


def _coding(sides: Sides, name: str) -> Coding:
    """The levels of both frames, those of the original first, by the rows they first occur in."""
    from pyspark.sql import functions as F  # noqa: N812

    coding, kinds = Coding(), []
    for frame in (sides.original, sides.released):
        cells = F.col(quote(name))
        places = frame.select(cells.alias("level"), ROW).dropna().groupBy("level").agg(F.min(ROW))
        table = places.limit(MOST_LEVELS + 1).toArrow()
        if len(table) > MOST_LEVELS:
            raise TableError(
                f"column {name!r} has more than {MOST_LEVELS} levels. Give it the role drop."
            )
        ordered = table.take(pa.array(np.argsort(table.column(1).to_numpy())))
        kinds.append(ordered.column(0).combine_chunks())
    if kinds[0].type != kinds[1].type:
        kinds = [levels.cast(pa.large_string()) for levels in kinds]
    for levels in kinds:
        coding.learn(levels)
    return coding


def _convert(
    frame: Any, columns: Sequence[Column], codings: Mapping[str, Coding], letter: str
) -> Any:
    """The numbers of the rows, and each column as codes or doubles."""
    names = [column.name for column in columns]
    kinds = [
        f"{letter}{j} {'int' if name in codings else 'double'}" for j, name in enumerate(names)
    ]

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            cells = [
                _cells(batch.column(j), codings.get(column.name), column)
                for j, column in enumerate(columns)
            ]
            arrays = [batch.column(len(names)), *map(pa.array, cells)]
            yield pa.RecordBatch.from_arrays(
                arrays, [ROW, *(f"{letter}{j}" for j in range(len(names)))]
            )

    shown = select_plainly(frame, [*names, ROW])
    return shown.mapInArrow(guard(work), ", ".join([f"{ROW} long", *kinds]))


def _cells(cells: Any, coding: Coding | None, column: Column) -> Any:
    values = _read_cells(cells, coding)
    return blank_values(values, flag_codes(cells, column.missing)) if column.missing else values


def _read_cells(cells: Any, coding: Coding | None) -> Any:
    if coding is None:
        return numbers_of(cells)
    if coding.levels is not None and cells.type != coding.levels.type:
        cells = cells.cast(coding.levels.type)
    if coding.levels is None or family_of(cells, ordered=False) is CellType.EMPTY:
        return np.full(len(cells), -1, np.int32)
    return coding.codes(cells)
