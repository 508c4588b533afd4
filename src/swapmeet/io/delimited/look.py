"""Form of a delimited text: its titles, and the one notation of each column's cells.

`5`, `5.000`, ` 5` and `+5` are one number, `NA` and an empty cell both a missing value: a cell that
kept its own spelling would tell from whom it comes. What all cells of a column have in common
(quotes, a number of decimals, the word for a missing value) stays; what differs becomes one form.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.io.delimited.cells import format_cells, format_words, quote, quote_where_needed
from swapmeet.io.delimited.dialect import Dialect, required_delimiter
from swapmeet.io.delimited.numbers import NumberLook, rewrite_numbers
from swapmeet.io.delimited.values import MISSING, NO_WORDS, cast_words, strip_words, unquote_trimmed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


_TEXT: Final = pa.large_string()
_MOMENT: Final = r"^[0-9-]{10}(?P<shape>.[0-9:]+(?:\.[0-9]+)?)(?P<zone>Z|[+-][0-9:]+)?$"
_CASES: Final = ({"true", "false"}, {"True", "False"}, {"TRUE", "FALSE"})


@dataclass(frozen=True, kw_only=True)
class Look:
    """Look that cells have in common: `quoted` unless missing, and how missing ones are written.

    `missing` are the tokens for missing values, `forms` those of moments and truth values. `gaps`
    are words that were said to mean that a value is missing; each of them stays as it is.
    """

    quoted: bool = True
    missing: frozenset[str] = frozenset()
    numbers: NumberLook = field(default_factory=NumberLook)
    forms: frozenset[str] = frozenset()
    gaps: frozenset[str] = NO_WORDS

    @classmethod
    def of(
        cls, tokens: Any, kind: pa.DataType, *, comma: bool, gaps: frozenset[str] = NO_WORDS
    ) -> Look:
        """That of some cells, each of which needs to be there only once."""
        tokens = pc.utf8_trim_whitespace(tokens)
        is_missing = pc.is_null(strip_words(tokens))
        known, words = tokens.filter(pc.invert(is_missing)), strip_words(tokens, gaps).drop_null()
        number = pt.is_integer(kind) or pt.is_floating(kind)
        return cls(
            quoted=bool(pc.all(pc.starts_with(known, '"'), min_count=0).as_py()),
            missing=frozenset(tokens.filter(is_missing).unique().to_pylist()),
            numbers=NumberLook.of(words, comma=comma) if number else NumberLook(),
            forms=_find_forms(words, kind),
            gaps=gaps,
        )

    def __and__(self, other: Look) -> Look:
        """That of the cells of both."""
        return Look(
            quoted=self.quoted and other.quoted,
            missing=self.missing | other.missing,
            numbers=self.numbers & other.numbers,
            forms=self.forms | other.forms,
            gaps=self.gaps | other.gaps,
        )


def rewrite_cells(
    tokens: Any, kind: pa.DataType, look: Look, dialect: Dialect, *, comma: bool
) -> Any:
    """The same values of a column of this type, each written in one way."""
    encoded = tokens.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    distinct = _rewrite(encoded.dictionary, kind, look, dialect, comma=comma)
    return distinct.take(encoded.indices)


def _rewrite(tokens: Any, kind: pa.DataType, look: Look, dialect: Dialect, *, comma: bool) -> Any:
    if pt.is_large_string(kind):
        words = unquote_trimmed(tokens)
        written = _quote(words, look, dialect)
        for word in MISSING.to_pylist():
            written = pc.if_else(pc.equal(words, word), _token_for(word, look, dialect), written)
        return written
    words = _rewrite_words(strip_words(tokens, look.gaps), kind, look, comma=comma)
    if look.gaps:
        words = pc.coalesce(words, strip_words(tokens))
    return pc.fill_null(_quote(words, look, dialect), _missing_token(look))


def _rewrite_words(words: Any, kind: pa.DataType, look: Look, *, comma: bool) -> Any:
    if pt.is_integer(kind) or pt.is_floating(kind):
        return rewrite_numbers(words, look.numbers, comma=comma, floating=pt.is_floating(kind))
    if pt.is_timestamp(kind) and len(look.forms) > 1:
        return format_words(cast_words(words, kind))
    if pt.is_boolean(kind) and not any(look.forms <= case for case in _CASES):
        return pc.utf8_lower(words)
    return words


def _quote(words: Any, look: Look, dialect: Dialect) -> Any:
    return quote(words) if look.quoted else quote_where_needed(words, dialect)


def _token_for(word: str, look: Look, dialect: Dialect) -> Any:
    """A word that may mean «missing», as it stands in the text if it always stands so."""
    seen = look.missing & {word, f'"{word}"'}
    if len(seen) == 1:
        return pa.scalar(*seen, _TEXT)
    if word == "":
        return pa.scalar("", _TEXT)
    return _quote(pa.array([word], _TEXT), look, dialect)[0]


def _missing_token(look: Look) -> str:
    return next(iter(look.missing)) if len(look.missing) == 1 else ""


def _find_forms(words: Any, kind: pa.DataType) -> frozenset[str]:
    """Truth values as they are; of moments, all but the digits, and their zones."""
    if pt.is_boolean(kind):
        return frozenset(words.to_pylist())
    if not pt.is_timestamp(kind):
        return frozenset()
    parts = pc.extract_regex(words, _MOMENT)
    shapes = pc.replace_substring_regex(pc.struct_field(parts, "shape"), "[0-9]", "9")
    zones = pc.struct_field(parts, "zone")
    forms = pc.binary_join_element_wise(shapes, zones, pa.scalar("", words.type))
    return frozenset(forms.unique().to_pylist())


@dataclass(frozen=True, repr=False)
class TextLayout:
    """Titles as they stand in the text; how columns look, and which have decimal commas."""

    dialect: Dialect
    header: Mapping[str, str] = field(default_factory=dict)
    decimal_comma: frozenset[str] = frozenset()
    kinds: Mapping[str, Any] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)

    def titles(self, names: Iterable[str]) -> list[str]:
        """The header line, cell by cell; nothing where the text has none."""
        if self.dialect.has_header is False:
            return []
        return [self.header.get(name) or self._title(name) for name in names]

    def format_cells(self, target: Path, name: str, values: Any) -> Any:
        """Values of a column as cells."""
        comma = name in self.decimal_comma
        cells = format_cells(target, name, values, self.dialect, comma=comma)
        return self.rewrite_cells(name, cells) if name in self.looks else cells

    def rewrite_cells(self, name: str, cells: Any) -> Any:
        """Cells of a column of the text, each value written in one way."""
        comma = name in self.decimal_comma
        return rewrite_cells(cells, self.kinds[name], self.looks[name], self.dialect, comma=comma)

    def _title(self, name: str) -> str:
        special = any(mark in name for mark in (self.dialect.delimiter, '"', "\r", "\n"))
        return '"' + name.replace('"', '""') + '"' if special else name


def choose_layout(target: Path, original: TextLayout | None) -> TextLayout:
    """The layout of the original, unless the name of the target demands another delimiter."""
    demanded = required_delimiter(target)
    if original is not None and demanded in {None, original.dialect.delimiter}:
        return original
    has_header = original is None or original.dialect.has_header is not False
    return TextLayout(Dialect(delimiter=demanded or ",", has_header=has_header))


def show_blank_rows(columns: list[Any]) -> list[Any]:
    """The cells of all columns; an empty one that is alone in its row is no blank line."""
    if len(columns) > 1:
        return columns
    return [pc.replace_substring_regex(columns[0], "^$", '""')]
