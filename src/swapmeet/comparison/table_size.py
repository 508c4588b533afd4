"""Tables of unusual size: what is looked at in wide ones, and what figures of small ones are worth.

Where a person is compared with every row in many columns, no tree helps, and the work is people ×
rows × columns. Of a wide table fewer people are looked at, drawn at random: their share is that of
all people up to an interval that is wider, never one that flatters. Pairs of columns are as many as
the square of the columns: of very many, some are also drawn at random.
"""

from __future__ import annotations

import numpy as np

from swapmeet.base.arrays import Ints
from swapmeet.base.seeds import Streams
from swapmeet.base.sentences import agree, count

WIDE = 100
"""Columns up to which all people are looked at who are asked for."""
WORK = 16_000_000_000
"""People × rows × columns that are compared in a wide table."""
FEWEST = 500
"""So many people are looked at in any case."""
MOST_PAIRS = 20_000
"""Pairs of columns that are looked at where each takes a pass over the rows."""


def limit_people(at_most: int | None, rows: int, columns: int) -> int | None:
    """Number of people linked with all rows, of those that may be; None means all.

    >>> limit_people(20_000, 20_000, 12), limit_people(20_000, 20_000, 800)
    (20000, 1000)
    """
    if at_most is None or columns <= WIDE:
        return at_most
    return min(at_most, max(WORK // (rows * columns), FEWEST))


def draw_pairs(count: int, streams: Streams, most: int | None = None) -> Ints | None:
    """Choose which of so many pairs are looked at, in order; None means all."""
    most = MOST_PAIRS if most is None else most
    if count <= most:
        return None
    stream = streams.stream("pairs of columns")
    return np.sort(stream.choice(count, most, replace=False, shuffle=False))


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
