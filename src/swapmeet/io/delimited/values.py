"""Types of the tokens of a column: numbers, dates, truth values or text.

The first rule that all words of a column match decides; words that mean «missing» match every
rule. Only distinct tokens are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

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
