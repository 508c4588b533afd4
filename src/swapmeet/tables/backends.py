"""Moves of values in each dataframe library: by its own `take`, so that every type survives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Flags
from swapmeet.errors import TableError
from swapmeet.tables.arrow import cells_of, replace_views, set_arrow_columns

Frame = Any
"""A pandas DataFrame, polars DataFrame or pyarrow Table."""
Positions = npt.NDArray[np.integer[Any]]


def list_types(data: Any) -> list[tuple[str, str]]:
    """The library and the name of the type of something, and of all that it derives from."""
    return [(base.__module__.partition(".")[0], base.__name__) for base in type(data).__mro__]


def find_backend(native: Any) -> Backend | None:
    """The library that a table in memory is of; None of anything else."""
    return next((BACKENDS[kind] for kind in list_types(native) if kind in BACKENDS), None)


def choose_backend(native: Frame) -> Backend:
    """The library that a table is of; what is no table is refused."""
    backend = find_backend(native)
    if backend is None:
        raise TableError(
            f"a {type(native).__name__} is not a table Swapmeet knows. "
            "Give a pandas DataFrame, a polars DataFrame or LazyFrame, a pyarrow Table, or "
            "anything else that has __arrow_c_stream__."
        )
    return backend


class _Common:
    """What most libraries have in common."""

    @staticmethod
    def names(native: Any) -> list[Any]:
        return list(native.columns)

    @staticmethod
    def is_enum(native: Any, name: str) -> bool:  # noqa: ARG004
        return False

    @staticmethod
    def is_object(native: Any, name: str) -> bool:  # noqa: ARG004
        return False

    @staticmethod
    def list_cells(native: Any, name: str) -> list[Any]:
        return list(native[name].to_list())

    @staticmethod
    def find_missing(native: Any, name: str) -> Flags:
        return np.asarray(native[name].is_null())

    @staticmethod
    def to_pandas(native: Any) -> Any:
        return native.to_pandas()


class Pandas(_Common):
    """Frames of pandas, backed by numpy or Arrow."""

    @staticmethod
    def to_arrow(native: Any, name: str) -> Any:
        import pyarrow as pa

        return pa.Array.from_pandas(native[name])

    @staticmethod
    def find_missing(native: Any, name: str) -> Flags:
        return np.asarray(native[name].isna())

    @staticmethod
    def is_enum(native: Any, name: str) -> bool:
        return bool(getattr(native[name].dtype, "ordered", False))

    @staticmethod
    def is_object(native: Any, name: str) -> bool:
        return bool(native[name].dtype == object)

    @staticmethod
    def to_table(native: Any) -> Any:
        import pyarrow as pa

        return pa.Table.from_pandas(native)

    @staticmethod
    def to_pandas(native: Any) -> Any:
        return native

    @staticmethod
    def take(native: Any, donors: Mapping[str, Positions], names: list[str]) -> Any:
        import pandas as pd

        columns = {}
        for name in names:
            values = native[name].array
            moved = Pandas._cells(values, donors[name]) if name in donors else values.copy()
            plain = moved.dtype if moved.dtype != values.dtype else native[name].dtype
            columns[name] = pd.Series(moved, dtype=plain, copy=False)
        taken = pd.DataFrame(columns, copy=False)
        taken.index = native.index
        taken.columns = native.columns[native.columns.get_indexer(names)]
        taken.attrs = dict(native.attrs)
        return taken

    @staticmethod
    def put(native: Any, made: Mapping[str, Any], cells: Mapping[str, Any]) -> Any:
        import pandas as pd

        filled = native.copy(deep=False)
        for name, values in made.items():
            column = native[name].array.copy()
            column[cells[name]] = pd.Series(values.to_pandas(), dtype=native[name].dtype).array
            filled[name] = column
        return filled

    @staticmethod
    def set_columns(native: Any, columns: Mapping[str, Any]) -> Any:
        filled = native.copy(deep=False)
        for name, values in columns.items():
            filled[name] = Pandas._of_type(values, native[name].dtype)
        return filled

    @staticmethod
    def _of_type(values: Any, kind: Any) -> Any:
        import pandas as pd
        import pyarrow as pa

        if isinstance(kind, np.dtype) and kind.kind in "iub":
            plain = values.fill_null(_zero(values.type)).to_numpy(zero_copy_only=False)
            if not values.null_count:
                return plain.astype(kind)
            whole = pd.array(plain.astype(kind), dtype=_nullable(kind))
            whole[np.asarray(values.is_null())] = pd.NA
            return whole
        if isinstance(kind, pd.ArrowDtype):
            return pd.arrays.ArrowExtensionArray(
                pa.chunked_array([values.cast(kind.pyarrow_dtype)])
            )
        if isinstance(kind, pd.CategoricalDtype):
            return _to_categories(values, kind)
        if pd.api.types.is_extension_array_dtype(kind) and not isinstance(kind, np.dtype):
            return pd.array(values.to_pandas(integer_object_nulls=True).to_numpy(), dtype=kind)
        return values.to_pandas(date_as_object=True).astype(kind).array

    @staticmethod
    def _cells(values: Any, donors: Positions) -> Any:
        import pandas as pd

        if _holds_views(values.dtype):
            import pyarrow as pa

            rows = pa.array(donors, mask=donors < 0)
            return type(values)(cells_of(values.__arrow_array__(), rows))
        if not (donors < 0).any():
            return values.take(donors)
        if isinstance(values, pd.arrays.NumpyExtensionArray) and values.dtype.kind in "iub":
            values = pd.array(values.to_numpy(), dtype=_nullable(values.dtype))
        return values.take(donors, allow_fill=True)

    @staticmethod
    def reorder(native: Any, order: Positions) -> Any:
        if not any(map(_holds_views, native.dtypes)):
            return native.take(order).reset_index(drop=True)
        everywhere = dict.fromkeys(native.columns, np.asarray(order))
        return Pandas.take(native, everywhere, list(native.columns)).reset_index(drop=True)

    @staticmethod
    def recode(native: Any, name: str, cells: Any, changed: Flags) -> Any:
        import pandas as pd

        recoded, before = native.copy(deep=False), native[name]
        if isinstance(before.dtype, pd.CategoricalDtype):
            column = _recode_categories(before, cells)
        else:
            column = Pandas._put_changed(native, name, cells, changed)
        recoded[name] = pd.Series(column, index=native.index, copy=False)
        return recoded

    @staticmethod
    def _put_changed(native: Any, name: str, cells: Any, changed: Flags) -> Any:
        """The values with the changed cells in place; suppressed ones are missing as in `take`."""
        import pandas as pd
        import pyarrow as pa

        gone = changed & np.asarray(cells.is_null())
        rows = np.where(gone, -1, np.arange(len(native)))
        column = Pandas.take(native[[name]], {name: rows}, [name])[name].array
        fresh = cells.filter(pa.array(changed & ~gone))
        column[changed & ~gone] = pd.Series(fresh.to_pandas(), dtype=column.dtype).array
        return column


def _holds_views(dtype: Any) -> bool:
    """Return whether pandas keeps a column as an Arrow type of which Arrow cannot take cells."""
    kind = getattr(dtype, "pyarrow_dtype", None)
    return kind is not None and replace_views(kind) is not None


def _nullable(dtype: Any) -> str:
    name = str(dtype)
    return "boolean" if name == "bool" else name.replace("uint", "UInt").replace("int", "Int")


def _zero(kind: Any) -> Any:
    import pyarrow as pa

    return pa.scalar(0).cast(kind)


def _to_categories(values: Any, kind: Any) -> Any:
    import pandas as pd

    known = pd.Categorical(values.to_pandas(), dtype=kind)
    if int(known.isna().sum()) > values.null_count:
        raise TableError(
            "a derived column holds categories, and what follows from the released values is none "
            "of them. Convert the column to text first."
        )
    return known


def _recode_categories(before: Any, cells: Any) -> Any:
    import pandas as pd
    import pyarrow as pa

    codes = cells.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    levels = pd.Index(cells.dictionary.to_pandas(), dtype=before.cat.categories.dtype)
    return pd.Categorical.from_codes(codes, categories=levels, ordered=before.cat.ordered)


class Polars(_Common):
    """Frames of polars."""

    @staticmethod
    def to_arrow(native: Any, name: str) -> Any:
        return native[name].alias("").to_arrow()  # polars panics at a name with a zero byte

    @staticmethod
    def is_enum(native: Any, name: str) -> bool:
        import polars as pl

        return isinstance(native.schema[name], pl.Enum)

    @staticmethod
    def is_object(native: Any, name: str) -> bool:
        import polars as pl

        return isinstance(native.schema[name], pl.Object)

    @staticmethod
    def to_table(native: Any) -> Any:
        return native.to_arrow()

    @staticmethod
    def set_columns(native: Any, columns: Mapping[str, Any]) -> Any:
        import polars as pl

        return native.with_columns(
            pl.Series(name, values).cast(native[name].dtype) for name, values in columns.items()
        )

    @staticmethod
    def take(native: Any, donors: Mapping[str, Positions], names: list[str]) -> Any:
        import polars as pl

        columns = {}
        for name in names:
            columns[name] = native[name]
            if name in donors:
                index = pl.Series(donors[name].astype(np.int64))
                columns[name] = native[name].gather(index.set(index < 0, None))
        return pl.DataFrame(columns)

    @staticmethod
    def put(native: Any, made: Mapping[str, Any], cells: Mapping[str, Any]) -> Any:
        import polars as pl

        columns = []
        for name, values in made.items():
            kind, rows = native[name].dtype, np.flatnonzero(cells[name])
            fresh = pl.Series(name, values).cast(kind)
            columns.append(native[name].clone().scatter(rows, fresh))
        return native.with_columns(columns)

    @staticmethod
    def reorder(native: Any, order: Positions) -> Any:
        return native[order]

    @staticmethod
    def recode(native: Any, name: str, cells: Any, changed: Flags) -> Any:  # noqa: ARG004
        import polars as pl
        import pyarrow.types as pt

        kind = native.schema[name]
        if isinstance(kind, pl.Enum):
            kind = pl.Enum(cells.dictionary.to_pylist())
        plain = cells.cast(cells.type.value_type) if pt.is_dictionary(cells.type) else cells
        return native.with_columns(pl.Series("", plain).cast(kind).alias(name))


class PyArrow(_Common):
    """Tables of pyarrow."""

    @staticmethod
    def names(native: Any) -> list[Any]:
        return list(native.column_names)

    @staticmethod
    def to_arrow(native: Any, name: str) -> Any:
        return native[name]

    @staticmethod
    def list_cells(native: Any, name: str) -> list[Any]:
        return list(native[name].to_pylist())

    @staticmethod
    def to_table(native: Any) -> Any:
        return native

    @staticmethod
    def set_columns(native: Any, columns: Mapping[str, Any]) -> Any:
        import pyarrow.types as pt

        set_to = {}
        for name, values in columns.items():
            field = native.schema.field(name)
            if pt.is_dictionary(field.type) and not pt.is_dictionary(values.type):
                values = values.cast(field.type.value_type).dictionary_encode()
            field = field.with_nullable(field.nullable or values.null_count > 0)
            set_to[name] = (field, values.cast(field.type))
        return set_arrow_columns(native, set_to)

    @staticmethod
    def take(native: Any, donors: Mapping[str, Positions], names: list[str]) -> Any:
        import pyarrow as pa

        columns, fields = [], []
        for name in names:
            column, field = native[name], native.schema.field(name)
            if name in donors:
                suppressed = donors[name] < 0
                column = cells_of(column, pa.array(donors[name], mask=suppressed))
                field = field.with_nullable(field.nullable or bool(suppressed.any()))
            columns.append(column)
            fields.append(field)
        return pa.table(columns, schema=pa.schema(fields, metadata=native.schema.metadata))

    @staticmethod
    def put(native: Any, made: Mapping[str, Any], cells: Mapping[str, Any]) -> Any:
        set_to = {}
        for name, values in made.items():
            before = native[name].combine_chunks()
            column = _put_cells(before, cells[name], values)
            set_to[name] = (native.schema.field(name), column)
        return set_arrow_columns(native, set_to)

    @staticmethod
    def reorder(native: Any, order: Positions) -> Any:
        import pyarrow as pa

        rows = pa.array(order)
        return pa.table([cells_of(c, rows) for c in native.columns], schema=native.schema)

    @staticmethod
    def recode(native: Any, name: str, cells: Any, changed: Flags) -> Any:  # noqa: ARG004
        field = native.schema.field(name)
        field = field.with_nullable(field.nullable or cells.null_count > 0)
        return set_arrow_columns(native, {name: (field.with_type(cells.type), cells)})


def _put_cells(column: Any, cells: Flags, values: Any) -> Any:
    """The column with `values`, in order, in some cells; Arrow replaces cells of few types only."""
    import pyarrow as pa

    places = np.arange(len(column))
    places[cells] = len(column) + np.arange(len(values))
    return cells_of(pa.concat_arrays([column, values]), pa.array(places))


Backend = type[Pandas] | type[Polars] | type[PyArrow]
BACKENDS: Final[Mapping[tuple[str, str], Backend]] = {
    ("pandas", "DataFrame"): Pandas,
    ("polars", "DataFrame"): Polars,
    ("pyarrow", "Table"): PyArrow,
}
"""Which classes are tables, by library and name, so that none is loaded for asking."""
