"""Records that agree in all the columns an intruder knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from swapmeet.measures import Comparison

Labels = npt.NDArray[np.int64]


def combinations(comparison: Comparison) -> tuple[Labels, Labels]:
    """A number for the combination of known values in each original and each released row."""
    return comparison.combinations(comparison.known)


def frequencies(labels: Labels, among: Labels) -> Labels:
    """How often each label occurs `among` others."""
    count = int(max(labels.max(initial=-1), among.max(initial=-1))) + 1
    return np.bincount(among, minlength=count)[labels]
