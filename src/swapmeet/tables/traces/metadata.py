"""Metadata of an Arrow schema: only what restores the types of the columns is published."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.types as pt

from swapmeet.tables.traces.kinds import Trace

if TYPE_CHECKING:
    from collections.abc import Mapping

    Levels = Mapping[str, Any]

_PANDAS: Final = b"pandas"
_TECHNICAL: Final = frozenset({_PANDAS, b"ARROW:schema", b"PARQUET:field_id"})
"""Keys that a library wrote, not a person; nobody needs to hear that they are gone."""
_EXTENSION: Final = (b"ARROW:extension:name", b"ARROW:extension:metadata")
_ENUM: Final = (b"_PL_ENUM_VALUES2", b"_PL_ENUM_VALUES")
"""Where polars lists the levels of an enum."""
_FACTS: Final = frozenset({"timezone", "unit", "encoding", "precision", "scale"})
_COLUMN: Final = ("name", "field_name", "pandas_type", "numpy_type")


def publish_schema(schema: Any, levels: Levels) -> Any:
    """The fields, with what they need to be read again; `levels` are the present categories."""
    fields = [_publish_field(field, levels.get(field.name)) for field in schema]
    return pa.schema(fields, metadata=_publish_metadata(schema, levels))


def find_metadata(schema: Any) -> frozenset[Trace]:
    """Find the metadata that somebody wrote and that are not published."""
    found = set()
    if _has_text(schema.metadata) or _has_pandas_attributes(schema.metadata):
        found.add(Trace.TABLE_METADATA)
    if any(_has_text(field.metadata) for field in schema):
        found.add(Trace.COLUMN_METADATA)
    return frozenset(found)


def _publish_field(field: Any, levels: Any) -> Any:
    given = field.metadata or {}
    kept = {key: given[key] for key in _EXTENSION if key in given}
    if levels is not None and pt.is_dictionary(field.type) and field.type.ordered:
        kept |= {key: _list_levels(levels) for key in _ENUM if key in given}
    return field.with_metadata(kept or None)


def _list_levels(levels: Any) -> bytes:
    """As polars writes them: the bytes of each, and how many they are."""
    words = [word.encode() for word in levels.cast(pa.large_string()).to_pylist()]
    return b"".join(b"%d;%b" % (len(word), word) for word in words)


def _publish_metadata(schema: Any, levels: Levels) -> dict[bytes, bytes] | None:
    given = (schema.metadata or {}).get(_PANDAS)
    if given is None:
        return None
    try:
        return {_PANDAS: json.dumps(_publish_pandas(json.loads(given), schema, levels)).encode()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _publish_pandas(notes: dict[str, Any], schema: Any, levels: Levels) -> dict[str, Any]:
    """Publish what pandas needs to restore types: no index values, attributes or lost columns."""
    columns = [each for each in notes["columns"] if each["field_name"] in schema.names]
    return {
        "index_columns": [each for each in notes["index_columns"] if each in schema.names],
        "column_indexes": [],
        "columns": [_publish_column(each, levels.get(each["field_name"])) for each in columns],
        "creator": {"library": "pyarrow", "version": pa.__version__},
        "pandas_version": str(notes.get("pandas_version", "")),
    }


def _publish_column(notes: dict[str, Any], levels: Any) -> dict[str, Any]:
    told = notes.get("metadata") or {}
    facts = {key: told[key] for key in told if key in _FACTS}
    if levels is not None:
        facts = {"num_categories": len(levels), "ordered": bool(told.get("ordered"))}
    return {**{key: notes[key] for key in _COLUMN}, "metadata": facts or None}


def _has_text(metadata: Mapping[bytes, bytes] | None) -> bool:
    return any(
        key not in _TECHNICAL and key not in _EXTENSION and not key.startswith(b"_PL_")
        for key in metadata or {}
    )


def _has_pandas_attributes(metadata: Mapping[bytes, bytes] | None) -> bool:
    try:
        return bool(json.loads((metadata or {})[_PANDAS]).get("attributes"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
