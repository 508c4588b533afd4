"""List the measures that take long on a table; a note names them before they begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.core.base.sentences import join_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.measures.comparison import Comparison

SLOW = 30.0
"""Measures that are expected to take more CPU seconds than this are named."""
NARROW = 12
"""Up to so many columns, trees find neighbours, and nothing below takes long."""

PEOPLE = {"pscr": 1e-9, "dbrl": 2e-9, "membership": 4e-9}
"""CPU seconds for each person, row and column, measured on a table of 20,000 × 800."""
SOME_PEOPLE = {"linkage": 2.5e-8, "inference": 1.4e-8}
"""The same for those that look at about 500 people, however many there are."""
FEW = 500
NUMBERS = {"rid-sorted": 6e-9, "sdid-sorted": 6e-9, "dbrl-sorted": 4e-9}
"""CPU seconds for each row and each two columns with numbers."""
CROSSED = {"small-cells": 2e-9}
"""CPU seconds for each row and each two columns of any kind."""


def expect_seconds(comparison: Comparison) -> dict[str, float]:
    """The CPU seconds that dear measures will take, about; a machine may be twice as fast."""
    rows, columns = comparison.n, len(comparison.known)
    if columns <= NARROW:
        return {}
    numbers = len([name for name in comparison.known if name in comparison.numeric])
    people = rows if comparison.people is None else min(comparison.people, rows)
    work = [
        (PEOPLE, people * rows * columns),
        (SOME_PEOPLE, min(people, FEW) * rows * columns),
        (NUMBERS, rows * numbers**2),
        (CROSSED, rows * columns**2),
    ]
    return {name: rate * much for rates, much in work for name, rate in rates.items()}


def name_slow(comparison: Comparison, measures: Iterable[str]) -> str:
    """The measures that will take long, the slowest first, in a line; "" if there are none."""
    expected = expect_seconds(comparison)
    slow = [name for name in measures if expected.get(name, 0.0) > SLOW]
    if not slow:
        return ""
    slow.sort(key=lambda name: -expected[name])
    minutes = max(round(sum(expected[name] for name in slow) / 60.0), 1)
    return f"slow on this table: {join_names(slow)} (about {minutes:,} min of CPU time)"
