"""Names and labels from outside, without characters that command a terminal or turn text round.

Escape sequences, other control characters and marks of the direction of writing can hide or fake
what is shown. They are shown as escapes instead; letters, marks and blanks of all scripts stay.
"""

from __future__ import annotations

import html
import re
from typing import Final

_CONTROLS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def show_controls(text: str) -> str:
    r"""The text with control characters as escapes; line ends and tabs stay.

    >>> show_controls("Größe\x1b[31m\u202e")
    'Größe\\x1b[31m\\u202e'
    """
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


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
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
