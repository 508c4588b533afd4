"""A recoded column put in the place of the old one, in a frame of any library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.core.tables.frame import Table

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Flags


def replace_column(native: Any, name: str, cells: Any, changed: Flags) -> Any:
    """The frame with these cells (an Arrow array) in a column; only `changed` ones are new."""
    library = next(
        base.__module__.partition(".")[0]
        for base in type(native).__mro__
        if base.__module__.partition(".")[0] in _LIBRARIES
    )
    return _LIBRARIES[library](native, name, cells, changed)


def _replace_in_arrow(native: Any, name: str, cells: Any, changed: Flags) -> Any:  # noqa: ARG001
    place = native.column_names.index(name)
    field = native.schema.field(place)
    field = field.with_nullable(field.nullable or cells.null_count > 0)
    return native.set_column(place, field.with_type(cells.type), cells)


def _replace_in_polars(native: Any, name: str, cells: Any, changed: Flags) -> Any:  # noqa: ARG001
    import polars as pl

    kind = native.schema[name]
    if isinstance(kind, pl.Enum):
        kind = pl.Enum(cells.dictionary.to_pylist())
    plain = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
    return native.with_columns(pl.Series("", plain).cast(kind).alias(name))


def _replace_in_pandas(native: Any, name: str, cells: Any, changed: Flags) -> Any:
    import pandas as pd

    recoded, before = native.copy(deep=False), native[name]
    if isinstance(before.dtype, pd.CategoricalDtype):
        column = _to_categories(before, cells)
    else:
        column = _put_in_pandas(native, name, cells, changed)
    recoded[name] = pd.Series(column, index=native.index, copy=False)
    return recoded


def _to_categories(before: Any, cells: Any) -> Any:
    import pandas as pd

    codes = cells.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    levels = pd.Index(cells.dictionary.to_pandas(), dtype=before.cat.categories.dtype)
    return pd.Categorical.from_codes(codes, categories=levels, ordered=before.cat.ordered)


def _put_in_pandas(native: Any, name: str, cells: Any, changed: Flags) -> Any:
    """The values with the changed cells in place; suppressed ones become missing as in `take`."""
    import pandas as pd

    gone = changed & np.asarray(pc.is_null(cells).to_numpy(zero_copy_only=False))
    rows = np.where(gone, -1, np.arange(len(native)))
    column = Table(native[[name]]).take({name: rows}, [name])[name].array
    fresh = cells.filter(pa.array(changed & ~gone))
    column[changed & ~gone] = pd.Series(fresh.to_pandas(), dtype=column.dtype).array
    return column


_LIBRARIES = {
    "pandas": _replace_in_pandas,
    "polars": _replace_in_polars,
    "pyarrow": _replace_in_arrow,
}
