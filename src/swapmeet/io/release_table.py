"""The table to publish: moved cells, fitting schema, no word of what is gone."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.errors import FileError, OutputError
from swapmeet.tables.arrow import cells_of, choose_cells, set_arrow_columns
from swapmeet.tables.backends import choose_backend
from swapmeet.tables.traces import remove_traces

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from swapmeet.io.document import Document
    from swapmeet.io.publication import Publication


@contextmanager
def refuse_damage(path: Path, title: str) -> Iterator[None]:
    """Say that a file is damaged where pyarrow would, perhaps with a word of its content."""
    try:
        yield
    except (pa.ArrowException, OSError, EOFError, ValueError, KeyError):
        raise FileError(f"{path}: is not a readable {title} file, or it is cut off.") from None


@contextmanager
def refuse_columns(target: Path, title: str) -> Iterator[None]:
    """Say that the format cannot hold a column where pyarrow would."""
    try:
        yield
    except pa.ArrowException:
        raise OutputError(
            f"{target}: a column has a type or values that {title} files cannot hold. "
            "No file was written. Write .csv instead."
        ) from None


def release_table(publication: Publication) -> pa.Table:
    """The published columns under the schema of the document, as far as it describes them.

    A field becomes nullable when a cell of it was suppressed. What the document tells besides
    values and types is left out.
    """
    table = to_arrow_table(publication)
    like = publication.like
    if like is None or not isinstance(like.frame, pa.Table):
        return remove_traces(table)[0]
    original = like.frame
    columns = [
        _build_column(publication, original, name, table[name]) for name in publication.names
    ]
    fields = [
        _build_field(original.schema, name, column)
        for name, column in zip(publication.names, columns, strict=True)
    ]
    schema = pa.schema(fields, metadata=original.schema.metadata)
    return remove_traces(pa.Table.from_arrays(columns, schema=schema))[0]


def _build_column(publication: Publication, original: pa.Table, name: str, values: Any) -> Any:
    before = original[name] if name in original.column_names else None
    donors = publication.cell_donors(name)
    if before is not None:
        values = _cast_if_exact(values, before.type)
    if before is not None and donors is not None:
        copied, made = take_cells(before, donors), publication.made_cells(name)
        values = copied if made is None else choose_cells(pa.array(made), values, copied)
    return values


def _cast_if_exact(values: Any, wanted: pa.DataType) -> Any:
    try:
        return values.cast(wanted)
    except pa.ArrowException:
        return values


def _build_field(schema: pa.Schema, name: str, column: Any) -> pa.Field:
    index = schema.get_field_index(name)
    if index < 0:
        return pa.field(name, column.type)
    field = schema.field(index)
    return field.with_type(column.type).with_nullable(field.nullable or column.null_count > 0)


def to_arrow_table(publication: Publication) -> pa.Table:
    """The published frame as a pyarrow table without pandas' notes about itself."""
    try:
        table = choose_backend(publication.frame).to_table(publication.frame)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise OutputError(_mixed_columns(publication)) from None
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
    frame: pd.DataFrame = choose_backend(publication.frame).to_pandas(publication.frame)
    return frame.reset_index(drop=True)


def take_cells(column: pa.ChunkedArray, donors: NDArray[np.integer[Any]]) -> pa.ChunkedArray:
    """The cells of `column` in the rows `donors`; null where a donor is -1."""
    donors = np.asarray(donors, dtype=np.int64)
    return cells_of(column, pa.array(donors, mask=donors < 0))


def _mixed_columns(publication: Publication) -> str:
    names = choose_backend(publication.frame).names(publication.frame)
    culprits = [name for name in names if not _is_convertible(publication.frame, name)]
    return (
        f"{publication.target}: cannot be written: {', '.join(map(repr, culprits))} "
        "mixes types. Give each column one type."
    )


def _is_convertible(frame: Any, name: str) -> bool:
    try:
        choose_backend(frame).to_arrow(frame, name)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True


def restore_columns(release: Document, original: Document) -> Document:
    """The release with codes where labels stand for them, and columns without values typed.

    A column of which every value was suppressed has the type that it has in the original, which a
    text cannot tell. Labels of the original's values become the values again, and codes that the
    original declares missing are missing. Apostrophes that guard text which spreadsheets would run
    are taken off again.
    """
    if release.format == "csv":
        release = _unguard(release, original)
    frame, shared = release.frame, set(_names(original.frame))
    restored = dict(_restore(release, original, [n for n in _names(frame) if n in shared]))
    return replace(release, frame=_put(frame, restored)) if restored else release


def _unguard(release: Document, original: Document) -> Document:
    from swapmeet.io.delimited.values import is_text, unguard_text

    bare = {}
    for name in set(_names(release.frame)) & set(_names(original.frame)):
        column = release.frame[name]
        if is_text(column.type):
            text = unguard_text(column)
            if not text.equals(column) and not _is_guarded(original.frame[name]):
                bare[name] = text.combine_chunks()
    return replace(release, frame=_put(release.frame, bare)) if bare else release


def _is_guarded(column: Any) -> bool:
    """Return whether a column had such apostrophes before it was masked."""
    from swapmeet.io.delimited.values import has_guards

    text = column if isinstance(column, pa.ChunkedArray) else pa.array(column, from_pandas=True)
    if pa.types.is_dictionary(text.type):
        text = text.cast(text.type.value_type)
    return has_guards(text)


def _restore(release: Document, original: Document, names: list[str]) -> Iterator[tuple[str, Any]]:
    """The columns that the original would have otherwise."""
    labelled = release.format != original.format and hasattr(original.layout, "metadata")
    for name in names:
        if _is_empty(release.frame, name):
            yield name, _make_empty(original.frame, name, len(release.frame))
        elif labelled:
            from swapmeet.io.statistical.release import read_back

            column = _to_series(release.frame, name)
            values = read_back(column, original.frame[name], original.layout.metadata, name)
            if values is not None:
                yield name, values


def _names(frame: Any) -> list[str]:
    return [str(n) for n in (frame.column_names if _is_arrow(frame) else frame.columns)]


def _is_arrow(frame: Any) -> bool:
    return isinstance(frame, pa.Table)


def _is_empty(frame: Any, name: str) -> bool:
    column = frame[name]
    if _is_arrow(frame):
        return len(column) > 0 and column.null_count == len(column)
    return len(column) > 0 and bool(column.isna().all())


def _make_empty(frame: Any, name: str, rows: int) -> Any:
    """A column of the same type in which every value is missing."""
    if _is_arrow(frame):
        return pa.nulls(rows, frame[name].type)
    return frame[name].iloc[:0].reindex(range(rows))


def _to_series(frame: Any, name: str) -> Any:
    return frame[name].to_pandas() if _is_arrow(frame) else frame[name]


def _put(frame: Any, restored: dict[str, Any]) -> Any:
    if not _is_arrow(frame):
        return frame.assign(
            **{n: c.to_pandas() if isinstance(c, pa.Array) else c for n, c in restored.items()}
        )
    put = {}
    for name, column in restored.items():
        values = column if isinstance(column, pa.Array) else pa.array(column, from_pandas=True)
        put[name] = (pa.field(name, values.type), values)
    return set_arrow_columns(frame, put)
