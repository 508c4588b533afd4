"""How the tables of a release become a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from swapmeet.core.release.donors import SUPPRESSED
from swapmeet.core.tables.arrow import cells_of
from swapmeet.engines.files.source import ParquetSource
from swapmeet.engines.files.text_source import TextSource
from swapmeet.errors import OutputError
from swapmeet.io.columnar import ParquetSettings
from swapmeet.io.csv_format import text_of
from swapmeet.io.csv_layout import TextLayout, layout_like, visible
from swapmeet.io.csv_text import write_text
from swapmeet.io.formats import format_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from swapmeet.core.release.outcome import Outcome
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.engines.files.source import Source


class Outlet(Protocol):
    """What writes a release.

    `cells` names, for columns whose cells are to stand as in the original, the column of tables
    that has them; it is null where a value was made.
    """

    @property
    def cells(self) -> Mapping[str, str]: ...
    def write(self, aside: Path, schema: Any, tables: Iterable[Any]) -> None:
        """Write tables, which have at least the columns of `schema`."""


def outlet_for(target: Path, file: Source) -> Outlet:
    """The way to write a release of `file` to `target`."""
    if format_of(target) == "parquet":
        settings = file.settings if isinstance(file, ParquetSource) else ParquetSettings()
        return ParquetOutlet(target, settings)
    layout = layout_like(target, file.layout if isinstance(file, TextSource) else None)
    if isinstance(file, TextSource) and layout is file.layout:
        return TextOutlet(target, layout, {name: file.cells_of(name) for name in file.names})
    return TextOutlet(target, layout)


@dataclass(frozen=True)
class ParquetOutlet:
    """A Parquet file with these settings."""

    target: Path
    settings: ParquetSettings
    cells: Mapping[str, str] = field(default_factory=dict)

    def write(self, aside: Path, schema: Any, tables: Iterable[Any]) -> None:
        """Write tables, which have at least the columns of `schema`."""
        options = self.settings.options(schema.names)
        try:
            with pq.ParquetWriter(aside, schema, **options) as writer:
                for table in tables:
                    columns = [table[name] for name in schema.names]
                    writer.write_table(pa.Table.from_arrays(columns, schema=schema))
        except pa.ArrowException:
            raise OutputError(
                f"{self.target}: a column has a type or values that Parquet cannot hold."
            ) from None


@dataclass(frozen=True)
class TextOutlet:
    """A delimited text with this layout."""

    target: Path
    layout: TextLayout
    cells: Mapping[str, str] = field(default_factory=dict)

    def write(self, aside: Path, schema: Any, tables: Iterable[Any]) -> None:
        """Write tables, which have at least the columns of `schema`."""
        header = self.layout.titles(schema.names)
        text = text_of(header, self._cells(schema.names, tables), self.layout.dialect)
        write_text(aside, self.target, self.layout.dialect.encoding, text)

    def _cells(self, names: list[str], tables: Iterable[Any]) -> Iterator[list[Any]]:
        for table in tables:
            columns = [self._column(table, name) for name in names]
            yield visible(columns)

    def _column(self, table: Any, name: str) -> Any:
        values = table[name].combine_chunks()
        if name not in self.cells:
            return self.layout.formatted(self.target, name, values)
        copied = table[self.cells[name]].combine_chunks()
        if copied.null_count == 0:
            return copied
        return copied.fill_null(self.layout.formatted(self.target, name, values))


def with_cells(
    released: Any, table: Any, cells: Mapping[str, str], data: Microdata, outcome: Outcome
) -> Any:
    """Released rows with the cells that moved along: empty if suppressed, null if made."""
    donors = dict(zip(data.names, outcome.donors.matrix.T, strict=True))
    for name, column in cells.items():
        moved = table[column].slice(0, data.own)
        if name in donors:
            given = donors[name]
            moved = cells_of(table[column], pa.array(given, mask=given < 0))
            moved = pc.if_else(pa.array(given == SUPPRESSED), "", moved)
        released = released.append_column(column, moved)
    return released
