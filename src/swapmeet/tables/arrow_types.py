"""Arrow types that hardly anything can be done with, as types that hold the same values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def simplify_types(table: Any, *, keep_views: bool = True) -> Any:
    """A table without run-end encoding and without views in dictionaries; else the table itself.

    Views outside of dictionaries may be kept, by whoever does nothing with them that Arrow lacks.
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
    if all(found is None for found in inside):
        return None
    return _rebuild(kind, [
        field if found is None else field.with_type(found)
        for field, found in zip(fields, inside, strict=True)
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
