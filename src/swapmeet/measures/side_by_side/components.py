"""The principal components, before and after."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.comparison.score import Undefined
from swapmeet.measures.side_by_side.bins import LEAST, PUBLIC_DIGITS
from swapmeet.measures.utility.pearson import correlations_of, principal_axes

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats
    from swapmeet.comparison.comparison import Comparison

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
