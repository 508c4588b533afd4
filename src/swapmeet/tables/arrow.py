"""A column as an Arrow array, and Arrow types as types that hold the same values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, ShortInts
from swapmeet.errors import TableError


class CellType(StrEnum):
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


def family_of(column: Any, *, ordered: bool) -> CellType:
    """Return the sort of values that the column holds; None is a column of mixed types."""
    import pyarrow.types as pt

    if column is None:
        return CellType.MIXED
    kind = column.type
    if ordered:
        return CellType.ORDERED
    tests = {
        CellType.INTEGER: pt.is_integer,
        CellType.FLOAT: pt.is_floating,
        CellType.DECIMAL: pt.is_decimal,
        CellType.TIME: lambda t: pt.is_temporal(t) and not pt.is_interval(t),
        CellType.BOOLEAN: pt.is_boolean,
        CellType.TEXT: lambda t: pt.is_string(t) or pt.is_large_string(t) or pt.is_string_view(t),
        CellType.CATEGORY: pt.is_dictionary,
        CellType.EMPTY: pt.is_null,
    }
    return next((family for family, test in tests.items() if test(kind)), CellType.NESTED)


_TYPE_NAMES = {
    "boolean": ("is_boolean",), "string": ("is_string", "is_large_string", "is_string_view"),
    "datetime": ("is_timestamp",), "date": ("is_date32",), "duration": ("is_duration",),
    "time": ("is_time",), "decimal": ("is_decimal128",), "categorical": ("is_dictionary",),
    "struct": ("is_struct",), "array": ("is_fixed_size_list",),
    "list": ("is_list", "is_large_list"), "binary": ("is_binary",),
}  # fmt: skip


def name_type(kind: Any) -> str:
    """The name of an Arrow type, the same for all types that hold such values.

    >>> import pyarrow as pa
    >>> name_type(pa.float64()), name_type(pa.large_string()), name_type(pa.timestamp("ns"))
    ('float64', 'string', 'datetime')
    """
    import pyarrow.types as pt

    if pt.is_integer(kind):
        return str(kind)
    if pt.is_floating(kind):
        return f"float{kind.bit_width}"
    for name, tests in _TYPE_NAMES.items():
        if any(getattr(pt, test)(kind) for test in tests):
            return name
    return "unknown"


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
    return family_of(column, ordered=False) in {CellType.INTEGER, CellType.TIME, CellType.BOOLEAN}


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


def simplify_types(table: Any, *, keep_views: bool = True) -> Any:
    """A table without run-end encoding and without views in dictionaries; else the table itself.

    Views outside of dictionaries may be kept where nothing is done with them that Arrow lacks.
    """
    for place, field in enumerate(table.schema):
        wanted = _find_plain_type(field.type)
        if wanted is None and not keep_views:
            wanted = replace_views(field.type)
        if wanted is not None:
            column = _to_plain(table.column(place), wanted)
            table = table.set_column(place, field.with_type(column.type), column)
    return table


def simplify_schema(schema: Any, *, keep_views: bool = True) -> Any:
    """The schema of such a table."""
    return simplify_types(schema.empty_table(), keep_views=keep_views).schema


def replace_views(kind: Any) -> Any:
    """The type with large texts in place of views, also inside; None where there are none."""
    import pyarrow as pa
    import pyarrow.types as pt

    if pt.is_string_view(kind):
        return pa.large_string()
    if pt.is_binary_view(kind):
        return pa.large_binary()
    if not pt.is_nested(kind) or pt.is_union(kind):
        return None
    fields = _list_fields(kind)
    inside = [replace_views(field.type) for field in fields]
    if all(new is None for new in inside):
        return None
    return _rebuild(kind, [
        field if new is None else field.with_type(new)
        for field, new in zip(fields, inside, strict=True)
    ])  # fmt: skip


def _list_fields(kind: Any) -> list[Any]:
    import pyarrow.types as pt

    if pt.is_map(kind):
        return [kind.key_field, kind.item_field]
    return [kind.field(place) for place in range(kind.num_fields)]


def _rebuild(kind: Any, fields: list[Any]) -> Any:
    """A nested type with other fields; None where Arrow could not cast to it."""
    import pyarrow as pa
    import pyarrow.types as pt

    if pt.is_struct(kind):
        return pa.struct(fields)
    if pt.is_list(kind):
        return pa.list_(*fields)
    if pt.is_large_list(kind):
        return pa.large_list(*fields)
    if pt.is_fixed_size_list(kind):
        return pa.list_(*fields, kind.list_size)
    return pa.map_(*fields, kind.keys_sorted) if pt.is_map(kind) else None


def _find_plain_type(kind: Any) -> Any:
    """The type that a column gets; None where it keeps its own."""
    import pyarrow as pa
    import pyarrow.types as pt

    if pt.is_run_end_encoded(kind):
        return kind.value_type
    value = replace_views(kind.value_type) if pt.is_dictionary(kind) else None
    return None if value is None else pa.dictionary(kind.index_type, value, kind.ordered)


def _to_plain(column: Any, wanted: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as pt

    if pt.is_run_end_encoded(column.type):
        return pc.run_end_decode(column)
    if not pt.is_dictionary(column.type):
        return column.cast(wanted)
    chunks = [
        pa.DictionaryArray.from_arrays(
            chunk.indices, chunk.dictionary.cast(wanted.value_type), ordered=wanted.ordered
        )
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, wanted)


def decode_runs(native: Any) -> tuple[Any, dict[str, str]]:
    """A table without run-end encoding, and the types of the columns that had it.

    Tables of pyarrow lose views in dictionaries, too; of other tables only those of pandas, where
    Arrow backs them, have such columns.
    """
    library = type(native).__module__.partition(".")[0]
    if library == "pyarrow":
        types = zip(native.schema.names, native.schema.types, strict=True)
        return simplify_types(native), _list_decoded(types)
    if library != "pandas":
        return native, {}
    decoded = _list_decoded((name, getattr(dtype, "pyarrow_dtype", None))
                            for name, dtype in native.dtypes.items())  # fmt: skip
    plain = native.copy(deep=False) if decoded else native
    for name in decoded:
        values = native[name].array
        plain[name] = type(values)(_to_plain(values.__arrow_array__(), None))
    return plain, decoded


def describe_decoded(decoded: Mapping[str, str]) -> tuple[str, ...]:
    """Notes on columns that come back without their run-end encoding.

    >>> describe_decoded({"region": "string"})
    ("column 'region' was run-end encoded; the release has plain values of type string.",)
    """
    return tuple(
        f"column {name!r} was run-end encoded; the release has plain values of type {kind}."
        for name, kind in decoded.items()
    )


def _list_decoded(types: Iterable[tuple[str, Any]]) -> dict[str, str]:
    import pyarrow.types as pt

    return {name: str(kind.value_type) for name, kind in types
            if kind is not None and pt.is_run_end_encoded(kind)}  # fmt: skip
