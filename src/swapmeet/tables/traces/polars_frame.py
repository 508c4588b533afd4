"""A polars frame that tells its values and nothing else."""

from __future__ import annotations

from typing import Any

import polars as pl

from swapmeet.tables.traces import Trace


def remove_traces(frame: pl.DataFrame) -> tuple[pl.DataFrame, frozenset[Trace]]:
    """The same values, and what was left out."""
    columns = [_clean(column) for column in frame.get_columns()]
    lost = any(
        isinstance(after.dtype, pl.Enum) and after.dtype != before.dtype
        for before, after in zip(frame.get_columns(), columns, strict=True)
    )
    named = dict(zip(frame.columns, columns, strict=True))
    return pl.DataFrame(named), frozenset({Trace.CATEGORIES} if lost else ())


def _clean(column: pl.Series) -> pl.Series:
    """One piece, with present categories, one zero, and nothing under missing values."""
    if isinstance(column.dtype, pl.Enum):
        return _rebuild_enum(column)
    if column.dtype == pl.Categorical:
        return _rebuild_categories(column)
    if column.dtype.is_float():
        column = _unify_floats(column)
    if column.null_count():
        column = column.gather(pl.int_range(len(column), eager=True))
    return column.rechunk()


def _rebuild_enum(column: pl.Series) -> pl.Series:
    present = set(column.unique().drop_nulls().cast(pl.String))
    levels = [level for level in column.dtype.categories if level in present]  # type: ignore[attr-defined]
    return column.cast(pl.String).cast(pl.Enum(levels))


def _rebuild_categories(column: pl.Series) -> pl.Series:
    """Categories numbered in their sorted order, where polars numbers those of a column."""
    words = column.cast(pl.String)
    levels: Any = words.unique().drop_nulls().sort()
    return pl.concat([levels, words]).cast(column.dtype)[len(levels) :].rechunk()


def _unify_floats(column: pl.Series) -> pl.Series:
    """One zero, one NaN, and no NaN where other values are missing in another way."""
    cell = pl.col("x")
    missing = None if column.null_count() else float("nan")
    unified = pl.when(cell == 0).then(0.0).when(cell.is_nan()).then(missing).otherwise(cell)
    return column.to_frame("x").select(unified.cast(column.dtype).alias("x")).to_series()
