"""Parquet: a file, or a folder of files that make one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from swapmeet.io.feature import TYPES
from swapmeet.io.format import Outlet, Source, StreamingFormat

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.base.parallel import Progress, Workers
    from swapmeet.io.document import Document
    from swapmeet.io.publication import Publication


@dataclass(frozen=True, kw_only=True)
class Parquet(StreamingFormat):
    """Schema and compression of the original survive."""

    def read(self, path: Path, progress: Progress, **_: Any) -> Document:
        """The table, and the settings of its file or of the first file of its folder."""
        from swapmeet.io.parquet.file import read

        return read(path, self.parts(path) if path.is_dir() else [path])

    def peek_names(self, path: Path, **_: Any) -> tuple[str, ...]:
        """The columns, as the schema at the end of the file has them."""
        from swapmeet.io.parquet.file import peek_names

        return peek_names(self.parts(path)[0] if path.is_dir() else path)

    def write(self, aside: Path, publication: Publication) -> None:
        """Write with the settings of the original, if there is one."""
        from swapmeet.io.parquet.file import write

        write(aside, publication)

    def open_source(self, path: Path, folder: Path, workers: Workers, **_: Any) -> Source:
        """The file, read where it is."""
        from swapmeet.io.parquet.file import ParquetSource

        return ParquetSource.open(path)

    def open_outlet(self, target: Path, source: Source) -> Outlet:
        """A file with the settings of the source, if that is Parquet, too."""
        from swapmeet.io.parquet.file import ParquetOutlet

        return ParquetOutlet.like(source, target)


PARQUET: Final = Parquet(
    name="parquet", title="Parquet", suffixes=(".parquet", ".pq"), reads_folders=True,
    keeps=TYPES, carries=TYPES,
)  # fmt: skip
