"""Numbers in as many digits as matter."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kit.claim import Claim

DIGITS = 4


def show_ours(claim: Claim) -> str:
    """Our number in the paper's digits, or one more where it is random, with its error.

    >>> from kit.claim import Claim
    >>> from kit.estimate import Estimate
    >>> show_ours(Claim.of("", "480.92", 480.9197))
    '480.92'
    >>> show_ours(Claim.of("", "0.627", Estimate(0.63512, 0.00421)))
    '0.635 ± 0.004'
    >>> show_ours(Claim.of("", "1.223804e-03", 0.0012238039))
    '1.223804e-03'
    >>> show_ours(Claim.of("", "1.207e-07", Estimate(1.4e-07, 0.21e-07)))
    '1.4e-07 ± 0.2e-07'
    >>> show_ours(Claim.of("", "6.7e-06", Estimate(9.8e-06, 2e-06)))
    '1.0e-05 ± 0.2e-05'
    """
    if math.isnan(claim.ours):
        return show_cell(claim.ours)
    if "e" in claim.paper.lower():
        return _show_power_of_ten(claim)
    if not claim.error:
        return f"{claim.ours:.{claim.digits}f}" if claim.paper else show_cell(claim.ours)
    if math.isnan(claim.error):
        return show_cell(claim.ours)
    decimals = max(0, -math.floor(math.log10(claim.error)))
    return f"{claim.ours:.{decimals}f} ± {claim.error:.{decimals}f}"


def _show_power_of_ten(claim: Claim) -> str:
    """Where the paper has powers of ten, in its digits, or as many as the error leaves."""
    power = math.floor(math.log10(abs(claim.ours))) if claim.ours else 0
    if not claim.error or math.isnan(claim.error):
        decimals = claim.digits + Decimal(claim.paper).adjusted()
        return f"{claim.ours:.{decimals}e}"
    decimals = max(0, power - math.floor(math.log10(claim.error)))
    if round(abs(claim.ours) / 10.0**power, decimals) >= 10.0:
        power, decimals = power + 1, decimals + 1
    mean, error = (
        f"{one / 10.0**power:.{decimals}f}e{power:+03d}" for one in (claim.ours, claim.error)
    )
    return f"{mean} ± {error}"


def show_cell(cell: Any) -> str:
    """A text as it is, a whole number in full, another number in few digits, nothing for none.

    >>> [show_cell(one) for one in ("RWN", 20090, 0.0123456, -8595.58, None)]
    ['RWN', '20,090', '0.01235', '-8,596', '']
    """
    if cell is None:
        return ""
    if isinstance(cell, bool) or not isinstance(cell, (int, float)):
        return str(cell)
    if isinstance(cell, int):
        return f"{cell:,}"
    if not math.isfinite(cell):
        return "–"
    return f"{cell:,.0f}" if abs(cell) >= 10**DIGITS / 10 else f"{cell:.{DIGITS}g}"
