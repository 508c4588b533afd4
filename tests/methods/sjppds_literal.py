"""Algorithms 1 to 3 of the SJPPDS paper, line by line; `source` is what line 12 copies from."""

from __future__ import annotations

import numpy as np


def categorize(table, n_c):
    return np.stack([cut(column, n_c) for column in table.T], axis=1)


def cut(column, n_c):
    """R's cut(column, n_c): equal widths, right-closed, only the outer edges widened."""
    low, high = column.min(), column.max()
    breaks = np.linspace(low, high, n_c + 1)
    breaks[0] -= (high - low) / 1000 or 1.0
    breaks[-1] += (high - low) / 1000 or 1.0
    return np.searchsorted(breaks, column, side="left") - 1


def full(X, C, rng, *, cumulative=False):
    """Algorithm 1; copying from X_s rather than X is what the paper's text describes."""
    n, p = X.shape
    X_s = X.copy()
    for i in range(1, p):
        combinations = np.array([".".join(map(str, row)) for row in C[:, i:]])
        source = X_s.copy() if cumulative else X
        for combination in np.unique(combinations):
            idx = np.flatnonzero(combinations == combination)
            idx_s = rng.permutation(idx)
            X_s[idx, :i] = source[idx_s, :i]
    return X_s[rng.permutation(n)]


def cumulative(X, C, rng):
    return full(X, C, rng, cumulative=True)


def simplified(X, C, rng):
    """Algorithm 2."""
    n, p = X.shape
    X_s = X.copy()
    for level in np.unique(C[:, p - 1]):
        idx = np.flatnonzero(C[:, p - 1] == level)
        idx_s = rng.permutation(idx)
        X_s[idx, : p - 1] = X[idx_s, : p - 1]
    return X_s[rng.permutation(n)]


def sequential(X, n_c, rng, shuffling):
    """Algorithm 3 with one of the above."""
    p = X.shape[1]
    shifted = [*range(1, p), 0]
    masked = shuffling(X, categorize(X, n_c), rng)
    for _ in range(1, p):
        masked = masked[:, shifted]
        masked = shuffling(masked, categorize(masked, n_c), rng)
    return masked[:, shifted]
