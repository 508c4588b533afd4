"""Pieces of sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def join_names(names: Iterable[str]) -> str:
    """Names in a sentence.

    >>> join_names(["a", "b", "c"]), join_names(["a"]), join_names([])
    ('a, b and c', 'a', '')
    """
    *others, last = list(names) or [""]
    return f"{', '.join(others)} and {last}" if others else last
