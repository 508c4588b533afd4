"""A release that stands in another format than its original, read in the terms of the original."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from swapmeet.tables.arrow import set_arrow_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.io.document import Document


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
    from swapmeet.io.delimited.cells import is_text, unguard_text

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
    from swapmeet.io.delimited.cells import has_guards

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
            from swapmeet.io.statistical.spelling import read_back

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
