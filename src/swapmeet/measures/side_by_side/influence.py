"""Influence of single rows in a regression, before and after (RWN paper, Figure 7)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.measures.side_by_side.bins import (
    LEAST,
    count_in_bins,
    even_ratios,
    is_small,
    join_small_bins,
)
from swapmeet.measures.side_by_side.linear_fit import fit

if TYPE_CHECKING:
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.tables.formulas import Formula


@dataclass(frozen=True)
class Influence:
    """Cook's distances of a linear model, counted in bins, and the largest of each table.

    `edges` are the inner ones; the outermost bins are open. No count is from 1 to `least` - 1; a
    model of fewer rows has no counts at all.
    """

    formula: str
    edges: tuple[float, ...]
    original: tuple[int, ...]
    released: tuple[int, ...]
    largest_original: float
    largest_released: float
    least: int = LEAST

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def compare_influence(comparison: Comparison, formula: Formula, *, least: int = LEAST) -> Influence:
    """The influence of rows on a model fitted to both tables."""
    formula.check(comparison.original)
    tables = comparison.original, comparison.released
    cook = [fit(data, comparison.original, formula)[1].cook for data in tables]
    cook = [distances[~np.isnan(distances)] for distances in cook]
    every = even_ratios(np.concatenate(cook))
    counts = np.stack([count_in_bins(distances, every) for distances in cook], axis=1)
    starts = join_small_bins(counts, least)
    counts = np.add.reduceat(counts, starts)
    if is_small(counts, least):
        starts, counts = [0], counts[:0]
    original, released = (tuple(column.tolist()) for column in counts.T)
    edges = tuple(every[start - 1] for start in starts[1:])
    first, second = (float(distances.max()) for distances in cook)
    return Influence(formula.text, edges, original, released, first, second, least)
