"""A random part of the rows, where all of them would take too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints
    from swapmeet.comparison.comparison import Comparison


def some_rows(comparison: Comparison, most: int, label: str) -> Ints:
    """At most `most` rows, at random and in order; the same for the same number of rows."""
    if comparison.n <= most:
        return np.arange(comparison.n)
    stream = comparison.streams.stream(label, "rows")
    return np.sort(stream.choice(comparison.n, most, replace=False, shuffle=False))
