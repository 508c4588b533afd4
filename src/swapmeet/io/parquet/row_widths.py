"""Estimate the bytes that a row of a Parquet file takes in memory, before it is read.

A file may be far smaller than its table: a text of 1 MB that every row repeats is stored once, in
a dictionary. Sizes in the metadata say nothing of that, so dictionaries are looked at, one row
group at a time; what is stored without a dictionary cannot be longer than it is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as pt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_OFFSET: Final = 8
_FIXED: Final = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT96": 12}


@dataclass(frozen=True, repr=False, eq=False)
class RowWidths:
    """The widths of the rows of a file, found out as they are asked for and then remembered."""

    path: Path
    known: dict[tuple[int, int], float] = field(default_factory=dict)

    def of_group(self, file: pq.ParquetFile, group: int, names: frozenset[str]) -> float:
        """Bytes that a row of a row group takes in these columns; at most, where texts repeat."""
        leaves = [leaf for leaf, name in enumerate(_find_columns(file)) if name in names]
        unknown = [leaf for leaf in leaves if (group, leaf) not in self.known]
        if unknown:
            self._look_at(file.metadata, group, unknown)
        return sum(self.known[group, leaf] for leaf in leaves)

    def _look_at(self, metadata: Any, group: int, leaves: list[int]) -> None:
        chunks = {leaf: metadata.row_group(group).column(leaf) for leaf in leaves}
        rows = max(metadata.row_group(group).num_rows, 1)
        repeating = [leaf for leaf, chunk in chunks.items() if _repeats_text(chunk)]
        longest = self._find_longest(group, [chunks[leaf].path_in_schema for leaf in repeating])
        for leaf, chunk in chunks.items():
            text = max(longest.get(chunk.path_in_schema, 0), _mean_length(chunk))
            width = _FIXED.get(chunk.physical_type, _OFFSET) + text
            self.known[group, leaf] = width * max(chunk.num_values / rows, 1.0)

    def _find_longest(self, group: int, paths: list[str]) -> dict[str, int]:
        """The longest text in the dictionary of each of these columns."""
        if not paths:
            return {}
        with pq.ParquetFile(self.path, read_dictionary=paths, pre_buffer=False) as file:
            first = next(file.iter_batches(1, row_groups=[group], columns=paths), None)
        if first is None:
            return {}
        lengths = {name: _longest_of(first.column(name)) for name in first.schema.names}
        return {path: lengths.get(path, 0) for path in paths}


def _find_columns(file: pq.ParquetFile) -> Iterator[str]:
    """The column that each leaf belongs to: names may have points, and so have nested leaves."""
    names = set(file.schema_arrow.names)
    for leaf in range(file.metadata.num_columns):
        path = file.schema.column(leaf).path
        parts = path.split(".")
        heads = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
        yield next((head for head in heads if head in names), path)


def _repeats_text(chunk: Any) -> bool:
    return chunk.physical_type == "BYTE_ARRAY" and bool(chunk.has_dictionary_page)


def _mean_length(chunk: Any) -> float:
    if chunk.physical_type not in {"BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}:
        return 0.0
    return float(chunk.total_uncompressed_size / max(chunk.num_values, 1))


def _longest_of(column: Any) -> int:
    if not pt.is_dictionary(column.type):
        return 0
    return pc.max(pc.binary_length(column.dictionary)).as_py() or 0
