"""Exact sums of doubles: whole numbers, which any order and any cutting add up to the same.

A double is a whole number of units of 2^-1074, its square one of 2^-2148; so their sums are Python
integers, and nothing is rounded before the last division.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.base.parallel import ranges

UNIT = 1074
"""Sums count 2^-1074, the least of all doubles; sums of squares its square."""
AT_ONCE = 1 << 16
"""So many values at a time."""
ROOM = 36
"""So many bits of each value are added at once: with those of 2^16 values they fill a double."""
SPLIT = 2.0**27 + 1.0
"""Factor that cuts a mantissa into halves, the squares of which are doubles."""
OUTER, SHIFT = 400, 600
"""Values beyond 2^400 or below 2^-400 are brought 2^600 nearer to 1, that no square leaves."""
BITS = 128
"""So many bits of a square root are taken before it is rounded."""


def exact_sum(values: Floats) -> int:
    """The sum of the finite values, in units of 2^-1074.

    >>> exact_sum(np.array([1e300, 1.0, -1e300, np.nan])) == 1 << UNIT
    True
    """
    return sum(_added(part, UNIT - scale) for part, scale in _scaled(values))


def exact_squares(values: Floats) -> int:
    """The sum of the squares of the finite values, in units of 2^-2148.

    >>> exact_squares(np.array([-3.0, 4.0, np.inf])) == 25 << 2 * UNIT
    True
    """
    return sum(
        _added(part, 2 * (UNIT - scale))
        for some, scale in _scaled(values)
        for part in _squared(some)
    )


def mean_of(total: int, count: int) -> float:
    """The mean of `count` values with this sum, correctly rounded."""
    return total / (count << UNIT)


def sd_of(total: int, squares: int, count: int) -> float:
    """The standard deviation (divisor n - 1) of two values or more, correctly rounded.

    >>> sd_of(exact_sum(np.array([1.0, 3.0])), exact_squares(np.array([1.0, 3.0])), 2)
    1.4142135623730951
    """
    above = count * squares - total * total
    return _root(above, (count * (count - 1)) << 2 * UNIT)


def _root(above: int, below: int) -> float:
    """The square root of a fraction, correctly rounded; infinite where no double is so large.

    The last bit of the whole root is set if anything was cut off, so that the rounding that follows
    sees it.
    """
    shift = max(2 * BITS - above.bit_length() + below.bit_length(), 0) // 2
    quotient, rest = divmod(above << 2 * shift, below)
    root = math.isqrt(quotient)
    root |= bool(rest) or root * root != quotient
    try:
        return root / (1 << shift)
    except OverflowError:
        return math.inf


def _scaled(values: Floats) -> Iterator[tuple[Floats, int]]:
    """The finite values, some at a time, and by which power of two they were multiplied."""
    for begin, end in ranges(len(values), AT_ONCE):
        some = values[begin:end]
        sizes = np.abs(some)
        inner = (sizes >= 2.0**-OUTER) & (sizes <= 2.0**OUTER)
        if inner.all():
            yield some, 0
            continue
        yield np.where(inner, some, 0.0), 0
        yield some[(sizes > 2.0**OUTER) & (sizes < np.inf)] * 2.0**-SHIFT, -SHIFT
        yield some[sizes < 2.0**-OUTER] * 2.0**SHIFT, SHIFT


def _squared(values: Floats) -> tuple[Floats, Floats]:
    """The squares as doubles, and what they lack (Dekker 1971)."""
    high = SPLIT * values
    high -= high - values
    low = values - high
    squares = values * values
    lacking = high * high - squares
    lacking += 2.0 * high * low
    lacking += low * low
    return squares, lacking


def _added(values: Floats, unit: int) -> int:
    """The exact sum in units of 2^-unit, which divide it.

    What is left of the values is rounded to a grid, the multiples of a power of two, so coarse that
    their sum is a double; then the same with what this leaves, until nothing is left.
    """
    total, left = 0, values
    while largest := max(left.max(initial=0.0), -left.min(initial=0.0)):
        grid = max(math.frexp(largest)[1] - ROOM, -UNIT)
        anchor = math.ldexp(1.5, grid + 52)
        rounded = left + anchor
        rounded -= anchor
        left = left - rounded
        total += _shifted(int(math.ldexp(rounded.sum(), -grid)), grid + unit)
    return total


def _shifted(number: int, places: int) -> int:
    return number << places if places >= 0 else number >> -places
