"""Tables of other libraries: whatever hands out its rows as Arrow's stream, or collects itself.

DuckDB's relations, Arrow's readers and record batches and others have `__arrow_c_stream__`, the
way of Arrow's PyCapsule interface. What comes of them is a pyarrow table; polars' lazy frames
become polars frames.
"""

from __future__ import annotations

from typing import Any, Final

from swapmeet.errors import TableError

_OWN: Final = {("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table")}
_COLUMNS: Final = {"Series", "Index", "ChunkedArray", "Array"}
"""Protocols that stream a column, and no table."""


def gather(data: Any) -> Any:
    """`data` as a table in memory; whatever is one already, or no table at all, as it is."""
    names = {(base.__module__.partition(".")[0], base.__name__) for base in type(data).__mro__}
    if names & _OWN or any(name in _COLUMNS for _, name in names):
        return data
    if ("polars", "LazyFrame") in names:
        return data.collect(engine="streaming")
    return _read_stream(data) if hasattr(type(data), "__arrow_c_stream__") else data


def _read_stream(data: Any) -> Any:
    import pyarrow as pa

    try:
        table = pa.RecordBatchReader.from_stream(data).read_all()
    except Exception:  # noqa: BLE001  whatever a library raises may quote a value
        raise TableError(
            f"a {type(data).__name__} could not be read as a table: its stream failed. Make a "
            "pyarrow table of it first."
        ) from None
    if isinstance(data, pa.RecordBatchReader) and not len(table):
        raise TableError(
            "a RecordBatchReader gives its rows only once, and this one has none left. Make a "
            "table of it first: reader.read_all()."
        )
    return table
