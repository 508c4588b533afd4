"""Numbers of a column in one notation, without loss of a digit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable

_TEXT: Final = pa.large_string()
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
        found = pc.min(pc.utf8_length(_find_fraction(counted))).as_py()
        return cls(found, has_plain=has_plain, has_power=has_power, is_told=is_told)

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
