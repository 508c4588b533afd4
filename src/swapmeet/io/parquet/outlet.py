"""A Parquet file that is written in pieces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from swapmeet.io.parquet.settings import ParquetSettings
from swapmeet.io.parquet.source import ParquetSource
from swapmeet.io.release_table import refuse_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from swapmeet.io.stream import Source


@dataclass(frozen=True)
class ParquetOutlet:
    """A Parquet file with these settings."""

    target: Path
    settings: ParquetSettings
    cells: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def like(cls, source: Source, target: Path) -> Self:
        """A file with the settings of `source`, if that is Parquet, too."""
        settings = source.settings if isinstance(source, ParquetSource) else ParquetSettings()
        return cls(target, settings)

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
