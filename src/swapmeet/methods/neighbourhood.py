"""What methods on neighbourhoods share: rows as points, random bits for cells, and draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.neighbors import DrawTask, NeighborCache, NeighborSearch, draw_members
from swapmeet.core.base.notes import MergeableNote

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from swapmeet.algorithms.encode import Space
    from swapmeet.algorithms.neighbors import Rule
    from swapmeet.algorithms.neighbors.draw_summary import DrawSummary
    from swapmeet.core.base.parallel import Workers
    from swapmeet.core.base.seeds import Streams
    from swapmeet.core.tables.microdata import Microdata

    Draw = Callable[[Rule, npt.NDArray[np.int64]], DrawSummary]

EXACT = NeighborSearch()


def prepare(
    data: Microdata,
    space: Space,
    streams: Streams,
    workers: Workers,
    search: NeighborSearch = EXACT,
) -> Draw:
    """What replaces words by donors from the neighbourhoods of `data`: once, unless it shares.

    Where rows are those of a cell already, all of them are looked at, whatever the search.
    """
    if data.cache is not None and search.way == EXACT.way:
        key = space.key(data)
        return NeighborCache(data.cache, key, lambda: space.points(data), data.strata, workers).draw
    points = space.points(data)
    way = search if data.reach is None else EXACT
    return lambda rule, words: draw_members(
        DrawTask(points, data.strata, rule, words, streams, workers, data.reach), way
    )


def draw_bits(data: Microdata, streams: Streams, workers: Workers) -> npt.NDArray[np.int64]:
    """63 random bits for each cell that is masked."""
    words = np.empty((data.own, len(data.variables)), np.int64)

    def some_columns(begin: int, end: int) -> None:
        for column in range(begin, end):
            words[:, column] = streams.random_bits(data.own, "cells", data.names[column])

    workers.each(some_columns, len(data.variables), size=1, label="random numbers")
    return words


def note_exactness(beyond: int, rows: int) -> tuple[str, ...]:
    """For how many rows cells in space gave the neighbours of the whole table."""
    return (MergeableNote.of(_say_exactness, {"beyond": sum}, beyond=beyond, rows=rows),)


def _say_exactness(beyond: int, rows: int) -> str:
    if not beyond:
        return "neighbours are exact for all rows."
    share = np.floor(1000 * (1 - beyond / rows)) / 10
    return (
        f"neighbours are exact for {share:.1f} % of the rows; the others may have nearer ones "
        "beyond the halo of their cell."
    )
