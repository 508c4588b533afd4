"""Shares of a number of rows."""

from __future__ import annotations

from decimal import Decimal


def part_of(share: float, size: int) -> int:
    """floor(share * size) with the share as it is written: doubles would make 28.99... of 29.

    >>> part_of(0.29, 100)
    29
    """
    return int(Decimal(repr(share)) * size)
