"""Styles of drawings as plain attributes: strict pages take these, and no style inside a tag."""

from __future__ import annotations

import re
from typing import Final

_DECLARATION: Final = re.compile(r"""([\w-]+)\s*:\s*((?:'[^']*'|"[^"]*"|[^;'"])+)""")
_FONT: Final = re.compile(r"(?P<words>.*?)(?P<size>[\d.]+(?:px|pt|em|%))(?:/\S+)?\s+(?P<family>.+)")
_WORDS: Final = {
    "font-style": r"italic|oblique",
    "font-variant": r"small-caps",
    "font-weight": r"bold|bolder|lighter|\d00",
    "font-stretch": r"(?:(?:ultra|extra|semi)-)?(?:condensed|expanded)",
}


def list_attributes(style: str) -> dict[str, str]:
    """The declarations of a style as attributes.

    >>> list_attributes("fill: #d5762b; stroke-dasharray: 5,1.5")
    {'fill': '#d5762b', 'stroke-dasharray': '5,1.5'}
    >>> list_attributes("font: bold 9px 'DejaVu Sans', sans-serif; text-anchor: end")["font-size"]
    '9px'
    """
    found: dict[str, str] = {}
    for name, value in _DECLARATION.findall(style):
        found |= _split_font(value.strip()) if name == "font" else {name: value.strip()}
    return found


def _split_font(value: str) -> dict[str, str]:
    """The parts of a font that is told in one line."""
    font = _FONT.fullmatch(value)
    if font is None:
        return {}
    words = font["words"].split()
    told = {
        name: word
        for name, pattern in _WORDS.items()
        for word in words
        if re.fullmatch(pattern, word)
    }
    return {**told, "font-size": font["size"], "font-family": font["family"]}
