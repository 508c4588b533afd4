"""Algorithms 1 to 3 of the SJPPDS paper, line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

Shuffling = Callable[..., "Floats"]


def categorize(table: Floats, n_c: int) -> Ints:
    """The bin of each value."""
    return np.stack([cut(column, n_c) for column in table.T], axis=1)


def cut(column: Floats, n_c: int) -> Ints:
    """The bins of R's `cut`: equal widths, right-closed, only the outer edges widened."""
    low, high = column.min(), column.max()
    breaks = np.linspace(low, high, n_c + 1)
    breaks[0] -= (high - low) / 1000 or 1.0
    breaks[-1] += (high - low) / 1000 or 1.0
    return np.searchsorted(breaks, column, side="left") - 1


def full(
    X: Floats,
    C: Ints,
    rng: np.random.Generator,
    *,
    cumulative: bool = False,
    earlier: np.random.Generator | None = None,
) -> Floats:
    """Algorithm 1; copying from X_s rather than X is what the paper's text describes.

    All passes but the last draw from `earlier`, if it is given: so the last pass has the draws
    that Algorithm 2 would have.
    """
    n, p = X.shape
    X_s = X.copy()
    for i in range(1, p):
        draws = rng if i == p - 1 or earlier is None else earlier
        combinations = np.unique(C[:, i:], axis=0, return_inverse=True)[1].ravel()
        source = X_s.copy() if cumulative else X
        for combination in range(combinations.max() + 1):
            idx = np.flatnonzero(combinations == combination)
            idx_s = draws.permutation(idx)
            X_s[idx, :i] = source[idx_s, :i]
    return X_s[rng.permutation(n)]


def cumulative(X: Floats, C: Ints, rng: np.random.Generator) -> Floats:
    """Algorithm 1 as the text describes it: each pass goes on from the one before."""
    return full(X, C, rng, cumulative=True)


def simplified(X: Floats, C: Ints, rng: np.random.Generator) -> Floats:
    """Algorithm 2."""
    n, p = X.shape
    X_s = X.copy()
    for level in np.unique(C[:, p - 1]):
        idx = np.flatnonzero(C[:, p - 1] == level)
        idx_s = rng.permutation(idx)
        X_s[idx, : p - 1] = X[idx_s, : p - 1]
    return X_s[rng.permutation(n)]


def sequential(
    X: Floats, n_c: int, rng: np.random.Generator, shuffling: Shuffling, **options: object
) -> Floats:
    """Algorithm 3 with one of the above."""
    p = X.shape[1]
    shifted = [*range(1, p), 0]
    masked = shuffling(X, categorize(X, n_c), rng, **options)
    for _ in range(1, p):
        masked = masked[:, shifted]
        masked = shuffling(masked, categorize(masked, n_c), rng, **options)
    return masked[:, shifted]
