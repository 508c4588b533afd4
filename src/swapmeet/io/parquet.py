"""Parquet files, as a whole or piece by piece, with their schema and compression.

The bytes that a row takes in memory are estimated before it is read. A file may be far smaller than
its table: a text of 1 MB that every row repeats is stored once, in a dictionary. Sizes in the
metadata say nothing of that, so dictionaries are looked at, one row group at a time; what is stored
without a dictionary cannot be longer than it is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as pt

from swapmeet.io.document import Document
from swapmeet.io.header import check_names
from swapmeet.io.release_table import refuse_columns, refuse_damage, release_table
from swapmeet.tables.arrow import simplify_schema, simplify_types
from swapmeet.tables.schema_guess import HEAD

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from swapmeet.base.parallel import Progress, Workers
    from swapmeet.io.format import Format, Source
    from swapmeet.io.publication import Publication


@dataclass(frozen=True, kw_only=True)
class ParquetSettings:
    """Settings of a Parquet file, as `pyarrow.parquet.write_table` takes them."""

    compression: Mapping[str, str] | str = "snappy"
    version: str = "2.6"
    use_deprecated_int96_timestamps: bool = False

    @classmethod
    def of(cls, metadata: Any) -> Self:
        """Return those of a file."""
        if metadata.num_row_groups == 0:
            return cls()
        group = metadata.row_group(0)
        chunks = [group.column(j) for j in range(group.num_columns)]
        return cls(
            compression={chunk.path_in_schema: _codec(chunk.compression) for chunk in chunks},
            version="1.0" if metadata.format_version == "1.0" else "2.6",
            use_deprecated_int96_timestamps=any(chunk.physical_type == "INT96" for chunk in chunks),
        )

    def options(self, names: Iterable[str]) -> dict[str, Any]:
        """As the writer of a file with these columns takes them."""
        return {
            "compression": self._compression(set(names)),
            "version": self.version,
            "use_deprecated_int96_timestamps": self.use_deprecated_int96_timestamps,
        }

    def _compression(self, published: set[str]) -> Mapping[str, str] | str:
        if isinstance(self.compression, str):
            return self.compression
        return {
            path: codec
            for path, codec in self.compression.items()
            if path in published or path.split(".")[0] in published
        }


def _codec(name: str) -> str:
    return {"UNCOMPRESSED": "none", "LZ4_RAW": "lz4"}.get(name, name.lower())


def read(kind: Format, path: Path, progress: Progress, **_: Any) -> Document:
    """Read a Parquet file, or the parts of a folder as one table."""
    parts = kind.parts(path) if path.is_dir() else [path]
    with refuse_damage(path, "Parquet"):
        tables, settings = zip(*map(_read_part, parts), strict=True)
        table = pa.concat_tables(tables)
        table.validate(full=True)
    check_names(path, table.column_names)
    return Document(path=path, format="parquet", frame=simplify_types(table), layout=settings[0])


def peek_names(kind: Format, path: Path, **_: Any) -> tuple[str, ...]:
    """The columns of a file, or of the first of a folder, by its schema."""
    path = kind.parts(path)[0] if path.is_dir() else path
    with refuse_damage(path, "Parquet"):
        return tuple(pq.read_schema(path).names)


def write(kind: Format, aside: Path, publication: Publication) -> None:
    """Write a Parquet file with the settings of the original, if there is one."""
    original = publication.original
    settings = ParquetSettings() if original is None else original.layout
    table = release_table(publication)
    with refuse_columns(publication.target, "Parquet"):
        pq.write_table(table, aside, **settings.options(table.column_names))


def _read_part(path: Path) -> tuple[pa.Table, ParquetSettings]:
    with pq.ParquetFile(path) as file:
        return file.read(), ParquetSettings.of(file.metadata)


_OFFSET: Final = 8
_FIXED: Final = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT96": 12}


@dataclass(repr=False, eq=False)
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


READ_AHEAD = 1 << 20
"""Bytes of a column that are read from the disk at once, and 64 times as many of all columns."""
PIECE_BYTES = 1 << 26
"""Bytes that a piece takes in memory at most, unless a single row takes more."""


@dataclass(frozen=True)
class ParquetSource:
    """A Parquet file, its number of rows, its schema, and how it was written."""

    path: Path
    rows: int
    schema: Any
    settings: ParquetSettings
    widths: RowWidths = field(compare=False, repr=False)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> ParquetSource:
        """Look at a file; its cells are not read yet."""
        source = Path(path)
        with refuse_damage(source, "Parquet"), pq.ParquetFile(source) as file:
            settings = ParquetSettings.of(file.metadata)
            reader = cls(
                source,
                file.metadata.num_rows,
                simplify_schema(file.schema_arrow, keep_views=False),
                settings,
                RowWidths(source),
            )
        check_names(source, reader.names)
        return reader

    @property
    def names(self) -> list[str]:
        """The columns, in order."""
        return list(self.schema.names)

    @cached_property
    def head(self) -> Any:
        """The first rows."""
        for _, table in self.pieces(self.names, HEAD):
            return table
        return self.schema.empty_table()

    def pieces(self, columns: Iterable[str], rows: int) -> Iterator[tuple[int, Any]]:
        """Tables of at most `rows` rows until the end, each with the number of its first row.

        They have fewer rows where so many would take more than `PIECE_BYTES`.
        """
        names, begin = list(columns), 0
        batches = join_batches(self._batches(names, rows), rows, PIECE_BYTES)
        while True:
            with refuse_damage(self.path, "Parquet"):
                batch = next(batches, None)
            if batch is None:
                return
            yield begin, batch
            begin += batch.num_rows

    def _batches(self, names: list[str], rows: int) -> Iterator[Any]:
        """Tables of rows of one row group, none of which takes much more than a piece may."""
        ahead, wanted = 64 * READ_AHEAD // max(len(names), 64), frozenset(names)
        with pq.ParquetFile(self.path, buffer_size=ahead, pre_buffer=False) as file:
            for group in range(file.num_row_groups):
                width = self.widths.of_group(file, group, wanted)
                fitting = max(min(rows, int(PIECE_BYTES / max(width, 1.0))), 1)
                for batch in file.iter_batches(fitting, row_groups=[group], columns=names):
                    batch.validate(full=True)
                    table = pa.Table.from_batches([batch]).select(names)
                    yield simplify_types(table, keep_views=False)


def join_batches(tables: Iterable[Any], rows: int, size: int) -> Iterator[Any]:
    """The same rows in tables of at most `rows` rows and `size` bytes, if each of them has less."""
    held: list[Any] = []
    for table in tables:
        if held and sum(each.nbytes for each in held) + table.nbytes > size:
            yield _join(held)
            held = []
        held.append(table)
        while sum(map(len, held)) >= rows:
            whole = _join(held)
            yield whole[:rows]
            held = [whole[rows:]] if len(whole) > rows else []
    if sum(map(len, held)):
        yield _join(held)


def _join(tables: list[Any]) -> Any:
    return tables[0] if len(tables) == 1 else pa.concat_tables(tables).combine_chunks()


@dataclass(frozen=True)
class ParquetOutlet:
    """A Parquet file with these settings."""

    target: Path
    settings: ParquetSettings
    cells: Mapping[str, str] = field(default_factory=dict)

    def write(self, aside: Path, schema: Any, tables: Iterable[Any]) -> None:
        """Write tables, which have at least the columns of `schema`."""
        options = self.settings.options(schema.names)
        with (
            refuse_columns(self.target, "Parquet"),
            pq.ParquetWriter(aside, schema, **options) as writer,
        ):
            for table in tables:
                columns = [table[name] for name in schema.names]
                writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def open_source(path: Path, folder: Path, workers: Workers, **_: Any) -> ParquetSource:
    """The file, read where it is."""
    return ParquetSource.open(path)


def open_outlet(target: Path, source: Source) -> ParquetOutlet:
    """A file with the settings of the source, if that is Parquet, too."""
    settings = source.settings if isinstance(source, ParquetSource) else ParquetSettings()
    return ParquetOutlet(target, settings)
