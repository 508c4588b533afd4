"""A Parquet file as a whole, with its schema and compression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from swapmeet.io.document import Document
from swapmeet.io.names import check_names
from swapmeet.io.parquet.settings import ParquetSettings
from swapmeet.io.release_table import refuse_columns, refuse_damage, release_table
from swapmeet.tables.arrow import simplify_types

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.io.publication import Publication


def read(path: Path, parts: list[Path]) -> Document:
    """Read a Parquet file, or the parts of a folder as one table."""
    with refuse_damage(path, "Parquet"):
        tables, settings = zip(*map(_read_part, parts), strict=True)
        table = pa.concat_tables(tables)
        table.validate(full=True)
    check_names(path, table.column_names)
    return Document(path=path, format="parquet", frame=simplify_types(table), layout=settings[0])


def peek_names(path: Path) -> tuple[str, ...]:
    """The columns of a file, by its schema."""
    with refuse_damage(path, "Parquet"):
        return tuple(pq.read_schema(path).names)


def write(aside: Path, publication: Publication) -> None:
    """Write a Parquet file with the settings of the original, if there is one."""
    original = publication.original
    settings = ParquetSettings() if original is None else original.layout
    table = release_table(publication)
    with refuse_columns(publication.target, "Parquet"):
        pq.write_table(table, aside, **settings.options(table.column_names))


def _read_part(path: Path) -> tuple[pa.Table, ParquetSettings]:
    with pq.ParquetFile(path) as file:
        return file.read(), ParquetSettings.of(file.metadata)
