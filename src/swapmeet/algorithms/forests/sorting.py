"""Rows are sorted by a column together with its values.

Sums of numbers depend on the order in which they are added, so the order of equal values matters:
it is that of a quicksort in three parts around the median of three values (Bentley and McIlroy
1993), of a heap where that goes deep, and of insertion for few.
"""

from __future__ import annotations

import numpy as np

from swapmeet.base.arrays import Ints, Singles
from swapmeet.base.jit import kernel

FEW = 15


@kernel
def sort_rows(values: Singles, rows: Ints, begin: int, size: int) -> None:
    """Sort `size` values from `begin` on, and their rows with them."""
    if size == 0:
        return
    deepest = 2 * int(np.log2(size))
    firsts, sizes = np.empty(deepest + 2, np.int64), np.empty(deepest + 2, np.int64)
    depths = np.empty(deepest + 2, np.int64)
    firsts[0], sizes[0], depths[0] = begin, size, deepest
    left = 1
    while left > 0:
        left -= 1
        first, n, depth = firsts[left], sizes[left], depths[left]
        while n > FEW and depth > 0:
            depth -= 1
            low, high = _divide(values, rows, first, n)
            firsts[left], sizes[left], depths[left] = first, low, depth
            left += 1
            first, n = first + high, n - high
        if n > FEW:
            _sort_by_heap(values, rows, first, n)
        else:
            _insert(values, rows, first, n)


@kernel
def _divide(values: Singles, rows: Ints, first: int, n: int) -> tuple[int, int]:
    """Put values below the pivot first and those above it last; return where the middle lies."""
    pivot = _take_median(values[first], values[first + n // 2], values[first + n - 1])
    at, low, high = 0, 0, n
    while at < high:
        if values[first + at] < pivot:
            _swap(values, rows, first + at, first + low)
            at += 1
            low += 1
        elif values[first + at] > pivot:
            high -= 1
            _swap(values, rows, first + at, first + high)
        else:
            at += 1
    return low, high


@kernel
def _take_median(a: float, b: float, c: float) -> float:
    if a < b:
        return b if b < c else (c if a < c else a)
    if b < c:
        return a if a < c else c
    return b


@kernel
def _swap(values: Singles, rows: Ints, one: int, other: int) -> None:
    values[one], values[other] = values[other], values[one]
    rows[one], rows[other] = rows[other], rows[one]


@kernel
def _insert(values: Singles, rows: Ints, first: int, n: int) -> None:
    for at in range(first + 1, first + n):
        value, row, place = values[at], rows[at], at
        while place > first and values[place - 1] > value:
            values[place], rows[place] = values[place - 1], rows[place - 1]
            place -= 1
        values[place], rows[place] = value, row


@kernel
def _sort_by_heap(values: Singles, rows: Ints, first: int, n: int) -> None:
    for root in range((n - 2) // 2, -1, -1):
        _sift(values, rows, first, root, n)
    for end in range(n - 1, 0, -1):
        _swap(values, rows, first, first + end)
        _sift(values, rows, first, 0, end)


@kernel
def _sift(values: Singles, rows: Ints, first: int, root: int, end: int) -> None:
    """Let a value sink until none below it is larger."""
    while True:
        largest = root
        for child in range(2 * root + 1, 2 * root + 3):
            if child < end and values[first + largest] < values[first + child]:
                largest = child
        if largest == root:
            return
        _swap(values, rows, first + root, first + largest)
        root = largest
