"""SPSS, Stata and SAS files: cells as stored, typed for masking, written with their labels.

Two tables are kept of a file. The stored one holds numbers for dates and codes for user-missing
values, so that a release repeats them exactly; the typed one holds dates, and nothing where a
value is declared missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from swapmeet.core.tables.traces import Trace
from swapmeet.errors import FileError
from swapmeet.io.document import Document
from swapmeet.io.statistical.features import find_sets, find_value_labels
from swapmeet.io.statistical.reading import damage_error, read_apart
from swapmeet.io.statistical.release import write_release
from swapmeet.io.statistical.spss_dictionary import SpssDictionary, add_to_dictionary
from swapmeet.io.statistical.values import parse_frame

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from swapmeet.io.publication import Publication
    from swapmeet.io.statistical import StatisticalFormat

_MEASURES: Final = {"nominal": "nominal", "ordinal": "ordinal", "scale": "numeric"}
_STATA_END: Final = b"</stata_dta>"
_RECORD: Final = 80


@dataclass(frozen=True, kw_only=True, repr=False)
class Layout:
    """A file as stored: its table, pyreadstat's metadata, and options for pyreadstat's writer.

    `weight` is the column that an SPSS file names as its weight.
    """

    stored: pd.DataFrame
    metadata: Any
    container: dict[str, Any]
    weight: str | None = None


def read(kind: StatisticalFormat, path: Path, *, encoding: str | None = None) -> Document:
    """Read a statistical package's file."""
    stored, metadata = _read_stored(kind, path, encoding)
    frame = parse_frame(kind.name, stored, metadata)
    container = _read_container(path, kind.name)
    weight = _find_weight(kind, path, metadata)
    return Document(
        path=path,
        format=kind.name,
        frame=frame,
        kinds=_find_kinds(frame, metadata),
        labels=find_value_labels(metadata),
        weight=weight,
        layout=Layout(stored=stored, metadata=metadata, container=container, weight=weight),
    )


def write(kind: StatisticalFormat, aside: Path, publication: Publication) -> None:
    """Write a statistical package's file, with the labels of the original as far as they apply."""
    import pyreadstat as library

    try:
        rows = write_release(kind, library, aside, publication)
    except library.ReadstatError as error:
        raise OSError(None, f"{error}; the disk may be full") from None
    if kind.name == "spss" and publication.original is not None:
        _add_to_dictionary(aside, publication, publication.original.layout)
    _check_rows(kind, aside, publication.names, rows)


def _find_weight(kind: StatisticalFormat, path: Path, metadata: Any) -> str | None:
    if kind.name != "spss":
        return None
    found = SpssDictionary.read(path, metadata.file_encoding)
    named = None if found is None else found.weight
    return named if named in metadata.column_names else None


def _add_to_dictionary(aside: Path, publication: Publication, layout: Layout) -> None:
    """Name the weight and the multiple-response sets again, as far as they are published."""
    sets = find_sets(layout.metadata, publication.names)
    if len(sets) < len(layout.metadata.mr_sets or {}):
        publication.leave_out(Trace.RESPONSE_SETS)
    weight = layout.weight if layout.weight in publication.names else None
    if sets or weight is not None:
        add_to_dictionary(aside, weight, sets)


def _read_stored(
    kind: StatisticalFormat, path: Path, encoding: str | None
) -> tuple[pd.DataFrame, Any]:
    _check_whole(kind, path)
    declared = {} if kind.name == "xport" else {"user_missing": True}
    stored, metadata = read_apart(kind, path, encoding, **declared)
    coded = list(metadata.missing_user_values)
    if kind.name == "stata" and coded:
        plain, _ = read_apart(kind, path, encoding, usecols=coded)
        stored = stored.assign(**{each: _repair(stored[each], plain[each]) for each in coded})
    return stored, metadata


def _repair(stored: pd.Series[Any], plain: pd.Series[Any]) -> pd.Series[Any]:
    """Undo that pyreadstat 1.3 shows any number for `.` where a column has `.a` to `.z`, too."""
    coded = stored.map(lambda cell: isinstance(cell, str))
    return stored.astype(object).where(coded | plain.notna(), np.nan)


def _check_whole(kind: StatisticalFormat, path: Path) -> None:
    """Refuse a cut file that pyreadstat reads as far as it goes.

    A Stata 13+ file has an end; a SAS transport file consists of records of 80 bytes.
    """
    if kind.name == "xport" and path.stat().st_size % _RECORD:
        raise damage_error(kind, path)
    content = path.read_bytes() if kind.name == "stata" else b""
    if content.startswith(b"<stata_dta>") and not content.rstrip().endswith(_STATA_END):
        raise FileError(f"{path}: is cut off. Get a complete copy.")


def _read_container(path: Path, name: str) -> dict[str, Any]:
    with path.open("rb") as file:
        head = file.read(80)
    if name == "spss":
        return {"row_compress": 1 in head[72:76]}
    if name == "stata":
        return {"version": _stata_version(head)}
    if name == "xport":
        version = 8 if b"LIBV8" in head else 5
        return {"file_format_version": version}
    return {}


def _stata_version(head: bytes) -> int:
    for release, version in ((b"117", 13), (b"118", 14), (b"119", 15)):
        if b"<release>" + release in head:
            return version
    return {113: 8, 114: 10, 115: 12}.get(head[0], 12)


def _find_kinds(frame: pd.DataFrame, metadata: Any) -> dict[str, str]:
    """Kinds of columns by measurement levels and value labels, dates apart."""
    found = {
        str(name): _MEASURES.get(metadata.variable_measure.get(name))
        or _kind_by_labels(frame, metadata, name)
        for name in frame.columns
        if frame[name].dtype.kind != "M"
    }
    return {name: kind for name, kind in found.items() if kind}


def _kind_by_labels(frame: pd.DataFrame, metadata: Any, name: str) -> str | None:
    labels = metadata.variable_value_labels.get(name)
    values = frame[name].dropna()
    if not labels or values.empty:
        return None
    return "nominal" if values.isin(list(labels)).all() else None


def _check_rows(kind: StatisticalFormat, aside: Path, names: list[str], rows: int) -> None:
    """Count the rows that reached the disk: pyreadstat does not report every failed write."""
    import pyreadstat as library

    try:
        frame, _ = getattr(library, kind.reader)(aside, usecols=names[:1])
    except (library.ReadstatError, library.PyreadstatError, ValueError):
        frame = None
    if frame is None or len(frame) != rows:
        raise OSError(None, "some rows did not reach the disk, which may be full")
