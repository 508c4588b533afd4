"""The principal components before and after, and rows on the first two (RWN paper, Figure 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.comparison.weights import find_weights
from swapmeet.errors import SchemaError, TableError
from swapmeet.measures.side_by_side.bins import (
    LEAST,
    PUBLIC_DIGITS,
    choose_bins,
    count_cells,
    even_edges,
    hide_small_cells,
)
from swapmeet.measures.side_by_side.models import require_columns
from swapmeet.measures.utility.columns import Standards
from swapmeet.measures.utility.pearson import correlations_of, principal_axes
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind

LEADING = 3
"""Components whose loadings are shown, at most."""
Loadings = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Components:
    """Principal components of standardised columns, as the measure `loadings` has them.

    `..._shares` are each component's share of the variance; `..._loadings` have a row for each of
    the leading components, of length 1, with an entry for each column. The largest loading of a
    component of the original is positive, and the release's component has the sign that brings it
    nearest.
    """

    columns: tuple[str, ...]
    original_shares: tuple[float, ...]
    released_shares: tuple[float, ...]
    original_loadings: Loadings
    released_loadings: Loadings

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)

    def coarse(self) -> Components:
        """For the public: to two digits."""
        return Components(
            self.columns,
            _rounded(self.original_shares),
            _rounded(self.released_shares),
            tuple(map(_rounded, self.original_loadings)),
            tuple(map(_rounded, self.released_loadings)),
        )


def _rounded(values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(round(value, PUBLIC_DIGITS) for value in values)


def compare_components(comparison: Comparison, *, least: int = LEAST) -> Components | None:
    """The components of both tables; None where a pair of columns has too few rows in common."""
    try:
        matrices = comparison.once(correlations_of)
    except Undefined:
        return None
    names = matrices.numbers.names
    if len(names) < 2 or matrices.fewest < least or np.isnan(matrices.original).any():
        return None
    shares, axes = _leading(matrices.original)
    new_shares, new_axes = _leading(matrices.released)
    axes = orient(axes)
    new_axes = new_axes * _signs((axes * new_axes).sum(axis=1))
    return Components(names, _plain(shares), _plain(new_shares), _rows(axes), _rows(new_axes))


def _leading(correlations: Floats) -> tuple[Floats, Floats]:
    """The share of each component, and the leading ones in rows."""
    shares, axes = principal_axes(correlations)
    return shares, axes.T[:LEADING]


def orient(axes: Floats) -> Floats:
    """The components, in rows, with the sign that makes the largest loading positive."""
    return axes * _signs(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])


def _signs(values: Floats) -> Floats:
    return np.where(values < 0.0, -1.0, 1.0)[:, np.newaxis]


def _plain(values: Floats) -> tuple[float, ...]:
    return tuple(values.tolist())


def _rows(values: Floats) -> Loadings:
    return tuple(map(_plain, values))


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
        _project(data, matrices.numbers.original, leading) for data in comparison.tables
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


@dataclass(frozen=True)
class Component:
    """A principal component of both tables: its share of the variance, and how far it turned.

    `agreement` is the absolute cosine between the two directions: 1 if they are the same.
    """

    original_share: float
    released_share: float
    agreement: float


@dataclass(frozen=True)
class PCAComparison:
    """Principal components of standardised columns, over complete rows."""

    columns: tuple[str, ...]
    components: tuple[Component, ...]

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def compare_pca(comparison: Comparison, columns: Sequence[str]) -> PCAComparison:
    """Principal components of the same columns in both tables, weighted if rows have weights."""
    require_columns("pca", columns, comparison.original)
    nominal = [name for name in columns if comparison.original[name].kind is Kind.NOMINAL]
    if nominal or len(columns) < 2:
        culprit = f"not {', '.join(nominal)}" if nominal else f"got {len(columns)}"
        raise SchemaError([f"pca: give two or more columns with numbers; {culprit}."])
    (shares, axes), (new_shares, new_axes) = (
        _components(data.select(columns), find_weights(data)) for data in comparison.tables
    )
    agreement = np.abs((axes * new_axes).sum(axis=0))
    rows = zip(shares, new_shares, np.minimum(agreement, 1.0), strict=True)
    return PCAComparison(tuple(columns), tuple(Component(*map(float, row)) for row in rows))


def _components(data: Microdata, weights: Floats | None) -> tuple[Floats, Floats]:
    values = np.stack([v.values for v in data.variables], axis=1)
    complete = ~np.isnan(values).any(axis=1)
    values = values[complete]
    spread = values.std(axis=0) if len(values) else np.zeros(values.shape[1])
    if len(values) < 2 or (spread == 0).any():
        still = [v.name for v, s in zip(data.variables, spread, strict=True) if s == 0]
        raise TableError(
            f"pca: {', '.join(still) or 'the columns'} do not vary over complete rows."
        )
    if weights is None:
        return principal_axes(np.corrcoef(values.T))
    covariances = np.cov(values.T, aweights=weights[complete])
    scale = np.sqrt(np.diag(covariances))
    return principal_axes(covariances / np.outer(scale, scale))
