"""A release as pyreadstat writes it, with the labels of what is published."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from swapmeet.errors import InputError, OutputError
from swapmeet.io.frames import to_pandas_frame
from swapmeet.io.statistical.columns import to_stored_column

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.io.publication import Publication
    from swapmeet.io.statistical import StatisticalFormat

_COMMON: Final = frozenset({"file_label", "column_labels", "variable_format"})


def write_release(
    kind: StatisticalFormat, library: Any, aside: Path, publication: Publication
) -> int:
    """Write the release to `aside` and return the number of its rows."""
    _check_names(kind, publication)
    values = to_pandas_frame(publication)
    table = pd.DataFrame(
        {
            name: to_stored_column(kind, publication, name, values[name])
            for name in publication.names
        }
    )
    writer = getattr(library, kind.writer)
    try:
        writer(table, aside, **_options(kind, publication, table))
    except (library.PyreadstatError, TypeError, ValueError, OverflowError):
        raise OutputError(
            f"{publication.target}: a column has values or labels that {kind.title} files cannot "
            f"hold. No file was written. Write {kind.alternative} instead."
        ) from None
    return len(table)


def _check_names(kind: StatisticalFormat, publication: Publication) -> None:
    bad = [
        repr(name)
        for name in publication.names
        if not re.fullmatch(kind.column_name, name) or len(name.encode()) > kind.name_bytes
    ]
    if bad:
        raise InputError(
            f"{publication.target}: {kind.title} files allow column names of letters, digits and "
            f"_, up to {kind.name_bytes} bytes; not {', '.join(bad)}. "
            f"Rename the columns, or write {kind.alternative}."
        )


def _options(
    kind: StatisticalFormat, publication: Publication, table: pd.DataFrame
) -> dict[str, Any]:
    original, like = publication.original, publication.like
    options: dict[str, Any] = {}
    if original is not None:
        options = _keep_metadata(original.layout.metadata, table) | original.layout.container
    elif like is not None and hasattr(like.layout, "metadata"):
        options = _carry_labels(like.layout.metadata, table)
    if publication.target.suffix.lower() == ".zsav":
        options |= {"compress": True, "row_compress": False}
    allowed = _COMMON | kind.settings
    return {name: value for name, value in options.items() if name in allowed and value}


def _keep_metadata(metadata: Any, table: pd.DataFrame) -> dict[str, Any]:
    """Everything the original says of the published columns."""

    def of(values: dict[str, Any]) -> dict[str, Any]:
        return {name: values[name] for name in map(str, table) if values.get(name)}

    return {
        "file_label": metadata.file_label,
        "note": metadata.notes,
        "column_labels": of(metadata.column_names_to_labels),
        "variable_value_labels": of(metadata.variable_value_labels),
        "variable_format": of(metadata.original_variable_types),
        "variable_measure": of(metadata.variable_measure),
        "variable_display_width": of(metadata.variable_display_width),
        "missing_ranges": of(metadata.missing_ranges),
        "missing_user_values": of(_missing_codes(metadata, table)),
    }


def _missing_codes(metadata: Any, table: pd.DataFrame) -> dict[str, list[str]]:
    """The letters of Stata's user-missing values, in cells and labels of the published columns."""
    return {
        name: sorted(
            {*metadata.missing_user_values.get(name, [])}
            | {key for key in metadata.variable_value_labels.get(name, {}) if isinstance(key, str)}
        )
        for name in map(str, table)
    }


def _carry_labels(metadata: Any, table: pd.DataFrame) -> dict[str, Any]:
    """What survives a change of format: the labels of file, columns and whole numbers."""
    numbers = [name for name in map(str, table) if table[name].dtype.kind in "iuf"]
    labels = {name: _whole_labels(metadata.variable_value_labels.get(name, {})) for name in numbers}
    names = metadata.column_names_to_labels
    return {
        "file_label": metadata.file_label,
        "column_labels": {name: names[name] for name in map(str, table) if names.get(name)},
        "variable_value_labels": {name: each for name, each in labels.items() if each},
    }


def _whole_labels(labels: dict[Any, str]) -> dict[int, str]:
    return {
        int(key): label
        for key, label in labels.items()
        if not isinstance(key, str) and float(key).is_integer()
    }
