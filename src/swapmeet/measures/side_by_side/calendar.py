"""Edges of bins of dates, where people would put them: at years, months, days and hours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.measures.side_by_side.bins import MOST, find_bulk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.base.arrays import Floats

STEPS = (
    *(("m", minutes) for minutes in (1, 5, 15, 30)),
    *(("h", hours) for hours in (1, 3, 6, 12)),
    *(("D", days) for days in (1, 2, 5, 10)),
    *(("M", months) for months in (1, 3, 6)),
    *(("Y", years) for years in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)),
)
"""Units and how many of them, from fine to coarse."""
DAY = 86_400.0
LENGTHS = {"m": 60.0, "h": 3_600.0, "D": DAY, "M": 31 * DAY, "Y": 366 * DAY}
"""Seconds of a unit, at most."""
FARTHEST = 2e11
"""Seconds from 1970 that dates may lie apart; what is beyond is no date of people."""


def calendar_edges(values: Floats, seconds: float, most: int = MOST) -> list[float]:
    """Inner edges for bins of dates, in the unit of the values, at most `most`.

    They do not reach into the outermost hundredth of the values on either side.

    >>> calendar_edges(np.arange(11_000.0, 13_000.0), 86_400.0, 6)
    [11323.0, 11688.0, 12053.0, 12418.0, 12784.0]
    """
    low, high = (end * seconds for end in find_bulk(values))
    if max(abs(low), abs(high)) > FARTHEST:
        return []
    finest = DAY if not (values * seconds % DAY).any() else 0.0
    for unit, size in STEPS:
        step = size * LENGTHS[unit]
        if step >= finest and high - low <= step * (most + 1):
            edges = [edge for edge in _multiples(low, high, unit, size) if low < edge <= high]
            if 0 < len(edges) <= most:
                return [edge / seconds for edge in edges]
    return []


def write_moment(value: float, seconds: float) -> str:
    """A moment as briefly as it allows.

    >>> write_moment(11323.0, 86_400.0), write_moment(11504.0, 86_400.0)
    ('2001', '2001-07')
    >>> write_moment(11_323.25 * 86_400.0, 1.0), write_moment(11_324.0, 86_400.0)
    ('2001-01-01 06:00', '2001-01-02')
    """
    text = str(np.datetime64(round(value * seconds), "s")).replace("T", " ")
    for ending, kept in (("-01-01 00:00:00", 15), ("-01 00:00:00", 12), (" 00:00:00", 9)):
        if text.endswith(ending):
            return text[:-kept]
    return text.removesuffix(":00")


def _multiples(low: float, high: float, unit: str, size: int) -> Iterator[float]:
    """Multiples of a span of the calendar, in seconds; years count from 0, the others from 1970."""
    first, last = (int(np.datetime64(int(end), "s").astype(f"M8[{unit}]").astype(np.int64))
                   for end in (low, high))  # fmt: skip
    offset = 1970 if unit == "Y" else 0
    for number in range((first + offset) // size, (last + offset) // size + 2):
        moment = np.array(number * size - offset).astype(f"M8[{unit}]").astype("M8[s]")
        yield float(moment.astype(np.int64))
