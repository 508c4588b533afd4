"""Principal components of chosen columns of both tables."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.errors import SchemaError, TableError
from swapmeet.measures.side_by_side.chosen_columns import require_columns
from swapmeet.measures.utility.pearson import principal_axes
from swapmeet.measures.weights import find_weights
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Floats
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.tables.microdata import Microdata


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
        _components(data.select(columns), find_weights(data))
        for data in (comparison.original, comparison.released)
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
