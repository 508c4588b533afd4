"""Tables of any library as pyarrow or pandas, and cells moved by their donors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.errors import OutputError
from swapmeet.tables.arrow import cells_of

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from swapmeet.io.publication import Publication


def to_arrow_table(publication: Publication) -> pa.Table:
    """The published frame as a pyarrow table without pandas' notes about itself."""
    frame = nw.from_native(publication.frame, eager_only=True)
    try:
        table = frame.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise OutputError(_mixed_columns(publication, frame)) from None
    if isinstance(publication.frame, pa.Table):
        return table
    return _show_days(publication, table.replace_schema_metadata(None))


def _show_days(publication: Publication, table: pa.Table) -> pa.Table:
    """Moments of a file that has no type for days as days, where all of them begin one."""
    like = publication.like
    if like is None or publication.original is not None or isinstance(like.frame, pa.Table):
        return table
    for place, name in enumerate(table.column_names):
        moments = pt.is_timestamp(table[name].type) and table[name].type.tz is None
        if moments and name in like.frame and _are_days(pa.array(like.frame[name])):
            table = table.set_column(place, name, table[name].cast(pa.date32()))
    return table


def _are_days(column: Any) -> bool:
    if not pt.is_timestamp(column.type):
        return False
    return bool(pc.all(pc.equal(pc.floor_temporal(column, unit="day"), column)).as_py())


def to_pandas_frame(publication: Publication) -> pd.DataFrame:
    """The published frame as a pandas frame with rows numbered from 0."""
    frame: pd.DataFrame = nw.from_native(publication.frame, eager_only=True).to_pandas()
    return frame.reset_index(drop=True)


def take_cells(column: pa.ChunkedArray, donors: NDArray[np.integer[Any]]) -> pa.ChunkedArray:
    """The cells of `column` in the rows `donors`; null where a donor is -1."""
    donors = np.asarray(donors, dtype=np.int64)
    return cells_of(column, pa.array(donors, mask=donors < 0))


def _mixed_columns(publication: Publication, frame: nw.DataFrame[Any]) -> str:
    culprits = [name for name in frame.columns if not _is_convertible(frame, name)]
    return (
        f"{publication.target}: cannot be written: {', '.join(map(repr, culprits))} "
        "mixes types. Give each column one type."
    )


def _is_convertible(frame: nw.DataFrame[Any], name: str) -> bool:
    try:
        frame.select(name).to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True
