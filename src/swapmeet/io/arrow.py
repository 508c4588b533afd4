"""An Arrow file or stream as a whole, with its schema and compression.

The codec that compresses the batches of an Arrow stream, which pyarrow does not tell.

It stands in the header of each record batch, a Flatbuffers table: `Message.header` (slot 2, of
type 3: RecordBatch), `RecordBatch.compression` (slot 3), `BodyCompression.codec` (slot 0). See
`Message.fbs` of the Arrow columnar format.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import ipc

from swapmeet.errors import warn
from swapmeet.io.document import Document
from swapmeet.io.header import check_names
from swapmeet.io.release_table import refuse_columns, refuse_damage, release_table
from swapmeet.tables.arrow import decode_runs, describe_decoded

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.base.parallel import Progress
    from swapmeet.io.format import Format
    from swapmeet.io.publication import Publication


_MAGIC: Final = b"ARROW1\0\0"


@dataclass(frozen=True, kw_only=True)
class _Settings:
    """Random access or stream, and the codec of the batches."""

    is_stream: bool = False
    codec: str | None = None


def read(kind: Format, path: Path, progress: Progress, **_: Any) -> Document:
    """Read an Arrow file or stream."""
    with refuse_damage(path, "Arrow"):
        table, settings = _read(path)
        table.validate(full=True)
    check_names(path, table.column_names)
    return Document(path=path, format="arrow", frame=table, layout=settings)


def write(kind: Format, aside: Path, publication: Publication) -> None:
    """Write an Arrow file with the settings of the original, if there is one."""
    original = publication.original
    settings = _Settings() if original is None else original.layout
    table = release_table(publication)
    options = ipc.IpcWriteOptions(compression=settings.codec, unify_dictionaries=True)
    new = ipc.new_stream if settings.is_stream else ipc.new_file
    with (
        refuse_columns(publication.target, "Arrow"),
        pa.OSFile(str(aside), "wb") as file,
        new(file, table.schema, options=options) as writer,
    ):
        writer.write_table(table)


def _read(path: Path) -> tuple[pa.Table, _Settings]:
    with pa.OSFile(str(path)) as file:
        is_stream = file.read(len(_MAGIC)) != _MAGIC
        file.seek(0)
        reader = ipc.open_stream(file) if is_stream else ipc.open_file(file)
        table = reader.read_all()
        file.seek(0)
        codec = find_codec(file) if is_stream else find_file_codec(file)
        plain, decoded = decode_runs(table)
        for note in describe_decoded(decoded):
            warn(note)
        return plain, _Settings(is_stream=is_stream, codec=codec)


_CODECS: Final = ("lz4", "zstd")
_TAIL: Final = 10
"""Bytes after the footer of a file: its length, and the magic word."""


def find_file_codec(source: Any) -> str | None:
    """The codec of the first record batch of a file, which its footer points to.

    `Footer.recordBatches` (slot 3) is a vector of blocks that begin with their place. What lies
    before a batch is not read: some writers, polars among them, begin files in ways of their own.
    """
    source.seek(source.size() - _TAIL)
    size = _number(source.read(4), "<i", 0)
    source.seek(source.size() - _TAIL - size)
    footer = source.read(size)
    batches = _table(footer, _number(footer, "<I", 0), 3)
    if batches is None or _number(footer, "<I", batches) == 0:
        return None
    source.seek(_number(footer, "<q", batches + 4))
    return _codec(ipc.read_message(source).metadata.to_pybytes())


def find_codec(source: Any) -> str | None:
    """The codec of the first record batch in a stream of messages; None if it is not compressed."""
    for message in ipc.MessageReader.open_stream(source):
        if message.type == "record batch":
            return _codec(message.metadata.to_pybytes())
    return None


def _codec(metadata: bytes) -> str | None:
    root = _number(metadata, "<I", 0)
    batch = _table(metadata, root, 2)
    compression = None if batch is None else _table(metadata, batch, 3)
    if compression is None:
        return None
    place = _slot(metadata, compression, 0)
    return _CODECS[metadata[place] if place else 0]


def _table(buffer: bytes, table: int, slot: int) -> int | None:
    place = _slot(buffer, table, slot)
    return place + _number(buffer, "<I", place) if place else None


def _slot(buffer: bytes, table: int, slot: int) -> int | None:
    """Return the offset of a field of a table; None if it has its default."""
    index = table - _number(buffer, "<i", table)
    entry = 4 + 2 * slot
    offset = _number(buffer, "<H", index + entry) if entry < _number(buffer, "<H", index) else 0
    return table + offset if offset else None


def _number(buffer: bytes, form: str, place: int) -> int:
    value: int = struct.unpack_from(form, buffer, place)[0]
    return value
