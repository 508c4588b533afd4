"""Shares of a number of rows."""

from __future__ import annotations

from decimal import Decimal


def floor_share(share: float, size: int) -> int:
    """floor(share * size) with the share as it is written: doubles would make 28.99... of 29.

    >>> floor_share(0.29, 100)
    29
    """
    return int(Decimal(repr(share)) * size)
