"""The sets of columns an intruder may go by, and records that agree in all of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from swapmeet.base.arrays import Ints, Labels
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.values import same_values

Names = tuple[str, ...]

MOST_BLOCKS = 3
"""Of the columns that moved as one, the largest sets are looked at."""


def list_column_sets(comparison: Comparison, names: Names) -> list[Names]:
    """All the columns, those that stayed as they were, and sets of columns that moved as one."""
    blocks = sorted(_list_blocks(comparison, names), key=len, reverse=True)[:MOST_BLOCKS]
    return list(dict.fromkeys([names, *blocks]))


def _list_blocks(comparison: Comparison, names: Names) -> Iterator[Names]:
    origin = comparison.provenance
    if origin is None or not origin.columns:
        unchanged = list_unchanged(comparison, names)
        yield from [unchanged] if unchanged else []
        return
    yield from origin.list_blocks(names)


def list_unchanged(comparison: Comparison, names: Names) -> Names:
    """The columns that are the same in every row; none where nobody knows whose rows they are."""
    if not comparison.owners_known:
        return ()
    changed = comparison.gather(partial(_count_changed, names), names)
    return tuple(name for name, count in zip(names, changed, strict=True) if not count)


def _count_changed(names: Names, piece: Comparison) -> Ints:
    """Number of cells of each column that differ from those of the person whose row it is."""
    same = (same_values(piece.original, piece.released, (name,)) for name in names)
    return np.array([np.count_nonzero(~flags) for flags in same])


def frequencies(labels: Labels, among: Labels) -> Labels:
    """Count how often each label occurs `among` others."""
    count = int(max(labels.max(initial=-1), among.max(initial=-1))) + 1
    return np.bincount(among, minlength=count)[labels]
