"""What methods on neighbourhoods share: rows as points, random words for cells, and draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.encode import Encoding, Points, Scale
from swapmeet.neighbors import Ground, Search, Task, draw_members
from swapmeet.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from swapmeet.blocks import Workers
    from swapmeet.microdata import Microdata
    from swapmeet.neighbors import Rule
    from swapmeet.seeds import Streams

    Draw = Callable[[Rule, npt.NDArray[np.int64]], npt.NDArray[np.int32]]

EXACT = Search()


@dataclass(frozen=True)
class Space:
    """How far rows are apart: the scale of the columns and their weights."""

    scale: str
    weights: float | dict[str, float]

    def points(self, data: Microdata) -> Points:
        """The rows of `data` as points."""
        encoding = Encoding.fit(data, Scale(self.scale), _by_name(data, self.weights))
        return encoding.points(data)

    def key(self, data: Microdata) -> tuple[str, tuple[tuple[str, float], ...]]:
        """What tells the points of `data` from those in other spaces."""
        weights = _by_name(data, self.weights)
        return self.scale, tuple((name, weights.get(name, 1.0)) for name in data.names)


def prepare(
    data: Microdata, space: Space, streams: Streams, workers: Workers, search: Search = EXACT
) -> Draw:
    """What replaces words by donors from the neighbourhoods of `data`: once, unless it shares."""
    if data.shared is not None and search.way == EXACT.way:
        key = space.key(data)
        return Ground(data.shared, key, lambda: space.points(data), data.strata, workers).draw
    points = space.points(data)
    return lambda rule, words: draw_members(
        Task(points, data.strata, rule, words, streams, workers), search
    )


def random_words(data: Microdata, streams: Streams, workers: Workers) -> npt.NDArray[np.int64]:
    """63 random bits for each cell."""
    words = np.empty((data.n, len(data.variables)), np.int64)

    def some_columns(begin: int, end: int) -> None:
        for column in range(begin, end):
            words[:, column] = streams.words(data.n, "cells", data.names[column])

    workers.each(some_columns, len(data.variables), size=1, label="random numbers")
    return words


def _by_name(data: Microdata, weights: float | dict[str, float]) -> dict[str, float]:
    """One number is the weight of every nominal column."""
    if not isinstance(weights, dict):
        return {v.name: weights for v in data.variables if v.kind is Kind.NOMINAL}
    data.require_names(weights, "`weights`")
    return weights
