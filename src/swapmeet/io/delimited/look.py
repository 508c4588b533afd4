"""Form of a delimited text: its titles, and the one notation of each column's cells.

`5`, `5.000`, ` 5` and `+5` are one number, `NA` and an empty cell both a missing value: a cell that
kept its own spelling would tell from whom it comes. What all cells of a column have in common
(quotes, a number of decimals, the word for a missing value) stays; what differs becomes one form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.io.delimited.dialect import Dialect, required_delimiter
from swapmeet.io.delimited.values import (
    MISSING,
    NO_WORDS,
    cast_words,
    format_cells,
    format_words,
    quote,
    quote_where_needed,
    strip_words,
    unquote_trimmed,
)

_PARTS: Final = r"^(?P<whole>-?[0-9]+)(?:\.(?P<fraction>[0-9]+))?$"
_POWER: Final = r"^[+-]?[0-9.]+[eE]"
_TOLD: Final = r"\.[0-9]*[1-9]|[a-zA-Z]"
_SMALL, _LARGE = 1e-4, 1e16
"""Python writes numbers below and from here on with a power of ten."""


@dataclass(frozen=True)
class NumberLook:
    """The least number of decimals, and whether some or all numbers have a power of ten.

    `is_told` is whether some number shows that the column is not one of whole numbers.
    """

    decimals: int | None = None
    has_plain: bool = False
    has_power: bool = False
    is_told: bool = False

    @classmethod
    def of(cls, words: Any, *, comma: bool) -> NumberLook:
        """That of some numbers, which are words without quotes and blanks."""
        words = _to_point(words, comma=comma)
        is_told = bool(pc.any(pc.match_substring_regex(words, _TOLD), min_count=0).as_py())
        words = words.filter(pc.match_substring_regex(words, "[0-9]"))
        power = _has_power(words)
        has_power = bool(pc.any(power, min_count=0).as_py())
        has_plain = not pc.all(power, min_count=0).as_py()
        counted = words.filter(pc.invert(power)) if has_plain else words
        decimals = pc.min(pc.utf8_length(_find_fraction(counted))).as_py()
        return cls(decimals, has_plain=has_plain, has_power=has_power, is_told=is_told)

    def __and__(self, other: NumberLook) -> NumberLook:
        """That of the numbers of both."""
        both = (self, other)
        known = [each for each in both if each.has_plain] or both
        counts = [each.decimals for each in known if each.decimals is not None]
        return NumberLook(
            min(counts, default=None),
            has_plain=self.has_plain or other.has_plain,
            has_power=self.has_power or other.has_power,
            is_told=self.is_told or other.is_told,
        )


def rewrite_numbers(words: Any, look: NumberLook, *, comma: bool, floating: bool = False) -> Any:
    """Each number in one way: with the decimals it needs, and at least those that all have.

    Powers of ten stay where all numbers have one. Where some have, numbers are written as Python
    and pandas do. A `floating` column whose numbers are all whole keeps a decimal that tells so.

    >>> words = pa.array(["+5", "5.000", ".25", "-0.0"], pa.large_string())
    >>> rewrite_numbers(words, NumberLook.of(words, comma=False), comma=False).to_pylist()
    ['5', '5', '0.25', '0']
    """
    least = 1 if floating and not look.is_told else 0
    decimals, plain = max(look.decimals or 0, least), _to_point(words, comma=comma)
    if not look.has_power:
        plain = _rewrite_each(plain, _has_power(plain), lambda word: f"{Decimal(word):f}")
    elif look.has_plain:
        chosen = pc.or_(_has_power(plain), _is_beyond(plain))
        plain = _rewrite_each(plain, chosen, _write_as_python)
    else:
        plain = _rewrite_each(plain, _has_power(plain), lambda word: _write_power(word, decimals))
    plain = _pad(_shorten(plain), decimals)
    return pc.replace_substring(plain, ".", ",") if comma else plain


def _to_point(words: Any, *, comma: bool) -> Any:
    return pc.replace_substring(words, ",", ".") if comma else words


def _find_fraction(words: Any) -> Any:
    """The digits after the point."""
    digits = pc.struct_field(pc.extract_regex(words, r"\.(?P<digits>[0-9]*)"), "digits")
    return pc.fill_null(digits, "")


def _shorten(words: Any) -> Any:
    """Without signs, zeros and points that say nothing."""
    for form, replacement in (
        (r"^\+", ""),
        (r"^(-?)\.", r"\10."),
        (r"\.0*$", ""),
        (r"(\.[0-9]*[1-9])0+$", r"\1"),
        (r"^-0$", "0"),
        (r"^(-?)(?i:inf|infinity)$", r"\1inf"),
    ):
        words = pc.replace_substring_regex(words, form, replacement)
    return words


def _pad(words: Any, decimals: int) -> Any:
    if not decimals:
        return words
    parts = pc.extract_regex(words, _PARTS)
    fraction = pc.fill_null(pc.struct_field(parts, "fraction"), "")
    padded = pc.utf8_rpad(fraction, decimals, "0")
    joined = pc.binary_join_element_wise(
        pc.struct_field(parts, "whole"), padded, pa.scalar(".", _TEXT)
    )
    return pc.if_else(pc.is_null(parts), words, joined)


def _has_power(words: Any) -> Any:
    return pc.match_substring_regex(words, _POWER)


def _is_beyond(words: Any) -> Any:
    """Numbers that Python writes with a power of ten."""
    is_number = pc.match_substring_regex(words, "^[+-]?[0-9.]+$")
    size = pc.abs(pc.cast(pc.if_else(is_number, pc.utf8_ltrim(words, "+"), "0"), pa.float64()))
    beyond = pc.or_(pc.less(size, _SMALL), pc.greater_equal(size, _LARGE))
    return pc.and_(beyond, pc.not_equal(size, 0.0))


def _rewrite_each(words: Any, chosen: Any, write: Callable[[str], str]) -> Any:
    """Words one by one, where no rule for all of them does."""
    chosen = pc.fill_null(chosen, fill_value=False)
    if not pc.any(chosen, min_count=0).as_py():
        return words
    written = [write(word) for word in words.filter(chosen).to_pylist()]
    return pc.replace_with_mask(words, chosen, pa.array(written, _TEXT))


def _write_as_python(word: str) -> str:
    size = abs(Decimal(word))
    plain = not size or Decimal("1e-4") <= size < Decimal(10) ** 16
    return f"{Decimal(word):f}" if plain else _write_power(word, 0)


def _write_power(word: str, decimals: int) -> str:
    """As C writes it, with the digits that it needs, and at least so many decimals."""
    sign, digits, _ = Decimal(word).as_tuple()
    shown = "".join(map(str, digits)).strip("0") or "0"
    power = Decimal(word).adjusted() if any(digits) else 0
    fraction = shown[1:].ljust(decimals, "0")
    number = f"{shown[0]}.{fraction}" if fraction else shown[0]
    return f"{'-' if sign and any(digits) else ''}{number}e{power:+03d}"


_TEXT: Final = pa.large_string()
_MOMENT: Final = r"^[0-9-]{10}(?P<shape>.[0-9:]+(?:\.[0-9]+)?)(?P<zone>Z|[+-][0-9:]+)?$"
_CASES: Final = ({"true", "false"}, {"True", "False"}, {"TRUE", "FALSE"})


@dataclass(frozen=True, kw_only=True)
class CellLook:
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
    ) -> CellLook:
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

    def __and__(self, other: CellLook) -> CellLook:
        """That of the cells of both."""
        return CellLook(
            quoted=self.quoted and other.quoted,
            missing=self.missing | other.missing,
            numbers=self.numbers & other.numbers,
            forms=self.forms | other.forms,
            gaps=self.gaps | other.gaps,
        )


def rewrite_cells(
    tokens: Any, kind: pa.DataType, look: CellLook, dialect: Dialect, *, comma: bool
) -> Any:
    """The same values of a column of this type, each written in one way."""
    encoded = tokens.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    distinct = _rewrite(encoded.dictionary, kind, look, dialect, comma=comma)
    return distinct.take(encoded.indices)


def _rewrite(
    tokens: Any, kind: pa.DataType, look: CellLook, dialect: Dialect, *, comma: bool
) -> Any:
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


def _rewrite_words(words: Any, kind: pa.DataType, look: CellLook, *, comma: bool) -> Any:
    if pt.is_integer(kind) or pt.is_floating(kind):
        return rewrite_numbers(words, look.numbers, comma=comma, floating=pt.is_floating(kind))
    if pt.is_timestamp(kind) and len(look.forms) > 1:
        return format_words(cast_words(words, kind))
    if pt.is_boolean(kind) and not any(look.forms <= case for case in _CASES):
        return pc.utf8_lower(words)
    return words


def _quote(words: Any, look: CellLook, dialect: Dialect) -> Any:
    return quote(words) if look.quoted else quote_where_needed(words, dialect)


def _token_for(word: str, look: CellLook, dialect: Dialect) -> Any:
    """A word that may mean «missing», as it stands in the text if it always stands so."""
    seen = look.missing & {word, f'"{word}"'}
    if len(seen) == 1:
        return pa.scalar(*seen, _TEXT)
    if word == "":
        return pa.scalar("", _TEXT)
    return _quote(pa.array([word], _TEXT), look, dialect)[0]


def _missing_token(look: CellLook) -> str:
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
    looks: Mapping[str, CellLook] = field(default_factory=dict)

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
