"""What is said of figures that rest on few rows."""

from __future__ import annotations

FEW = 100
"""A share of fewer rows may be off by ten percent points either way."""


def warn_if_small(rows: int) -> str:
    """A sentence for a table of few rows, with a space before it.

    >>> warn_if_small(40), warn_if_small(1000)
    (' Only 40 rows: the figure is rough.', '')
    """
    word = "row" if rows == 1 else "rows"
    return f" Only {rows} {word}: the figure is rough." if rows < FEW else ""
