"""Bins that reveal nobody: round edges, also of dates and of two numbers, and no small count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from swapmeet.base.arrays import Counts, Floats
from swapmeet.tables.microdata import LARGEST

PUBLIC_DIGITS = 2
"""Digits that the public sees of a correlation, a share or a loading."""
LEAST = 10
"""No count from 1 to one less than this is shown."""
MOST = 20
"""Edges are not closer than a range cut into so many parts."""
DIGITS = 4
"""Significant digits of an edge, at most."""
TAIL = 0.01
"""The share of values on either side that no edge is fitted to."""
DECADES = 6
SKEWED = 100.0
"""Numbers above 0 whose bulk spans more than this factor get bins that grow by ratios."""
TINY, EPSILON = np.finfo(np.float64).tiny, np.finfo(np.float64).eps


def is_small(counts: Counts, least: int = LEAST) -> bool:
    """Return whether one of the counts is of so few rows that it must not be shown."""
    return bool(((counts > 0) & (counts < least)).any())


def are_whole(values: Floats) -> bool:
    """Return whether all values are whole numbers."""
    return bool((values == np.rint(values)).all())


def is_skewed(values: Floats) -> bool:
    """Return whether values are positive, span decades, and are more even as logarithms.

    >>> is_skewed(np.geomspace(1.0, 1e6, 50)), is_skewed(np.arange(1.0, 90.0))
    (True, False)
    """
    if not len(values) or values.min() <= 0.0:
        return False
    low, high = find_bulk(values)
    if low < TINY or high / low <= SKEWED:
        return False
    usable = _choose_usable(values)
    return abs(_measure_skew(np.log(usable))) < abs(_measure_skew(usable))


def _measure_skew(values: Floats) -> float:
    """Kelly's: how far the median is from the middle of the first and the last decile."""
    low, middle, high = np.quantile(values, (0.1, 0.5, 0.9))
    return float((low + high - 2.0 * middle) / (high - low)) if high > low else 0.0


def even_edges(values: Floats, most: int = MOST) -> list[float]:
    """Inner edges for bins of equal width, of few digits; none where there are no such.

    They do not reach into the outermost hundredth of the values on either side, and are at most
    `most`. Bins of whole numbers are at least 1 wide.

    >>> even_edges(np.arange(101.0))[:3], even_edges(np.arange(101.0))[-1]
    ([5.0, 10.0, 15.0], 95.0)
    >>> even_edges(np.array([7.0, 7.0])), even_edges(1e9 + np.arange(9.0))
    ([], [])
    """
    low, high = find_bulk(values)
    if (high - low) / most <= max(TINY, EPSILON * max(abs(low), abs(high))):
        return []
    narrowest = 1.0 if are_whole(values) else 0.0
    for step in _steps(max((high - low) / most, narrowest)):
        first, last = int(np.floor(low / step)), int(np.ceil(high / step))
        edges = [float(f"{i * step:.12g}") for i in range(first, last + 1)]
        edges = [edge for edge in edges if low < edge <= high]
        if edges and len(edges) <= most and all(map(_is_round, edges)):
            return edges
    return []


def even_ratios(values: Floats) -> list[float]:
    """Inner edges for a logarithmic axis: 1, 2 and 5 times powers of ten; if many, powers alone.

    Of very many the highest count; what lies below is next to nothing.

    >>> even_ratios(np.array([0.0, 0.004, 0.03, 0.3]))
    [0.005, 0.01, 0.02, 0.05, 0.1, 0.2]
    """
    low, high = find_bulk(values[values >= TINY])
    if low == 0.0:
        return []
    powers = range(int(np.floor(np.log10(low))), int(np.floor(np.log10(high))) + 1)
    for digits in ((1, 2, 5), (1,)):
        edges = [float(f"{d}e{power}") for power in powers for d in digits]
        edges = [edge for edge in edges if low < edge <= high]
        if len(edges) <= MOST:
            break
    return edges[-MOST:]


def count_in_bins(values: Floats, edges: Sequence[float]) -> Counts:
    """Count the values of each bin; an edge belongs to the bin above it.

    >>> count_in_bins(np.array([1.0, 2.0, 5.0]), [2.0, 3.0]).tolist()
    [1, 1, 1]
    """
    return np.bincount(np.searchsorted(edges, values, side="right"), minlength=len(edges) + 1)


def join_small_bins(counts: Counts, least: int = LEAST) -> list[int]:
    """Join neighbouring bins until no count in any table is small; return where they begin.

    `counts` has a row for each bin and a column for each table. A bin with a small count joins the
    neighbour with fewer rows. One bin may remain, whatever it holds.

    >>> join_small_bins(np.array([[30, 30], [4, 12], [8, 0], [0, 0], [50, 50]]))
    [0, 1, 3, 4]
    """
    starts, held = list(range(len(counts))), list(counts)
    while len(held) > 1:
        at = next((i for i, bin_ in enumerate(held) if is_small(bin_, least)), None)
        if at is None:
            break
        left = at - 1 if at == len(held) - 1 or (at and _fewer_on_the_left(held, at)) else at
        held[left : left + 2] = [held[left] + held[left + 1]]
        del starts[left + 1]
    return starts


def _fewer_on_the_left(held: list[Counts], at: int) -> bool:
    return bool(held[at - 1].sum() <= held[at + 1].sum())


def _choose_usable(values: Floats) -> Floats:
    """Without those that no arithmetic can be done with."""
    return values[np.abs(values) <= LARGEST]


def find_bulk(values: Floats) -> tuple[float, float]:
    """The lowest and highest value that edges are fitted to."""
    usable = _choose_usable(values)
    if not len(usable):
        return 0.0, 0.0
    low = float(np.quantile(usable, TAIL, method="lower"))
    high = float(np.quantile(usable, 1.0 - TAIL, method="higher"))
    return (low, high) if low < high else (float(usable.min()), float(usable.max()))


def _steps(narrowest: float) -> Iterator[float]:
    """Steps of 1, 2 and 5 times powers of ten, from the narrowest allowed on."""
    power = int(np.floor(np.log10(narrowest)))
    for exponent in range(power, power + DECADES):
        for digit in (1, 2, 5):
            step = float(f"{digit}e{exponent}")
            if step >= narrowest:
                yield step


def _is_round(edge: float) -> bool:
    return edge == float(f"{edge:.{DIGITS}g}")


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


def choose_bins(rows: int) -> int:
    """Bins on either side: the fewer rows, the coarser, lest most cells have too few of them.

    >>> choose_bins(241), choose_bins(20_000)
    (7, 20)
    """
    return min(MOST, max(int(1.5 * np.sqrt(rows / LEAST)), 1))


def count_cells(one: Floats, other: Floats, across: Sequence[float], up: Sequence[float]) -> Counts:
    """The rows in each cell between inner edges; `counts[i, j]` is bin i of one, bin j of other.

    >>> count_cells(np.array([1.0, 3.0]), np.array([9.0, 9.0]), [2.0], [5.0]).tolist()
    [[0, 1], [0, 1]]
    """
    columns = np.searchsorted(across, one, side="right")
    rows = np.searchsorted(up, other, side="right")
    shape = len(across) + 1, len(up) + 1
    cells = np.bincount(columns * shape[1] + rows, minlength=shape[0] * shape[1])
    return cells.reshape(shape)


def hide_small_cells(counts: Counts, least: int = LEAST) -> Counts:
    """The counts without those of few rows, which count 0.

    >>> hide_small_cells(np.array([[9, 10]])).tolist()
    [[0, 10]]
    """
    return np.where(counts < least, 0, counts)
