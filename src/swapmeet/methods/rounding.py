"""Shares of a number of rows, and numbers for people."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal


def floor_share(share: float, size: int) -> int:
    """floor(share * size) with the share as it is written: doubles would make 28.99... of 29.

    >>> floor_share(0.29, 100)
    29
    """
    return int(Decimal(repr(share)) * size)


def round_up(number: float) -> str:
    """A number with two digits that matter, not below it.

    >>> round_up(1.8342), round_up(0.0412), round_up(1234.0), round_up(0.0)
    ('1.9', '0.042', '1300', '0')
    """
    if number <= 0.0:
        return "0"
    unit = Decimal(1).scaleb(Decimal(number).adjusted() - 1)
    return f"{(Decimal(number) / unit).to_integral_value(ROUND_CEILING) * unit:f}"
