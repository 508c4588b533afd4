"""Records that agree in all the columns an intruder knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from swapmeet.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.measures import Comparison

Labels = npt.NDArray[np.int64]


def combinations(comparison: Comparison) -> tuple[Labels, Labels]:
    """A number for the combination of known values in each original and each released row."""
    return of_columns(comparison, comparison.known)


def of_columns(comparison: Comparison, names: Iterable[str]) -> tuple[Labels, Labels]:
    """A number for the combination of values in these columns; a missing value is a value."""
    n = comparison.original.n
    labels = np.zeros(n + comparison.released.n, np.int64)
    for name in names:
        codes = _codes(comparison, name)
        labels = labels * (int(codes.max(initial=0)) + 1) + codes
        labels = np.unique(labels, return_inverse=True)[1]
    return labels[:n], labels[n:]


def frequencies(labels: Labels, among: Labels) -> Labels:
    """How often each label occurs `among` others."""
    count = int(max(labels.max(initial=-1), among.max(initial=-1))) + 1
    return np.bincount(among, minlength=count)[labels]


def _codes(comparison: Comparison, name: str) -> Labels:
    one, other = comparison.original[name], comparison.released[name]
    values = np.concatenate([one.values, other.values])
    if one.kind is Kind.NOMINAL:
        return values.astype(np.int64) + 1
    return np.unique(values, return_inverse=True)[1]
