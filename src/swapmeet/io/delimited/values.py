"""Types of the tokens of a column: numbers, dates, truth values or text.

The first rule that all words of a column match decides; words that mean «missing» match every
rule. Only distinct tokens are looked at.

Spreadsheets run cells such as =cmd…, +…, -…, @… of a delimited text when it is opened. Numbers are
none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.errors import OutputError, warn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from swapmeet.io.delimited.dialect import Dialect


MISSING: Final = pa.array(
    ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "."], type=pa.large_string()
)
"""Words that mean that a value is missing; in a column of text, only the empty one does."""
NO_WORDS: Final[frozenset[str]] = frozenset()
_FIRST: Final = 64
_WHOLE: Final = "(?:0|[1-9][0-9]*)"
_EXPONENT: Final = "(?:[eE][+-]?[0-9]+)?"
_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_MOMENT: Final = _DAY + r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"


@dataclass(frozen=True, kw_only=True, repr=False)
class ParsedColumn:
    """A column of values, its distinct tokens, and whether numbers have a decimal comma."""

    values: pa.Array
    tokens: pa.LargeStringArray
    decimal_comma: bool = False


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """Words of this form are values of the first of these types that holds them all."""

    form: str
    types: tuple[pa.DataType, ...]
    decimal_comma: bool = False


def _decimal(point: str) -> str:
    number = rf"(?:{_WHOLE}(?:{point}[0-9]*)?|{point}[0-9]+){_EXPONENT}"
    return rf"[+-]?(?:{number}|(?i:inf|infinity))"


_RULES: Final = (
    _Rule(form=rf"[+-]?{_WHOLE}", types=(pa.int64(),)),
    _Rule(form=_decimal(r"\."), types=(pa.float64(),)),
    _Rule(form=_decimal(","), types=(pa.float64(),), decimal_comma=True),
    _Rule(form=_DAY, types=(pa.date32(),)),
    _Rule(form=_MOMENT, types=(pa.timestamp("us"), pa.timestamp("ns"))),
    _Rule(
        form=_MOMENT + "(?:Z|[+-][0-9]{2}:?(?:[0-9]{2})?)",
        types=(pa.timestamp("us", "UTC"), pa.timestamp("ns", "UTC")),
    ),
    _Rule(form="(?i:true|false)", types=(pa.bool_(),)),
)


def parse_column(
    tokens: pa.LargeStringArray, *, decimal_comma: bool, gaps: frozenset[str] = NO_WORDS
) -> ParsedColumn:
    """The values of a column; `decimal_comma` allows numbers like `3,14`.

    `gaps` are more words that mean that a value is missing.

    >>> parse_column(pa.array(["1", "NA"], pa.large_string()), decimal_comma=False).values.type
    DataType(int64)
    >>> parse_column(pa.array(["007", "12"], pa.large_string()), decimal_comma=False).values.type
    DataType(large_string)
    """
    encoded, guess = tokens.dictionary_encode(), TypeGuess(decimal_comma=decimal_comma, gaps=gaps)
    guess.narrow(encoded.dictionary)
    values = guess.parse(encoded.dictionary).take(encoded.indices)
    return ParsedColumn(
        values=values, tokens=encoded.dictionary, decimal_comma=guess.has_decimal_comma
    )


class TypeGuess:
    """Types that the tokens of a column may have, as far as they have been seen.

    >>> guess = TypeGuess(decimal_comma=False)
    >>> guess.narrow(pa.array(["1", "2"], pa.large_string()))
    >>> guess.type
    DataType(int64)
    >>> guess.narrow(pa.array(["NA", "2.5"], pa.large_string()))
    >>> guess.type
    DataType(double)
    """

    def __init__(self, *, decimal_comma: bool, gaps: frozenset[str] = NO_WORDS) -> None:
        self.gaps = gaps
        rules = [rule for rule in _RULES if rule.decimal_comma <= decimal_comma]
        self._types = {rule: list(rule.types) for rule in rules}
        self._is_empty = True

    def __repr__(self) -> str:
        return f"<TypeGuess: {self.type}>"

    @property
    def type(self) -> pa.DataType:
        """The type of the values, if there are no other tokens than those seen."""
        types = [] if self._rule is None else self._types[self._rule]
        return types[0] if types else pa.large_string()

    @property
    def has_decimal_comma(self) -> bool:
        """Return whether they are numbers written with a decimal comma."""
        return self.type == pa.float64() and self._rule is not None and self._rule.decimal_comma

    def narrow(self, tokens: pa.LargeStringArray) -> None:
        """Leave only what these tokens may stand for, too; each needs to be there only once."""
        words = strip_words(tokens, self.gaps)
        if words.null_count == len(words):
            return
        self._is_empty = False
        self._types = {
            rule: [wanted for wanted in types if _cast(words, rule, wanted) is not None]
            for rule, types in self._types.items()
            if _matches(words, rule.form)
        }

    def parse(self, tokens: pa.LargeStringArray) -> Any:
        """The values of tokens that have been seen."""
        wanted = self.type
        if self._rule is None or wanted == pa.large_string():
            return _to_text(unquote_trimmed(tokens))
        return _cast(strip_words(tokens, self.gaps), self._rule, wanted)

    @property
    def _rule(self) -> _Rule | None:
        return None if self._is_empty else next(iter(self._types), None)


def _unquote(tokens: Any) -> Any:
    quoted = pc.match_substring_regex(tokens, r'(?s)^".*"$')
    if not pc.any(quoted).as_py():
        return tokens
    inner = pc.replace_substring(pc.utf8_slice_codeunits(tokens, 1, -1), '""', '"')
    return pc.if_else(quoted, inner, tokens)


def _to_text(words: Any) -> Any:
    return pc.if_else(pc.equal(words, ""), pa.scalar(None, pa.large_string()), words)


def strip_words(tokens: Any, gaps: frozenset[str] = NO_WORDS) -> Any:
    """Words without quotes and blanks around them; null where they mean that a value is missing."""
    bare = pc.utf8_trim_whitespace(_unquote(tokens))
    missing = pc.is_in(bare, value_set=pa.array([*MISSING.to_pylist(), *gaps], MISSING.type))
    return pc.if_else(missing, pa.scalar(None, pa.large_string()), bare)


def unquote_trimmed(tokens: Any) -> Any:
    """The text of tokens, without blanks around one that has no quotes."""
    quoted = pc.starts_with(tokens, '"')
    return pc.if_else(quoted, _unquote(tokens), pc.utf8_trim_whitespace(tokens))


def cast_words(words: Any, wanted: pa.DataType) -> Any:
    """Words as values of this type; null where they are none."""
    rule = next(rule for rule in _RULES if wanted in rule.types)
    fits = pc.match_substring_regex(words, f"^(?:{rule.form})$")
    return _cast(pc.if_else(fits, words, pa.scalar(None, words.type)), rule, wanted)


def _matches(words: Any, form: str) -> bool:
    """Return whether all words have this form: most forms fail at the first few."""
    whole = f"^(?:{form})$"
    return all(
        pc.all(pc.match_substring_regex(some, whole), min_count=0).as_py()
        for some in (words[:_FIRST], words[_FIRST:])
    )


def _cast(words: Any, rule: _Rule, wanted: pa.DataType) -> Any:
    """The words as values of this type; None if it cannot hold them."""
    plain = pc.utf8_ltrim(words, characters="+")
    if rule.decimal_comma:
        plain = pc.replace_substring(plain, ",", ".")
    try:
        return pc.cast(plain, wanted)
    except pa.ArrowInvalid:
        return None


_TEXT: Final = pa.large_string()
_ROWS_AT_ONCE: Final = 1 << 16


def format_cells(target: Path, name: str, values: Any, dialect: Dialect, *, comma: bool) -> Any:
    """Values as tokens: missing ones empty, text quoted where it must be."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    try:
        words = pc.cast(values, _TEXT)
    except pa.ArrowException:
        raise OutputError(
            f"{target}: column {name!r} of type {values.type} cannot be written as text. "
            "Drop the column or write .parquet."
        ) from None
    if comma and pa.types.is_floating(values.type):
        words = pc.replace_substring(words, ".", ",")
    if pa.types.is_timestamp(values.type):
        words = _cut_zeros(words)
    return pc.fill_null(quote_where_needed(words, dialect), "")


