"""What the tokens of a column stand for: numbers, dates, truth values or text.

The first rule that all words of a column match decides; words that mean «missing» match every
rule. Only distinct tokens are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterator

_MISSING: Final = pa.array(
    ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "."], type=pa.large_string()
)
_WHOLE: Final = "(?:0|[1-9][0-9]*)"
_EXPONENT: Final = "(?:[eE][+-]?[0-9]+)?"
_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_MOMENT: Final = _DAY + r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"


@dataclass(frozen=True, kw_only=True, repr=False)
class Typed:
    """A column of values, and whether its numbers are written with a decimal comma."""

    values: pa.Array
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


def typed(tokens: pa.LargeStringArray, *, decimal_comma: bool) -> Typed:
    """The values of a column; `decimal_comma` allows numbers like `3,14`.

    >>> typed(pa.array(["1", "NA", "-3"], pa.large_string()), decimal_comma=False).values.type
    DataType(int64)
    >>> typed(pa.array(["007", "12"], pa.large_string()), decimal_comma=False).values.type
    DataType(large_string)
    """
    encoded = tokens.dictionary_encode()
    words = _unquoted(encoded.dictionary)
    found = _by_rule(words, decimal_comma=decimal_comma) or Typed(values=_text(words))
    return Typed(values=found.values.take(encoded.indices), decimal_comma=found.decimal_comma)


def _unquoted(tokens: Any) -> Any:
    quoted = pc.match_substring_regex(tokens, r'(?s)^".*"$')
    if not pc.any(quoted).as_py():
        return tokens
    inner = pc.replace_substring(pc.utf8_slice_codeunits(tokens, 1, -1), '""', '"')
    return pc.if_else(quoted, inner, tokens)


def _text(words: Any) -> Any:
    return pc.if_else(pc.equal(words, ""), pa.scalar(None, pa.large_string()), words)


def _by_rule(words: Any, *, decimal_comma: bool) -> Typed | None:
    bare = pc.utf8_trim_whitespace(words)
    missing = pc.is_in(bare, value_set=_MISSING)
    if pc.all(missing, min_count=0).as_py():
        return None
    bare = pc.if_else(missing, pa.scalar(None, pa.large_string()), bare)
    for rule in _RULES:
        if rule.decimal_comma <= decimal_comma and _matches(bare, rule.form):
            return _converted(bare, rule)
    return None


def _matches(words: Any, form: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(words, f"^(?:{form})$")).as_py())


def _converted(words: Any, rule: _Rule) -> Typed | None:
    plain = pc.utf8_ltrim(words, characters="+")
    if rule.decimal_comma:
        plain = pc.replace_substring(plain, ",", ".")
    values = next(_casts(plain, rule), None)
    return None if values is None else Typed(values=values, decimal_comma=rule.decimal_comma)


def _casts(words: Any, rule: _Rule) -> Iterator[Any]:
    for wanted in rule.types:
        try:
            yield pc.cast(words, wanted)
        except pa.ArrowInvalid:
            continue
