"""An Arrow file or stream as a whole, with its schema and compression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyarrow import ipc

from swapmeet.core.tables.arrow_types import decode_runs, describe_decoded
from swapmeet.errors import warn
from swapmeet.io.arrow.codec import find_codec, find_file_codec
from swapmeet.io.document import Document
from swapmeet.io.names import check_names
from swapmeet.io.release_table import refuse_columns, refuse_damage, release_table

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.io.publication import Publication

_MAGIC: Final = b"ARROW1\0\0"


@dataclass(frozen=True, kw_only=True)
class _Settings:
    """Random access or stream, and the codec of the batches."""

    is_stream: bool = False
    codec: str | None = None


def read(path: Path) -> Document:
    """Read an Arrow file or stream."""
    with refuse_damage(path, "Arrow"):
        table, settings = _read(path)
        table.validate(full=True)
    check_names(path, table.column_names)
    return Document(path=path, format="arrow", frame=table, layout=settings)


def write(aside: Path, publication: Publication) -> None:
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
