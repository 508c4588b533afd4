"""Delimited text (csv, tsv, txt), perhaps packed with gzip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from swapmeet.io.feature import TYPES, Feature
from swapmeet.io.format import Outlet, Source, StreamingFormat

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.base.parallel import Progress, Workers
    from swapmeet.io.document import Document
    from swapmeet.io.publication import Publication


@dataclass(frozen=True, kw_only=True)
class DelimitedText(StreamingFormat):
    """Values stay to the last digit; quotes, decimals and line ends are those of their column."""

    def read(self, path: Path, progress: Progress, **options: Any) -> Document:
        """The typed table, and its cells as they stand in the text."""
        from swapmeet.io.delimited.file import read

        return read(path, progress, **options)

    def peek_names(self, path: Path, **options: Any) -> tuple[str, ...]:
        """The columns, as the first line has them."""
        from swapmeet.io.delimited.pieces import peek_names

        return peek_names(path, **options)

    def write(self, aside: Path, publication: Publication) -> None:
        """Write in the dialect of the original, if there is one."""
        from swapmeet.io.delimited.file import write

        write(aside, publication)

    def find_options(self, document: Document) -> dict[str, Any]:
        """Delimiter and encoding, and that there is no header where there is none."""
        dialect = document.layout.layout.dialect
        options = {"delimiter": dialect.delimiter, "encoding": dialect.encoding.codec}
        return options | ({"header": False} if dialect.has_header is False else {})

    def open_source(self, path: Path, folder: Path, workers: Workers, **options: Any) -> Source:
        """The text, whose cells are put aside in `folder`."""
        from swapmeet.io.delimited.pieces import TextSource

        return TextSource.open(path, folder, workers, **options)

    def open_outlet(self, target: Path, source: Source) -> Outlet:
        """A text in the dialect of the source, if that is a text, too."""
        from swapmeet.io.delimited.pieces import TextOutlet

        return TextOutlet.like(source, target)


DELIMITED_TEXT: Final = DelimitedText(
    name="csv",
    title="delimited text",
    suffixes=(".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"),
    options=("delimiter", "encoding", "header", "missing"),
    keeps=TYPES,
    carries=frozenset({Feature.BOOLEANS, Feature.LONG_NUMBERS}),
)
