"""Note about figures that rest on few rows."""

from __future__ import annotations

from swapmeet.base.sentences import agree, count

FEW = 100
"""A share of fewer rows may be off by ten percent points either way."""


TOO_FEW = 30
"""Where nobody is found among n people, up to 3/n of all may be: below this, more than 1 in 10."""


def doubt_few_rows(rows: int) -> str:
    """Say why no release of so few rows can be called safe; empty where there are enough.

    >>> doubt_few_rows(8)
    'there are only 8 rows, and from fewer than 30 no risk below 1 in 10 can be shown'
    """
    if rows >= TOO_FEW:
        return ""
    return (
        f"there {agree(rows, 'is', 'are')} only {count(rows, 'row')}, and from fewer than "
        f"{TOO_FEW} no risk below 1 in 10 can be shown"
    )


def warn_if_small(rows: int) -> str:
    """A sentence for a table of few rows, with a space before it.

    >>> warn_if_small(40), warn_if_small(1000)
    (' With only 40 rows the figure is rough.', '')
    """
    return f" With only {count(rows, 'row')} the figure is rough." if rows < FEW else ""