def format_words(moments: Any) -> Any:
    """Moments as words."""
    return _cut_zeros(pc.cast(moments, _TEXT))


def quote(words: Any) -> Any:
    """Words between quotes, those inside doubled.

    >>> quote(pa.array(['say "hi" now'])).to_pylist()
    ['"say ""hi"" now"']
    """
    doubled = pc.cast(pc.replace_substring(words, '"', '""'), _TEXT)
    quote, nothing = pa.scalar('"', _TEXT), pa.scalar("", _TEXT)
    return pc.binary_join_element_wise(quote, doubled, quote, nothing)


def render_text(header: list[str], parts: Iterable[list[Any]], dialect: Dialect) -> Iterator[bytes]:
    """The bytes of header, if any, and rows; each part of these has one array per column."""
    newline = dialect.newline.encode()
    before = newline if header else b""
    yield dialect.delimiter.join(header).encode()
    for columns in parts:
        for start in range(0, len(columns[0]), _ROWS_AT_ONCE):
            some = [column[start : start + _ROWS_AT_ONCE] for column in columns]
            yield before + _join_rows(some, dialect)
            before = newline
    if dialect.ends_in_newline:
        yield newline


def _cut_zeros(words: Any) -> Any:
    """Moments with the fractions of a second that they need."""
    words = pc.replace_substring_regex(words, r"(\.[0-9]*[1-9])0+(Z?)$", r"\1\2")
    return pc.replace_substring_regex(words, r"\.0+(Z?)$", r"\1")


