"""The decision in the curator's own words, as a decision record quotes it."""

from __future__ import annotations

import re


def tidy_reason(text: str | None) -> str | None:
    r"""The words, with line ends of one sort and none around them; None if there are none.

    >>> tidy_reason(" We publish.\r\n\r\nThe risk is low.\n"), tidy_reason(" ")
    ('We publish.\n\nThe risk is low.', None)
    """
    return (text or "").replace("\r\n", "\n").replace("\r", "\n").strip() or None


def split_paragraphs(text: str) -> list[str]:
    r"""The paragraphs of a text, between which there are blank lines.

    >>> split_paragraphs("We publish.\nSoon.\n \n\nThe risk is low.")
    ['We publish.\nSoon.', 'The risk is low.']
    """
    return re.split(r"\n\s*\n", text)
