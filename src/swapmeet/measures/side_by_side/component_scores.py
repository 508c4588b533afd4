"""Scores on the first two principal components, before and after (RWN paper, Figure 8)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.comparison.score import Undefined
from swapmeet.measures.side_by_side.bins import LEAST, even_edges
from swapmeet.measures.side_by_side.cells import choose_bins, count_cells, hide_small_cells
from swapmeet.measures.side_by_side.components import orient
from swapmeet.measures.utility.pearson import correlations_of, principal_axes

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.measures.utility.columns import Standards
    from swapmeet.tables.microdata import Microdata

Grid = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class ComponentScores:
    """Rows of both tables by their scores on the first two components of the original.

    The components, means and standard deviations are those of the original, so that both tables are
    on the same axes. `original[i][j]` are the rows in bin i of the first score and bin j of the
    second; a cell of fewer than `least` rows counts 0, and `..._left_out` are the rows of such
    cells. Edges are the inner ones; the outermost bins are open. Rows with a missing value have no
    score.
    """

    columns: tuple[str, ...]
    shares: tuple[float, float]
    first_edges: tuple[float, ...]
    second_edges: tuple[float, ...]
    original: Grid
    released: Grid
    original_left_out: int
    released_left_out: int
    least: int = LEAST

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def compare_component_scores(
    comparison: Comparison, *, least: int = LEAST
) -> ComponentScores | None:
    """The scores of both tables; None where there are no two components or too few rows."""
    try:
        matrices = comparison.once(correlations_of)
    except Undefined:
        return None
    names = matrices.numbers.names
    if len(names) < 2 or np.isnan(matrices.original).any():
        return None
    shares, axes = principal_axes(matrices.original)
    leading = orient(axes.T[:2])
    before, after = (
        _project(data, matrices.numbers.original, leading)
        for data in (comparison.original, comparison.released)
    )
    if min(before.shape[1], after.shape[1]) < least:
        return None
    first, second = (float(share) for share in shares[:2])
    return _count(names, (first, second), before, after, least)


def _project(data: Microdata, standards: Standards, leading: Floats) -> Floats:
    """The scores of complete rows, a row for each component."""
    values = standards.scores(data)
    return leading @ values[:, ~np.isnan(values).any(axis=0)]


def _count(
    names: tuple[str, ...], shares: tuple[float, float], before: Floats, after: Floats, least: int
) -> ComponentScores:
    most = choose_bins(min(before.shape[1], after.shape[1]))
    across, up = (
        even_edges(np.concatenate(both), most) for both in zip(before, after, strict=True)
    )
    counts = [count_cells(one[0], one[1], across, up) for one in (before, after)]
    shown = [hide_small_cells(one, least) for one in counts]
    left_out = [int(one.sum() - kept.sum()) for one, kept in zip(counts, shown, strict=True)]
    grids = [tuple(map(tuple, one.tolist())) for one in shown]
    return ComponentScores(
        names, shares, tuple(across), tuple(up), grids[0], grids[1], left_out[0], left_out[1], least
    )
