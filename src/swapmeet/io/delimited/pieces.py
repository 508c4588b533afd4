"""Delimited text of any size, read and written piece by piece."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from swapmeet.errors import FileError
from swapmeet.io.delimited.dialect import (
    Dialect,
    TextEncoding,
    decoding_error,
    detect_dialect,
    find_mark,
    gzip_error,
    is_packed,
    not_text_error,
    resolve_encoding,
    warn_of_guess,
    write_text,
)
from swapmeet.io.delimited.file import (
    HEAD_BYTES,
    RawCells,
    check_header,
    find_row_end,
    split_rows,
    split_table,
)
from swapmeet.io.delimited.look import CellLook, TextLayout, choose_layout, show_blank_rows
from swapmeet.io.delimited.values import TypeGuess, count_formulas, render_text, warn_of_formulas
from swapmeet.io.parquet import ParquetSource
from swapmeet.tables.missing_codes import assign_words
from swapmeet.tables.schema_guess import HEAD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from swapmeet.base.parallel import Workers
    from swapmeet.io.format import Format, Source
    from swapmeet.tables.roles import MissingCodes


PIECE: Final = 1 << 24
"""Bytes that are read at once."""
LONGEST: Final = 1 << 28
"""The most bytes that a row may have, or what looks like a quoted cell."""


@dataclass
class TextPieces:
    """The tokens of a delimited text, piece by piece; at the end, `dialect` is that of all."""

    path: Path
    delimiter: str | None = None
    encoding: str | None = None
    has_header: bool | None = None
    dialect: Dialect = field(default_factory=Dialect, init=False)

    def __iter__(self) -> Iterator[RawCells]:
        header: dict[str, str] | None = None
        line = 1
        for text in self._rows():
            if header is None:
                tokens = split_table(self.path, text, self.dialect)
                header = tokens.header
            else:
                tokens = split_rows(self.path, text, self.dialect, header, line)
            yield tokens
            newline = self.dialect.newline
            line += text.count(newline[-1:].encode())
            ends = text.endswith(newline.encode())
            self.dialect = replace(self.dialect, ends_in_newline=ends)
        if header is None:
            raise FileError(f"{self.path}: is empty. Give a file that contains a table.")

    def _rows(self) -> Iterator[bytes]:
        """UTF-8 text that ends where a row does."""
        stored, held = detect_encoding(self.path, self.encoding), b""
        head = next(_decode_pieces(self.path, stored, HEAD_BYTES), b"")
        self.dialect = detect_dialect(
            self.path, head, stored, self.delimiter, header=self.has_header
        )
        check_header(self.path, head, self.dialect)
        for text in _decode_pieces(self.path, stored, PIECE):
            held += text
            end = find_row_end(held, self.dialect)
            if end:
                yield held[:end]
                held = held[end:]
            elif len(held) > LONGEST:
                raise FileError(
                    f"{self.path}: a row or a quoted cell is longer than {LONGEST >> 20} MiB. "
                    "Repair it, or mask the file in memory."
                )
        if held:
            yield held


def peek_names(
    kind: Format, path: Path, *, delimiter: str | None = None, encoding: str | None = None,
    header: bool | None = None, **_: Any,
) -> tuple[str, ...]:  # fmt: skip
    """The columns by the beginning of a text; none where that is not plain enough to tell."""
    head = next(_read_pieces(path, HEAD_BYTES)).removeprefix(codecs.BOM_UTF8)
    line = head[: head.find(b"\n") + 1]
    rows = head[: head.rfind(b"\n") + 1]
    plain = line.strip() and line.isascii() and line.count(b'"') % 2 == 0 and b"\0" not in rows
    if not plain or encoding or not _is_unicode(rows):
        return ()
    dialect = detect_dialect(path, head, TextEncoding(codec="utf-8"), delimiter, header=header)
    check_header(path, rows, dialect)
    return tuple(split_table(path, line, dialect).header)


def _is_unicode(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def detect_encoding(path: Path, encoding: str | None) -> TextEncoding:
    """Find how the text of a file is stored, as `read_text` does; nothing of it is kept."""
    mark, marked = find_mark(next(_read_pieces(path, HEAD_BYTES)))
    known = resolve_encoding(path, encoding, marked) if encoding else marked
    if known:
        return TextEncoding(codec=known, mark=mark if known == marked else b"")
    for codec in ("utf-8", "cp1252"):
        if _decodes_as(path, codec):
            break
    else:
        codec = "latin-1"
    if codec != "utf-8":
        warn_of_guess(path, codec)
    return TextEncoding(codec=codec)


def _decodes_as(path: Path, codec: str) -> bool:
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        for raw in _read_pieces(path, PIECE):
            decoder.decode(raw, final=not raw)
    except UnicodeDecodeError:
        return False
    return True


def _decode_pieces(path: Path, stored: TextEncoding, size: int) -> Iterator[bytes]:
    """The text as UTF-8."""
    decoder = codecs.getincrementaldecoder(stored.codec)()
    place = len(stored.mark)
    for raw in _read_pieces(path, size, place):
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            raise decoding_error(path, place - pending + error.start, stored.codec) from None
        place += len(raw)
        if "\0" in text:
            raise not_text_error(path, stored.codec)
        if text:
            yield text.encode()


def _read_pieces(path: Path, size: int, start: int = 0) -> Iterator[bytes]:
    """The bytes of a file, unpacked, piece by piece; the last piece is empty."""
    with _refuse_damage(path), gzip.open(path) if is_packed(path) else path.open("rb") as file:
        file.read(start)
        while raw := file.read(size):
            yield raw
        yield b""


@contextmanager
def _refuse_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise gzip_error(path) from None
    except OSError as error:
        raise FileError(f"{path}: could not be read: {error.strerror or 'failed'}.") from error


@dataclass(frozen=True)
class TextOutlet:
    """A delimited text with this layout."""

    target: Path
    layout: TextLayout
    cells: Mapping[str, str] = field(default_factory=dict)

    def write(self, aside: Path, schema: Any, tables: Iterable[Any]) -> None:
        """Write tables, which have at least the columns of `schema`."""
        header = self.layout.titles(schema.names)
        text = render_text(header, self._cells(schema.names, tables), self.layout.dialect)
        write_text(aside, self.target, self.layout.dialect.encoding, text)

    def _cells(self, names: list[str], tables: Iterable[Any]) -> Iterator[list[Any]]:
        counts: Counter[str] = Counter()
        for table in tables:
            columns = [self._column(table, name) for name in names]
            counts.update(
                {n: count_formulas(c, table[n]) for n, c in zip(names, columns, strict=True)}
            )
            yield show_blank_rows(columns)
        warn_of_formulas(self.target, counts)

    def _column(self, table: Any, name: str) -> Any:
        values = table[name].combine_chunks()
        if name not in self.cells:
            return self.layout.format_cells(self.target, name, values)
        copied = table[self.cells[name]].combine_chunks()
        written = self.layout.rewrite_cells(name, copied.fill_null(""))
        if copied.null_count == 0:
            return written
        fresh = self.layout.format_cells(self.target, name, values)
        return pc.if_else(pc.is_null(copied), fresh, written)


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
            piece = {name: self._column(name, table[places[name]]) for name in names}
            yield begin, pa.table(piece)

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
        self._looks: dict[str, CellLook] = {}

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
        look = CellLook.of(distinct, guess.type, comma=guess.has_decimal_comma, gaps=guess.gaps)
        self._looks[name] = self._looks[name] & look if name in self._looks else look


def _open_writer(aside: Path, schema: Any) -> Any:
    return pq.ParquetWriter(aside, schema, compression="lz4", use_dictionary=False)


def open_source(
    path: Path, folder: Path, workers: Workers,
    *, delimiter: str | None = None, encoding: str | None = None, header: bool | None = None,
    missing: MissingCodes = (),
) -> TextSource:  # fmt: skip
    """Read the text once, put its cells aside in `folder`, and find out what they are."""
    reader = _TextReader(TextPieces(path, delimiter, encoding, header), workers, missing)
    aside = folder / "cells.parquet"
    reader.copy_cells(aside)
    return TextSource(path, ParquetSource.open(aside), reader.guesses, reader.layout)


def open_outlet(target: Path, source: Source) -> TextOutlet:
    """A text with the layout and the cells of `source`, as far as the target allows."""
    if not isinstance(source, TextSource):
        return TextOutlet(target, choose_layout(target, None))
    layout = choose_layout(target, source.layout)
    kept = source.names if layout is source.layout else ()
    return TextOutlet(target, layout, {name: source.cells_of(name) for name in kept})
