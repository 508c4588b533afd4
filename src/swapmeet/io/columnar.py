"""Parquet and Arrow files, with their schema, metadata and compression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc

from swapmeet.errors import FileError, OutputError
from swapmeet.io.columnar_release import release_table
from swapmeet.io.document import Document
from swapmeet.io.formats import FORMATS, format_of
from swapmeet.io.ipc_codec import codec_of
from swapmeet.io.names import check_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from swapmeet.core.base.parallel import Progress
    from swapmeet.io.publication import Publication

_MAGIC: Final = b"ARROW1\0\0"


@dataclass(frozen=True, kw_only=True)
class ParquetSettings:
    """Settings of a Parquet file, as `pyarrow.parquet.write_table` takes them."""

    compression: Mapping[str, str] | str = "snappy"
    version: str = "2.6"
    use_deprecated_int96_timestamps: bool = False

    @classmethod
    def of(cls, metadata: Any) -> Self:
        """Those of a file."""
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


@dataclass(frozen=True, kw_only=True)
class _Arrow:
    """Settings of an Arrow file: random access or stream, and the codec of its batches."""

    is_stream: bool = False
    codec: str | None = None


def read(path: Path, _: Progress) -> Document:
    """Read a Parquet file or a folder of them, or an Arrow file or stream."""
    name = "parquet" if path.is_dir() else format_of(path)
    try:
        table, settings = _read_parquet(path) if name == "parquet" else _read_arrow(path)
        table.validate(full=True)
    except (pa.ArrowException, OSError, EOFError, ValueError, KeyError):
        title = FORMATS[name].title
        raise FileError(f"{path}: is not a readable {title} file, or it is cut off.") from None
    check_names(path, table.column_names)
    return Document(path=path, format=name, frame=table, layout=settings)


def write(aside: Path, publication: Publication) -> None:
    """Write a Parquet or Arrow file with the settings of the original, if there is one."""
    original = publication.original
    settings = None if original is None else original.layout
    table = release_table(publication)
    try:
        if publication.format == "parquet":
            _write_parquet(aside, table, settings or ParquetSettings())
        else:
            _write_arrow(aside, table, settings or _Arrow())
    except pa.ArrowException:
        raise OutputError(
            f"{publication.target}: a column has a type or values that the format cannot hold. "
            "Nothing was left behind. Write .csv instead."
        ) from None


def _read_parquet(path: Path) -> tuple[pa.Table, ParquetSettings]:
    """The rows of a file, or of all files of a folder in the order of their names."""
    if path.is_dir():
        parts = [_read_parquet(part) for part in sorted(path.glob("*.parquet"))]
        return pa.concat_tables([table for table, _ in parts]), parts[0][1]
    with pq.ParquetFile(path) as file:
        return file.read(), ParquetSettings.of(file.metadata)


def _codec(name: str) -> str:
    return {"UNCOMPRESSED": "none", "LZ4_RAW": "lz4"}.get(name, name.lower())


def _write_parquet(aside: Path, table: pa.Table, settings: ParquetSettings) -> None:
    pq.write_table(table, aside, **settings.options(table.column_names))


def _read_arrow(path: Path) -> tuple[pa.Table, _Arrow]:
    with pa.OSFile(str(path)) as file:
        is_stream = file.read(len(_MAGIC)) != _MAGIC
        file.seek(0)
        reader = ipc.open_stream(file) if is_stream else ipc.open_file(file)
        table = reader.read_all()
        file.seek(0 if is_stream else len(_MAGIC))
        return table, _Arrow(is_stream=is_stream, codec=codec_of(file))


def _write_arrow(aside: Path, table: pa.Table, settings: _Arrow) -> None:
    options = ipc.IpcWriteOptions(compression=settings.codec, unify_dictionaries=True)
    new = ipc.new_stream if settings.is_stream else ipc.new_file
    with pa.OSFile(str(aside), "wb") as file, new(file, table.schema, options=options) as writer:
        writer.write_table(table)
