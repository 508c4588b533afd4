"""A column as an Arrow array: what it holds, as numbers or codes, and numbers in its type."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.errors import TableError
from swapmeet.tables.arrow_types import replace_views

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.base.arrays import Floats, ShortInts


class Family(StrEnum):
    """Sort of values that a column holds, whichever library holds them."""

    INTEGER = "integers"
    FLOAT = "numbers"
    DECIMAL = "decimals"
    TIME = "dates or times"
    BOOLEAN = "true/false"
    TEXT = "text"
    CATEGORY = "categories"
    ORDERED = "ordered categories"
    EMPTY = "nothing"
    MIXED = "mixed types"
    NESTED = "nested values"


@dataclass(frozen=True, repr=False)
class Codes:
    """Levels as integers from 0 in order of appearance or of the categories; -1 is missing.

    `dictionary` is the Arrow array of their values.
    """

    codes: ShortInts
    levels: int
    dictionary: Any = None

    def __repr__(self) -> str:
        return f"<Codes of {len(self.codes)} rows, {self.levels} levels>"


def family_of(column: Any, *, ordered: bool) -> Family:
    """Return the sort of values that the column holds; None is a column of mixed types."""
    import pyarrow.types as pt

    if column is None:
        return Family.MIXED
    kind = column.type
    if ordered:
        return Family.ORDERED
    tests = {
        Family.INTEGER: pt.is_integer,
        Family.FLOAT: pt.is_floating,
        Family.DECIMAL: pt.is_decimal,
        Family.TIME: lambda t: pt.is_temporal(t) and not pt.is_interval(t),
        Family.BOOLEAN: pt.is_boolean,
        Family.TEXT: lambda t: pt.is_string(t) or pt.is_large_string(t) or pt.is_string_view(t),
        Family.CATEGORY: pt.is_dictionary,
        Family.EMPTY: pt.is_null,
    }
    return next((family for family, test in tests.items() if test(kind)), Family.NESTED)


def is_floating(column: Any) -> bool:
    """Return whether the column holds floating point numbers."""
    import pyarrow.types as pt

    return column is not None and bool(pt.is_floating(column.type))


def numbers_of(column: Any) -> Floats:
    """The column as doubles, missing as NaN."""
    import pyarrow as pa
    import pyarrow.types as pt

    if pt.is_null(column.type):
        return np.full(len(column), np.nan)
    if pt.is_dictionary(column.type):
        codes = codes_of(column).codes
        return np.where(codes < 0, np.nan, codes).astype(np.float64)
    if pt.is_boolean(column.type):
        column = column.cast(pa.int8())
    elif pt.is_date32(column.type) or pt.is_time32(column.type):
        column = column.cast(pa.int32())
    elif pt.is_temporal(column.type):
        column = column.cast(pa.int64())
    if not pt.is_float64(column.type):
        column = column.cast(pa.float64(), safe=False)
    return np.array(column.to_numpy(zero_copy_only=False), dtype=np.float64, copy=None)


def codes_of(column: Any) -> Codes:
    """The column as level codes."""
    import pyarrow.types as pt

    if pt.is_null(column.type):
        return Codes(np.full(len(column), -1, np.int32), 0)
    column = to_dictionary(column)
    indices = column.indices
    codes = np.asarray(indices.fill_null(0).to_numpy(zero_copy_only=False)).astype(np.int32)
    if indices.null_count:
        codes[np.asarray(indices.is_null())] = -1
    return Codes(codes, len(column.dictionary), column.dictionary)


def to_dictionary(column: Any) -> Any:
    """The column as an array with a dictionary of its levels."""
    import pyarrow as pa
    import pyarrow.types as pt

    if pt.is_string_view(column.type):
        column = column.cast(pa.large_string())
    if is_floating(column):
        column = _canonical(column)
    return column if pt.is_dictionary(column.type) else column.dictionary_encode()


def cells_of(column: Any, rows: Any) -> Any:
    """`take`, which Arrow lacks for views."""
    plain = replace_views(column.type)
    return column.take(rows) if plain is None else column.cast(plain).take(rows).cast(column.type)


def choose_cells(flags: Any, column: Any, other: Any) -> Any:
    """`if_else`, which Arrow lacks for views."""
    import pyarrow.compute as pc

    plain = replace_views(column.type)
    if plain is None:
        return pc.if_else(flags, column, other)
    return pc.if_else(flags, column.cast(plain), other.cast(plain)).cast(column.type)


def _canonical(column: Any) -> Any:
    """Numbers with one zero, not two, and NaN as missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pc.add(column.cast(pa.float64()), 0.0)
    return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)


