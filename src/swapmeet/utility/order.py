"""The values of the masked columns in order, which several measures share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.schema import Kind

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.measures import Comparison

    Floats = npt.NDArray[np.float64]


def ordered(comparison: Comparison) -> dict[str, tuple[Floats, Floats]]:
    """Each masked numeric or ordinal column of original and release, sorted; NaN comes last."""
    return {
        name: (np.sort(comparison.original[name].values), np.sort(comparison.released[name].values))
        for name in comparison.masked
        if comparison.original[name].kind is not Kind.NOMINAL
    }
