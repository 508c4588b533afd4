"""Columns that are added to a Spark frame: their names, and the number of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from swapmeet.engines.spark.failures import silence_logs
from swapmeet.errors import TableError, did_you_mean
from swapmeet.release.audit_files import PRINT, ROW, STUCK

__all__ = [
    "BLOCK",
    "PART",
    "PLACE",
    "PRINT",
    "REACH",
    "ROW",
    "STUCK",
    "TALLY",
    "plain",
    "quote",
    "select_plainly",
    "without_comments",
]

BLOCK = "__swapmeet_block"
REACH = "__swapmeet_reach"
PART = "__swapmeet_part"
PLACE = "__swapmeet_place"
TALLY = "__swapmeet_told"


def quote(name: str) -> str:
    """A column name as Spark takes it, whatever characters it has.

    >>> quote("a.b")
    '`a.b`'
    """
    return f"`{name.replace('`', '``')}`"


def plain(count: int) -> list[str]:
    """The names c0, c1 and so on: Spark's Arrow functions refuse dots."""
    return [f"c{i}" for i in range(count)]


def select_plainly(frame: Any, names: Sequence[str]) -> Any:
    """These columns under plain names."""
    from pyspark.sql import functions as F  # noqa: N812

    wanted = zip(names, plain(len(names)), strict=True)
    return frame.select(*(F.col(quote(name)).alias(alias) for name, alias in wanted))


def without_comments(kind: Any) -> Any:
    """A type of Spark without the comments and other metadata of the fields inside it."""
    from pyspark.sql.types import ArrayType, MapType, StructField, StructType

    if isinstance(kind, ArrayType):
        return ArrayType(without_comments(kind.elementType), kind.containsNull)
    if isinstance(kind, MapType):
        parts = (without_comments(kind.keyType), without_comments(kind.valueType))
        return MapType(*parts, kind.valueContainsNull)
    if not isinstance(kind, StructType):
        return kind
    return StructType(
        [StructField(f.name, without_comments(f.dataType), f.nullable) for f in kind.fields]
    )


WHOLE_NUMBERS = {"byte", "short", "integer", "long"}
BY_CONTENT = (
    "rows are numbered by their content, for the Spark frame is not the whole of some Parquet "
    "files and no column with numbers was named."
)
BUCKET_ROWS = 1 << 20
_PATH, _BEGIN = "__swapmeet_path", "__swapmeet_begin"
_HASH, _OTHER, _BUCKET = "__swapmeet_hash", "__swapmeet_other", "__swapmeet_heap"


@dataclass(frozen=True)
class NumberedFrame:
    """A frame with the numbers 0 to n - 1 of its rows, and what must be said of them."""

    frame: Any
    rows: int
    facts: tuple[str, ...] = ()


def number_rows(frame: Any, row_id: str | None) -> NumberedFrame:
    """Rows in order: by a column, by the place in Parquet files, or else by content."""
    if row_id is not None:
        return _by_column(frame, row_id)
    return _by_place(frame) or _by_content(frame)


def _by_column(frame: Any, name: str) -> NumberedFrame:
    from pyspark.sql import functions as F  # noqa: N812

    if name not in frame.columns:
        raise TableError(f"row_id: no column {name!r}{did_you_mean(name, frame.columns)}")
    if frame.schema[name].dataType.typeName() not in WHOLE_NUMBERS:
        raise TableError(f"row_id: column {name!r} must hold whole numbers, 0 to n - 1.")
    frame = frame.withColumn(ROW, F.col(quote(name)).cast("long"))
    row = F.col(ROW)
    n, least, most, distinct = frame.agg(
        F.count(F.lit(1)), F.min(row), F.max(row), F.count_distinct(row)
    ).first()
    if n and (least, most, distinct) != (0, n - 1, n):
        raise TableError(
            f"row_id: column {name!r} must hold each number from 0 to {n - 1} once, in any order; "
            f"it has {distinct} distinct ones. Number the rows anew."
        )
    return NumberedFrame(frame, n)