def holds_whole_numbers(column: Any) -> bool:
    """Return whether the type of the column holds whole numbers only; moments count in its unit."""
    return family_of(column, ordered=False) in {Family.INTEGER, Family.TIME, Family.BOOLEAN}


_GRAINS = (86_400, 3_600, 60, 1)
"""Seconds of a day, an hour, a minute, a second."""
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def seconds_of(column: Any) -> float | None:
    """The unit, in seconds, of a column of moments since 1970; None of any other column."""
    import pyarrow.types as pt

    if column is None or not (pt.is_date(column.type) or pt.is_timestamp(column.type)):
        return None
    if pt.is_date32(column.type):
        return 86_400.0
    return 1.0 / _PER_SECOND[getattr(column.type, "unit", "ms")]


def grain_of(column: Any) -> int:
    """Return what all moments of a column are multiples of, in its unit: days stay days."""
    import pyarrow as pa
    import pyarrow.types as pt

    if not pt.is_timestamp(column.type):
        return 1
    moments = column.drop_null().cast(pa.int64()).to_numpy(zero_copy_only=False)
    grains = [seconds * _PER_SECOND[column.type.unit] for seconds in _GRAINS]
    return next((grain for grain in grains if not (moments % grain).any()), 1)


def to_type_of(column: Any, values: Floats, name: str, grain: int | None = None) -> Any:
    """Numbers as an Arrow array of the column's type, rounded to what it can hold.

    Moments are rounded to `grain`; unless it is told, to that of the column.
    """
    import pyarrow as pa
    import pyarrow.types as pt

    wanted = column.type
    try:
        if pt.is_decimal(wanted):
            return pa.array(np.round(values, wanted.scale)).cast(wanted, safe=False)
        if not holds_whole_numbers(column):
            return pa.array(values).cast(wanted)
        grain = grain or grain_of(column)
        whole = pa.array(np.rint(values / grain) * grain).cast(pa.int64())
        _require_times(wanted, values)
        if pt.is_date32(wanted) or pt.is_time32(wanted):
            whole = whole.cast(pa.int32())
        return whole.cast(wanted)
    except (pa.ArrowException, OverflowError):
        raise TableError(
            f"column {name!r} of type {wanted} cannot hold all the values that were made for it. "
            "Widen its type, or bound the values."
        ) from None


def _require_times(wanted: Any, values: Floats) -> None:
    """Refuse times of day that no day has, which Arrow would hold all the same."""
    import pyarrow.types as pt

    if pt.is_time(wanted) and values.size:
        end = _GRAINS[0] * _PER_SECOND[wanted.unit]
        if np.nanmin(values) <= -0.5 or np.nanmax(values) >= end - 0.5:
            raise OverflowError


LONGEST = (1 << 31) - 1
"""Bytes of text in one array."""


def require_addressable(table: Any) -> None:
    """Refuse text of which Arrow cannot hold so much in one array."""
    long = [
        name
        for name, column in zip(table.column_names, table.columns, strict=True)
        if _is_text(column.type) and column.nbytes > LONGEST
    ]
    if long:
        raise TableError(
            f"column {long[0]!r} holds more than 2 GB in a block of {len(table)} rows. "
            "Lower `block_rows`."
        )


def _is_text(kind: Any) -> bool:
    import pyarrow.types as pt

    return bool(pt.is_string(kind) or pt.is_binary(kind))


def set_arrow_columns(table: Any, columns: Mapping[str, tuple[Any, Any]]) -> Any:
    """An Arrow table with other columns, each a field and its values, in the place of some."""
    import pyarrow as pa

    fields, values = list(table.schema), list(table.columns)
    for place, name in enumerate(table.column_names):
        if name in columns:
            fields[place], values[place] = columns[name]
    return pa.table(values, schema=pa.schema(fields, metadata=table.schema.metadata))
