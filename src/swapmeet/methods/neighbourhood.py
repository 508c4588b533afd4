"""What methods on neighbourhoods share: rows as points, and random words for their cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.encode import Encoding, Points, Scale
from swapmeet.schema import Kind

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.blocks import Workers
    from swapmeet.microdata import Microdata
    from swapmeet.seeds import Streams


def points_of(data: Microdata, scale: str, weights: float | dict[str, float]) -> Points:
    """The rows of `data` as points."""
    encoding = Encoding.fit(data, Scale(scale), _by_name(data, weights))
    return encoding.points(data)


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
