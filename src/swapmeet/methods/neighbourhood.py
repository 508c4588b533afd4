"""What methods on neighbourhoods share: rows as points, random bits for cells, and draws."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.likelihood import UNSURE, NeighborLists, NeighborShares
from swapmeet.algorithms.likelihood.base import DOUBT
from swapmeet.algorithms.neighbors import DrawTask, NeighborCache, NeighborSearch, draw_members
from swapmeet.core.base.cache import Cache
from swapmeet.core.base.notes import MergeableNote
from swapmeet.core.base.seeds import Seed

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from swapmeet.algorithms.encode import Space
    from swapmeet.algorithms.likelihood import Evidence, Likelihood
    from swapmeet.algorithms.neighbors import Rule
    from swapmeet.algorithms.neighbors.draw_summary import DrawSummary
    from swapmeet.core.base.parallel import Workers
    from swapmeet.core.base.seeds import Streams
    from swapmeet.core.tables.microdata import Microdata

    Draw = Callable[[Rule, npt.NDArray[np.int64]], DrawSummary]

EXACT = NeighborSearch()

BLURRED = 1, 2, 4
"""An intruder who does not know all columns takes so many times k neighbours, in equal parts."""
DRAWS = 256
"""Of a ball, an intruder takes this many random members."""
_STREAMS = Seed(bytes(32)).within("attack")


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


def attack_neighborhoods(
    seen: Evidence, space: Space, rule: Rule, stay: float
) -> tuple[Likelihood, ...]:
    """Each value comes from the neighbourhood of the row's person, or stays.

    Who knows some of the columns only has neighbourhoods in these; the true neighbours are in them,
    but not always among the nearest, so that farther rows are given some weight, too.
    """
    lists = _list_members(seen, space.within(seen.names), rule)
    doubt = DOUBT if seen.complete else UNSURE
    return tuple(
        NeighborShares(
            (name,),
            seen.code(name),
            lists,
            stay=stay,
            doubt=doubt,
        )
        for name in seen.names
    )


def _list_members(seen: Evidence, space: Space, rule: Rule) -> NeighborLists:
    """The nearest rows of everybody, or random members of balls, which may hold very many."""
    if rule.eps > 0:
        return _draw_list(seen, space, rule)
    people = seen.people
    widths = [rule.k] if seen.complete else [times * rule.k for times in BLURRED]
    widths = [min(width, people.n - 1) for width in widths]
    near = NeighborCache(
        people.cache or Cache(),
        space.key(people),
        lambda: space.points(people),
        people.strata,
        seen.workers,
    )
    tree, lists = near.list_nearest(max(widths))
    ranks = np.arange(max(widths))
    who = np.empty((people.n, len(ranks)), np.int32)
    who[tree.rows] = np.where(ranks < lists.found[:, np.newaxis], lists.who[:, : len(ranks)], -1)
    weights = np.mean([(ranks < width) / width for width in widths], axis=0)
    return NeighborLists(who, weights)


def _draw_list(seen: Evidence, space: Space, rule: Rule) -> NeighborLists:
    words = _STREAMS.random_bits(seen.people.n * DRAWS, "members").reshape(-1, DRAWS)
    prepare(replace(seen.people, cache=None), space, _STREAMS, seen.workers)(rule, words)
    return NeighborLists(words.astype(np.int32), np.full(DRAWS, 1.0 / DRAWS))


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