def _by_place(frame: Any) -> NumberedFrame | None:
    """Order rows by path of the file and by place in the file; None if this cannot be."""
    from pyspark.sql import functions as F  # noqa: N812

    places = _with_places(frame)
    if places is None:
        return None
    row = F.col(ROW)
    counted = places.groupBy(_PATH).agg(F.count(F.lit(1)), F.min(row), F.max(row), F.sum(row))
    files = sorted(map(tuple, counted.collect()))
    if not all(map(_is_whole, files)):
        return None
    begins, rows = _begins(files)
    names = [F.col(quote(name)) for name in frame.columns]
    if len(begins) < 2:
        return NumberedFrame(places.select(*names, row), rows)
    table = frame.sparkSession.createDataFrame(begins, f"{_PATH} string, {_BEGIN} long")
    joined = places.join(F.broadcast(table), _PATH)
    return NumberedFrame(joined.select(*names, (F.col(_BEGIN) + row).alias(ROW)), rows)


def _with_places(frame: Any) -> Any:
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F  # noqa: N812

    place = {_PATH: F.col("_metadata.file_path"), ROW: F.col("_metadata.row_index")}
    try:
        with silence_logs():
            places = frame.select("*", *(column.alias(name) for name, column in place.items()))
            _ = places.schema
    except AnalysisException:
        return None
    return places


def _is_whole(file: tuple[str, int, int, int, int]) -> bool:
    """Return whether the places of this many rows are 0, 1, 2 and so on."""
    _, rows, least, most, total = file
    return (least, most, 2 * (total or 0)) == (0, rows - 1, rows * (rows - 1))


def _begins(files: Sequence[tuple[str, int, int, int, int]]) -> tuple[list[tuple[str, int]], int]:
    begins, rows = [], 0
    for path, count, *_ in files:
        begins.append((path, rows))
        rows += count
    return begins, rows


def _by_content(frame: Any) -> NumberedFrame:
    """In the order of two hashes of all cells; equal rows, which are interchangeable, in any.

    Rows go to buckets by the first bits of a hash, so that no row must know of all others.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    hashes = _with_hashes(frame)
    buckets = max(-(-frame.count() // BUCKET_ROWS), 1)
    upper = F.shiftrightunsigned(F.col(_HASH), 33)
    hashes = hashes.withColumn(_BUCKET, F.shiftright(upper * F.lit(buckets), 31).cast("int"))
    counts = dict(map(tuple, hashes.groupBy(_BUCKET).count().collect()))
    begins, rows = [], 0
    for bucket in range(buckets):
        begins.append(rows)
        rows += counts.get(bucket, 0)
    begin = F.array(*map(F.lit, begins))[F.col(_BUCKET)]
    place = F.row_number().over(Window.partitionBy(_BUCKET).orderBy(_HASH, _OTHER))
    names = [F.col(quote(name)) for name in frame.columns]
    return NumberedFrame(
        hashes.select(*names, (begin + place - 1).cast("long").alias(ROW)), rows, (BY_CONTENT,)
    )


def _with_hashes(frame: Any) -> Any:
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F  # noqa: N812

    cells = [_distinguishable(field) for field in frame.schema.fields]
    missing = [F.col(quote(name)).isNull() for name in frame.columns]
    first, second = F.xxhash64(*cells, *missing), F.xxhash64(F.lit(1), *missing, *cells)
    try:
        with silence_logs():
            hashes = frame.withColumns({_HASH: first, _OTHER: second})
            _ = hashes.schema
    except AnalysisException:
        raise TableError(
            "the Spark frame has a column whose values cannot be hashed (maps), so that content "
            "cannot number its rows. Name a column that holds 0 to n - 1: "
            'mask(..., engine=Spark(row_id="row")).'
        ) from None
    return hashes


def _distinguishable(field: Any) -> Any:
    """Cells written so that different ones hash differently: -0.0 and 0.0 would not."""
    from pyspark.sql import functions as F  # noqa: N812

    column = F.col(quote(field.name))
    return column.cast("string") if field.dataType.typeName() in {"float", "double"} else column
