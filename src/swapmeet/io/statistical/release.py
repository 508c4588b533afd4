"""A release as pyreadstat writes it, with the labels of what is published."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from swapmeet.errors import InputError, OutputError
from swapmeet.io.frames import to_pandas_frame
from swapmeet.io.statistical.columns import to_stored_column
from swapmeet.tables.traces import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from swapmeet.io.publication import Publication
    from swapmeet.io.statistical import StatisticalFormat

_COMMON: Final = frozenset({"column_labels", "variable_format"})


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
        if not re.fullmatch(kind.column_name, name)
        or len(name.encode()) > kind.name_bytes
        or re.fullmatch(kind.reserved, name)
    ]
    if bad:
        raise InputError(
            f"{publication.target}: {kind.title} files allow column names of letters, digits and "
            f"_, up to {kind.name_bytes} bytes, and no words of the language; not "
            f"{', '.join(bad)}. Rename the columns, or write {kind.alternative}."
        )


def _options(
    kind: StatisticalFormat, publication: Publication, table: pd.DataFrame
) -> dict[str, Any]:
    original, like = publication.original, publication.like
    options: dict[str, Any] = {}
    if original is not None:
        options = _keep_metadata(publication, original.layout.metadata, table)
        options |= original.layout.container
    elif like is not None and hasattr(like.layout, "metadata"):
        options = _carry_labels(publication, like.layout.metadata, table)
    if publication.target.suffix.lower() == ".zsav":
        options |= {"compress": True, "row_compress": False}
    allowed = _COMMON | kind.settings
    return {name: value for name, value in options.items() if name in allowed and value}


def _keep_metadata(publication: Publication, metadata: Any, table: pd.DataFrame) -> dict[str, Any]:
    """Return what the original says about the published columns and the values in them."""

    def of(values: dict[str, Any]) -> dict[str, Any]:
        return {name: values[name] for name in map(str, table) if values.get(name)}

    publication.leave_out(*_find_texts(metadata))
    return {
        "column_labels": of(metadata.column_names_to_labels),
        "variable_value_labels": of(_present_labels(publication, metadata, table)),
        "variable_format": of(metadata.original_variable_types),
        "variable_measure": of(metadata.variable_measure),
        "variable_display_width": of(metadata.variable_display_width),
        "missing_ranges": of(_present_ranges(publication, metadata, table)),
        "missing_user_values": of(_present_letters(publication, metadata, table)),
    }


def _find_texts(metadata: Any) -> list[Trace]:
    """Return what the file says about itself, which nobody needs to read the columns."""
    texts = {
        Trace.FILE_LABEL: metadata.file_label,
        Trace.FILE_NOTES: metadata.notes,
        Trace.TABLE_NAME: metadata.table_name,
    }
    return [trace for trace, text in texts.items() if text]


def _present_labels(
    publication: Publication, metadata: Any, table: pd.DataFrame
) -> dict[str, dict[Any, str]]:
    """The labels of values that a released row has."""

    def keep(labels: dict[Any, str], present: set[Any]) -> dict[Any, str]:
        return {key: label for key, label in labels.items() if _bare(key) in present}

    told = metadata.variable_value_labels
    return _keep_present(publication, table, told, keep, Trace.VALUE_LABELS)


def _present_ranges(
    publication: Publication, metadata: Any, table: pd.DataFrame
) -> dict[str, list[Any]]:
    """The ranges of user-missing values in which a released row has one."""

    def keep(ranges: list[Any], present: set[Any]) -> list[Any]:
        return [each for each in ranges if any(_is_within(each, cell) for cell in present)]

    return _keep_present(publication, table, metadata.missing_ranges, keep, Trace.MISSING_CODES)


def _present_letters(
    publication: Publication, metadata: Any, table: pd.DataFrame
) -> dict[str, list[str]]:
    """The letters of Stata's user-missing values that a released row has."""

    def keep(letters: list[str], present: set[Any]) -> list[str]:
        return sorted(letter for letter in letters if letter in present)

    told = metadata.missing_user_values
    return _keep_present(publication, table, told, keep, Trace.MISSING_CODES)


def _keep_present(
    publication: Publication,
    table: pd.DataFrame,
    told: Mapping[str, Any],
    keep: Callable[[Any, set[Any]], Any],
    trace: Trace,
) -> dict[str, Any]:
    """Labels of each column, as far as they are about values there; others are left out."""
    found = {}
    for name, items in told.items():
        found[name] = keep(items, find_present(table, name))
        if name in table and len(found[name]) < len(items):
            publication.leave_out(trace)
    return found


def find_present(table: pd.DataFrame, name: str) -> set[Any]:
    """The values of a column; of one that is not published, none."""
    return {_bare(cell) for cell in table[name].dropna().unique()} if name in table else set()


def _bare(cell: Any) -> Any:
    """Text without the blanks that fill its width."""
    return cell.rstrip(" ") if isinstance(cell, str) else cell


def _is_within(span: Any, cell: Any) -> bool:
    low, high = (span["lo"], span["hi"]) if isinstance(span, dict) else (span, span)
    if isinstance(cell, str) or isinstance(low, str):
        return bool(cell == _bare(low))
    return bool(low <= cell <= high)


def _carry_labels(publication: Publication, metadata: Any, table: pd.DataFrame) -> dict[str, Any]:
    """Labels that survive a change of format: of columns and of whole numbers in them."""
    numbers = [name for name in map(str, table) if table[name].dtype.kind in "iuf"]
    present = _present_labels(publication, metadata, table)
    labels = {name: _whole_labels(present.get(name, {})) for name in numbers}
    names = metadata.column_names_to_labels
    publication.leave_out(*_find_texts(metadata))
    return {
        "column_labels": {name: names[name] for name in map(str, table) if names.get(name)},
        "variable_value_labels": {name: each for name, each in labels.items() if each},
    }


def _whole_labels(labels: dict[Any, str]) -> dict[int, str]:
    return {
        int(key): label
        for key, label in labels.items()
        if not isinstance(key, str) and float(key).is_integer()
    }