def quote_where_needed(words: Any, dialect: Dialect) -> Any:
    """Words between quotes if they could not be read again without."""
    special = f'^$|^\\s|\\s$|[{re.escape(dialect.delimiter)}"\\r\\n]'
    needed = pc.match_substring_regex(words, special)
    if pc.any(needed, min_count=0).as_py():
        words = pc.if_else(needed, quote(words), words)
    return words


def _join_rows(columns: list[Any], dialect: Dialect) -> Any:
    """Rows joined by line ends, read off the buffer of one array of lines."""
    parts = [_combine(column) for column in columns]
    lines = pc.binary_join_element_wise(*parts, pa.scalar(dialect.delimiter, _TEXT))
    lists = pa.LargeListArray.from_arrays(pa.array([0, len(lines)], pa.int64()), lines)
    joined = pc.binary_join(lists, pa.scalar(dialect.newline, _TEXT))
    return joined[0].as_buffer().to_pybytes()


def _combine(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


_STARTS: Final = r'^"?[=+\-@\t\r]'
_NUMBER: Final = r'^"?[+-]?(?:[0-9][0-9 .,]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?%?"?$'


def count_formulas(cells: Any, values: Any) -> int:
    """Count the cells of a column that a spreadsheet would run, as they are written."""
    if not is_text(values.type):
        return 0
    return pc.sum(find_formulas(cells), min_count=0).as_py() or 0


def find_formulas(cells: Any) -> Any:
    """Flag the cells that a spreadsheet would run.

    >>> import pyarrow as pa
    >>> find_formulas(pa.array(["=1+1", "-5", '"@sum"', "-", "+49 30", "a=b"])).to_pylist()
    [True, False, True, True, False, False]
    """
    starts = pc.match_substring_regex(cells, _STARTS)
    return pc.and_(starts, pc.invert(pc.match_substring_regex(cells, _NUMBER)))


def guard_formulas(cells: Any) -> Any:
    """Cells with an apostrophe before those that a spreadsheet would run.

    >>> import pyarrow as pa
    >>> guard_formulas(pa.array(["=1+1", "-5", "a=b"])).to_pylist()
    ["'=1+1", '-5', 'a=b']
    """
    guarded = pc.replace_substring_regex(cells, r'^("?)', r"\1'", max_replacements=1)
    return pc.if_else(find_formulas(cells), guarded, cells)


def unguard_text(values: Any) -> Any:
    """Text without the apostrophe that `guard_formulas` puts before it."""
    bare = pc.utf8_slice_codeunits(values, 1)
    guarded = pc.and_(pc.starts_with(values, "'"), find_formulas(bare))
    return pc.if_else(guarded, bare, values)


def has_guards(values: Any) -> bool:
    """Return whether a column has such apostrophes.

    >>> import pyarrow as pa
    >>> has_guards(pa.array(["'=1", "a"])), has_guards(pa.array(["'tis", None]))
    (True, False)
    """
    if not is_text(values.type) or not pc.any(pc.starts_with(values, "'")).as_py():
        return False
    return not unguard_text(values).equals(values)


def is_text(kind: Any) -> bool:
    """Return whether a type holds text, perhaps as categories."""
    text = pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind)
    return bool(text or pt.is_dictionary(kind))


def warn_of_formulas(target: Path, counts: Mapping[str, int]) -> None:
    """Tell how many such cells a file got, by column, and which columns have such names.

    Names are never guarded: programs that read the release look for them.
    """
    columns = [f"{name!r} ({count})" for name, count in counts.items() if count]
    if columns:
        warn(
            f"{target.name}: text that spreadsheets take for formulas and run stands in "
            f"{', '.join(columns)}. Open the file as text, write .xlsx, where it is never "
            "one, or put an apostrophe before it: --guard-formulas."
        )
    names = pa.array(counts, pa.large_string())
    named = names.filter(find_formulas(names)).to_pylist()
    if named:
        warn(
            f"{target.name}: spreadsheets take names of columns for formulas and run them: "
            f"{', '.join(map(repr, named))}. Rename them in the original, or write .xlsx."
        )
