"""Selection of what is looked at in very wide tables, where all of it would take hours.

Where a person is compared with every row in many columns, no tree helps, and the work is people ×
rows × columns. Of a wide table fewer people are looked at, drawn at random: their share is that of
all people up to an interval that is wider, never one that flatters. Pairs of columns are as many as
the square of the columns: of very many, some are also drawn at random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Ints
    from swapmeet.base.seeds import Streams

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


def take_pairs(pairs: Sequence[tuple[str, str]], streams: Streams) -> list[tuple[str, str]]:
    """These pairs, or some of them."""
    chosen = draw_pairs(len(pairs), streams)
    return list(pairs) if chosen is None else [pairs[at] for at in chosen]
