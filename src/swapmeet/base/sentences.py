"""Pieces of sentences, lines of text, and names from outside made harmless.

Escape sequences, other control characters and marks of the direction of writing can hide or fake
what is shown in names and labels from outside. They are shown as escapes instead; letters, marks
and blanks of all scripts stay.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Final

LEAST = 0.0001
"""A figure below this is only said to be so: nobody needs to read its power of ten."""


def join_names(names: Iterable[str]) -> str:
    """Names in a sentence.

    >>> join_names(["a", "b", "c"]), join_names(["a"]), join_names([])
    ('a, b and c', 'a', '')
    """
    *others, last = list(names) or [""]
    return f"{', '.join(others)} and {last}" if others else last


def percent(share: float) -> str:
    """A share for people; neither all nor nothing unless it is.

    >>> percent(0.1234), percent(0.0004), percent(0.0), percent(1.0)
    ('12.3 %', '0.04 %', '0 %', '100 %')
    >>> percent(0.99999), percent(0.000001), percent(-0.05), percent(3.0)
    ('>99.9 %', '<0.01 %', '-5.0 %', '300.0 %')
    """
    if share < 0.0:
        return f"-{percent(-share)}"
    if share in {0.0, 1.0}:
        return f"{share:.0%}".replace("%", " %")
    if share < 0.0001:
        return "<0.01 %"
    if 0.9994 < share < 1.0:
        return ">99.9 %"
    digits = 1 if share >= 0.001 else 2
    return f"{share:.{digits}%}".replace("%", " %")


def figure(value: float, digits: int = 3) -> str:
    """A number in a sentence: the digits that matter, and no power of ten.

    >>> figure(0.123456), figure(0.0), figure(9.4e-31), figure(-3e-7, 2), figure(1234567.8)
    ('0.123', '0', 'less than 0.0001', 'less than 0.0001', '1,234,568')
    >>> figure(99.6, 2), figure(9.96, 1)
    ('100', '10')
    """
    if 0.0 < abs(value) < LEAST:
        return "less than 0.0001"
    return f"{value:,.0f}" if abs(value) >= min(100, 10**digits - 0.5) else f"{value:.{digits}g}"


def count_in_100(share: float) -> str:
    """A share as so many of 100; these are all only if nobody is missing.

    >>> count_in_100(0.374), count_in_100(0.0004), count_in_100(0.0), count_in_100(0.998)
    ('37', '0.04', '0', 'more than 99')
    """
    many = 100.0 * share
    if 99.5 <= many < 100.0:
        return "more than 99"
    return f"{many:.0f}" if many >= 1 or many == 0 else figure(many, 1)


def short_figure(value: float) -> str:
    """A measure's value in a table; what is very small is not told apart.

    >>> short_figure(0.123456), short_figure(0.0), short_figure(8.8e-10), short_figure(-0.03158)
    ('0.1235', '0', '<0.0001', '-0.03158')
    """
    return "<0.0001" if 0.0 < value < LEAST else f"{value:.4g}"


def count(number: int, one: str, many: str = "") -> str:
    """So many of something.

    >>> count(1, "column"), count(1200, "column"), count(2, "category", "categories")
    ('1 column', '1,200 columns', '2 categories')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def agree(number: int, one: str, many: str) -> str:
    """The form of a verb, or of another word, that goes with a number.

    >>> agree(1, "is", "are"), agree(0, "is", "are")
    ('is', 'are')
    """
    return one if number == 1 else many


def align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines whose cells stand below each other.

    >>> align([("a", "1"), ("long", "2")])
    ['a     1', 'long  2']
    """
    count = max(map(len, rows), default=0)
    widths = [max(len(row[at]) for row in rows if at < len(row)) for at in range(count)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in rows
    ]


_CONTROLS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def show_controls(text: str) -> str:
    r"""The text with control characters as escapes; line ends and tabs stay.

    >>> show_controls("Größe\x1b[31m\u202e")
    'Größe\\x1b[31m\\u202e'
    """
    return _CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def escape_markup(text: str) -> str:
    r"""Text for a page: neither its marks nor its control characters count.

    >>> escape_markup("<b>\x1b")
    '&lt;b&gt;\\x1b'
    """
    return html.escape(show_controls(text))


def escape_json(text: str) -> str:
    r"""JSON with control characters as it writes them; they only occur inside its strings.

    >>> escape_json('"\x7f"')
    '"\\u007f"'
    """
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
