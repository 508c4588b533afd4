"""Canonical correlations between two sets of columns, when rows are paired in several ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Floats, Rows

TOLERANCE = 1e-7
"""A column that the others leave less of than this share adds no dimension."""


class Space:
    """The columns of a file as a space, of which single columns can be left out.

    The rows are decomposed once; whatever pairing of rows and whatever choice of columns comes
    after costs one product of two matrices.
    """

    def __init__(self, columns: Floats) -> None:
        centred = columns.T - columns.mean(axis=1)
        lengths = np.sqrt((centred**2).sum(axis=0))
        self.basis, self.places = np.linalg.qr(centred / np.where(lengths > 0.0, lengths, 1.0))

    def without(self, column: int | None) -> Floats:
        """Directions, within the basis, of the space that the other columns span."""
        places = self.places if column is None else np.delete(self.places, column, axis=1)
        return _directions(places)

    @property
    def rank(self) -> int:
        """The number of dimensions of all columns together."""
        return self.without(None).shape[1]


def canonical_correlations(
    one: Space, other: Space, pairs: tuple[Rows, Rows] | None = None, without: int | None = None
) -> Floats:
    """From the largest down; row `pairs[0][i]` of the one belongs to row `pairs[1][i]`."""
    left, right = one.basis, other.basis
    if pairs is not None:
        left, right = left[pairs[0]], right[pairs[1]]
    product = one.without(without).T @ (left.T @ right) @ other.without(without)
    if not product.size:
        return np.empty(0)
    return np.clip(np.linalg.svd(product, compute_uv=False), 0.0, 1.0)


def _directions(places: Floats) -> Floats:
    from scipy.linalg import qr

    if not places.size:
        return np.empty((len(places), 0))
    directions, triangle, _ = qr(places, mode="economic", pivoting=True)
    return directions[:, np.abs(np.diag(triangle)) > TOLERANCE]
