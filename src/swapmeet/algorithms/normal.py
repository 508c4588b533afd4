"""Draws from a normal law given some of its columns, where values may be missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints

FLATTEST = 1e-3
"""The least variance that a law is taken to have in any direction: values that were rounded, or
reflected at the ends of their range, leave its directions."""


class PairwiseFit(NamedTuple):
    """Means and spreads of columns, and their correlations, of which none is impossible."""

    centre: Floats
    spread: Floats
    correlations: Floats

    def standardise(self, columns: Floats) -> Floats:
        """Columns in standard deviations from their mean; missing values stay missing."""
        return (columns - self.centre) / np.where(self.spread > 0, self.spread, 1.0)


def fit_pairs(columns: Floats) -> PairwiseFit:
    """The normal law of columns, one per line, from the rows that have both values of a pair."""
    known = ~np.isnan(columns) * 1.0
    counts = np.maximum(known.sum(axis=1, keepdims=True), 1.0)
    centre = np.nan_to_num(columns).sum(axis=1, keepdims=True) / counts
    centred = np.where(known > 0, columns - centre, 0.0)
    spread = np.sqrt((centred**2).sum(axis=1, keepdims=True) / counts)
    scores = centred / np.where(spread > 0, spread, 1.0)
    root = find_root(scores @ scores.T / np.maximum(known @ known.T, 1.0))
    return PairwiseFit(centre, spread, root @ root)


def list_patterns(known: Flags) -> Iterator[tuple[Flags, Ints]]:
    """The columns that are known together, and the rows in which these and no others are.

    `known` has one line per column.
    """
    if (known == known[:, :1]).all():
        return iter([(known[:, 0], np.arange(known.shape[1]))])
    patterns, which = np.unique(known, axis=1, return_inverse=True)
    order = np.argsort(which, kind="stable")
    return zip(patterns.T, np.split(order, np.cumsum(np.bincount(which))[:-1]), strict=True)


def condition(covariance: Floats, free: Flags, known: Flags) -> tuple[Floats, Floats]:
    """Weights of the known columns in the mean of the free ones, and the root of what is left."""
    across = covariance[np.ix_(free, known)]
    weights = across @ np.linalg.pinv(covariance[np.ix_(known, known)], 1e-10, hermitian=True)
    return weights, find_root(covariance[np.ix_(free, free)] - weights @ across.T)


def find_root(products: Floats) -> Floats:
    """The symmetric root of a matrix whose negative eigenvalues are taken for 0."""
    values, vectors = np.linalg.eigh(products)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def whiten(points: Floats, covariance: Floats) -> Floats:
    """Points, one per column, in directions in which this covariance is that of independent noise.

    Points that miss the same coordinates can be compared; with others they share a missing one.
    """
    coordinates = np.full(points.shape, np.nan)
    for known, some in list_patterns(~np.isnan(points)):
        cells = np.ix_(known, some)
        values, vectors = np.linalg.eigh(covariance[np.ix_(known, known)])
        coordinates[cells] = (vectors / np.sqrt(np.maximum(values, FLATTEST))).T @ points[cells]
    return coordinates
