"""The first principal component of standardised columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats

SLIGHT = 1e-8
"""A loading below this share of the largest is due to rounding."""


def principal_scores(columns: Floats) -> Floats:
    """The score of each row of `columns` (column by row); a missing value counts as the mean."""
    standard = np.stack([_standardise(column) for column in columns])
    _, vectors = np.linalg.eigh(standard @ standard.T)
    return project(standard, orient(vectors[:, -1]))


def orient(direction: Floats) -> Floats:
    """The direction or its opposite: the one in which its first column rises."""
    share = np.abs(direction)
    first = direction[np.argmax(share > SLIGHT * share.max())]
    return -direction if first < 0.0 else direction


def project(columns: Floats, direction: Floats) -> Floats:
    """Project rows on a direction, column by column, so that rows that are alike stay alike."""
    scores = np.zeros(columns.shape[1])
    for column, loading in zip(columns, direction, strict=True):
        scores += loading * column
    return scores


def _standardise(column: Floats) -> Floats:
    """Mean 0 and standard deviation 1; all 0 where the values present do not differ."""
    missing = np.isnan(column)
    present = column[~missing]
    if len(present) == 0 or present.min() == present.max():
        return np.zeros(len(column))
    centred = np.where(missing, 0.0, column - present.mean())
    spread = np.abs(centred).max()
    centred /= spread
    return centred / np.sqrt((centred**2).sum() / len(present))
