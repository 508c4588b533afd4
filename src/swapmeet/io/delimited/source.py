"""A delimited text that is read in pieces."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from swapmeet.io.delimited.look import Look, TextLayout
from swapmeet.io.delimited.pieces import TextPieces
from swapmeet.io.delimited.values import TypeGuess
from swapmeet.io.parquet.file import ParquetSource
from swapmeet.tables.missing_codes import assign_words
from swapmeet.tables.schema_guess import HEAD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from swapmeet.base.parallel import Workers
    from swapmeet.tables.missing_codes import MissingCodes


@dataclass(frozen=True, repr=False)
class TextSource:
    """A delimited text whose cells were put aside as they stand in it.

    Besides its columns, `pieces` gives those cells: ask for the column that `cells_of` names.
    """

    path: Path
    aside: ParquetSource
    guesses: dict[str, TypeGuess]
    layout: TextLayout

    def __repr__(self) -> str:
        return f"<TextSource of {self.rows} rows>"

    @classmethod
    def open(
        cls, path: Path, folder: Path, workers: Workers,
        *, delimiter: str | None = None, encoding: str | None = None, header: bool | None = None,
        missing: MissingCodes = (),
    ) -> TextSource:  # fmt: skip
        """Read the text once, put its cells aside in `folder`, and find out what they are."""
        reader = _TextReader(TextPieces(path, delimiter, encoding, header), workers, missing)
        aside = folder / "cells.parquet"
        reader.copy_cells(aside)
        return cls(path, ParquetSource.open(aside), reader.guesses, reader.layout)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.aside.rows

    @property
    def names(self) -> list[str]:
        """The columns, in order."""
        return list(self.guesses)

    @cached_property
    def schema(self) -> Any:
        """The columns and their types."""
        return pa.schema([(name, guess.type) for name, guess in self.guesses.items()])

    @cached_property
    def head(self) -> Any:
        """The first rows."""
        for _, table in self.pieces(self.names, HEAD):
            return table
        return self.schema.empty_table()

    def cells_of(self, name: str) -> str:
        """The name of the column with the cells of this column as they stand in the text."""
        return name + "_" * (1 + max(map(len, self.names)))

    def pieces(self, columns: Iterable[str], rows: int) -> Iterator[tuple[int, Any]]:
        """Tables of at most `rows` rows until the end, each with the number of its first row."""
        names = list(columns)
        cells = {self.cells_of(name): str(place) for place, name in enumerate(self.names)}
        places = {name: cells.get(name) or cells[self.cells_of(name)] for name in names}
        for begin, table in self.aside.pieces(sorted(set(places.values())), rows):
            found = {name: self._column(name, table[places[name]]) for name in names}
            yield begin, pa.table(found)

    def _column(self, name: str, cells: Any) -> Any:
        if name not in self.guesses:
            return cells
        encoded = cells.combine_chunks().dictionary_encode()
        return self.guesses[name].parse(encoded.dictionary).take(encoded.indices)


class _TextReader:
    """Facts that were found out about a text so far."""

    def __init__(self, pieces: TextPieces, workers: Workers, missing: MissingCodes) -> None:
        self.guesses: dict[str, TypeGuess] = {}
        self._pieces, self._workers, self._missing = pieces, workers, missing
        self._header: dict[str, str] = {}
        self._looks: dict[str, Look] = {}

    @property
    def layout(self) -> TextLayout:
        """Return how the text was written."""
        comma = {name for name, guess in self.guesses.items() if guess.has_decimal_comma}
        kinds = {name: guess.type for name, guess in self.guesses.items()}
        dialect = self._pieces.dialect
        return TextLayout(dialect, self._header, frozenset(comma), kinds, self._looks)

    def copy_cells(self, aside: Path) -> None:
        """Read all, and write the cells to a file."""
        writer, rows = None, 0
        with ThreadPoolExecutor(self._workers.threads) as pool:
            try:
                for tokens in self._pieces:
                    self._begin(tokens.header)
                    list(pool.map(self._examine, *zip(*tokens.columns.items(), strict=True)))
                    table = pa.table({str(j): c for j, c in enumerate(tokens.columns.values())})
                    writer = writer or _open_writer(aside, table.schema)
                    writer.write_table(table)
                    rows += len(table)
                    self._workers.progress("reading", rows, 0)
            finally:
                if writer is not None:
                    writer.close()

    def _begin(self, header: dict[str, str]) -> None:
        comma = self._pieces.dialect.decimal_comma
        if not self._header:
            self._header = header
            gaps = assign_words(self._missing, tuple(header))
            self.guesses = {
                name: TypeGuess(decimal_comma=comma, gaps=gaps[name]) for name in header
            }

    def _examine(self, name: str, cells: Any) -> None:
        distinct, guess = cells.unique(), self.guesses[name]
        guess.narrow(distinct)
        look = Look.of(distinct, guess.type, comma=guess.has_decimal_comma, gaps=guess.gaps)
        self._looks[name] = self._looks[name] & look if name in self._looks else look


def _open_writer(aside: Path, schema: Any) -> Any:
    return pq.ParquetWriter(aside, schema, compression="lz4", use_dictionary=False)
