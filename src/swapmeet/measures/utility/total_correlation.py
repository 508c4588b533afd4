"""Change of the information that columns share (RWN paper, 9.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from swapmeet.base.arrays import Ints
from swapmeet.base.params import Count, Optional
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score, Undefined
from swapmeet.measures.base import UtilityMeasure
from swapmeet.measures.utility.columns import require_finite
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

MOSTLY = 0.5
"""With a larger share of unique rows there is little to learn from them."""


@dataclass(frozen=True, kw_only=True)
class TotalCorrelation(UtilityMeasure):
    """The absolute change of total correlation, in nats.

    Total correlation is what all columns together say about each other, whatever the form of the
    relation: the sum of the columns' entropies less the entropy of the rows. Numeric columns are
    cut into bins of equal width between the extremes of their own table. 0 for an unchanged
    release. Methods that copy values from neighbours may raise it.

    With many columns most rows are one of a kind, and chance alone makes columns share nearly as
    much as they can: then it says little, and the sentence says so. A missing value is a value.

    Sampling weights are not taken into account: each row counts as one.

    Reference: RWN paper, section 9.5; Watanabe (1960).
    """

    name = "total-correlation"
    growth = "rows × columns"
    public = True
    question = "How much does the information that columns share change?"
    bounds = (0.0, np.inf)
    in_sample = ", which are cut into fewer bins than the whole file would be"

    bins: Annotated[
        int | None, Optional(Count(2)), "bins of a numeric column (default: the cube root of n)"
    ] = None

    def score(self, comparison: Comparison) -> Score:
        require_finite(comparison)
        if len(comparison.original.variables) < 2:
            raise Undefined("a single column shares nothing")
        bins = self.bins or max(cube_root(comparison.n), 1)
        one, other = (total_correlation(data, bins) for data in comparison.tables)
        before, after, mostly = one.information, other.information, one.unique > MOSTLY
        sentence = (
            f"The columns share {before:.3f} nats of information in the original and {after:.3f} "
            f"in the release; if nothing were lost or added, both would be the same"
            f"{', but most rows are unique, so that this says little' * mostly}."
        )
        details: dict[str, Any] = {
            "before": before,
            "after": after,
            "relative change": (after - before) / before if before > 0.0 else 0.0,
            "bins": bins,
            "entropy of rows": one.of_rows,
            "share of rows that are unique": one.unique,
            "tells little": mostly,
        }
        return self.make_score(abs(after - before), sentence, details=details)


ROOM = 2**62


def cube_root(n: int) -> int:
    """The largest whole number whose cube is at most n.

    >>> cube_root(999), cube_root(1000), cube_root(20_090)
    (9, 10, 27)
    """
    root = round(n ** (1 / 3))
    return root - (root**3 > n)


@dataclass(frozen=True)
class Shared:
    """Total correlation in nats, the entropy of the rows, and the share of rows that are unique."""

    information: float
    of_rows: float
    unique: float


def total_correlation(data: Microdata, bins: int) -> Shared:
    """The sum of the columns' entropies less that of the rows."""
    codes = [_codes(variable, bins) for variable in data.variables]
    counts = np.unique(_combined(codes), return_counts=True)[1]
    of_rows = _entropy(counts)
    information = sum(_entropy(np.bincount(column)) for column in codes) - of_rows
    return Shared(information, of_rows, float((counts == 1).sum() / data.n))


def _combined(codes: list[Ints]) -> Ints:
    """One number for each combination of codes."""
    joint, size = np.zeros(len(codes[0]), np.int64), 1
    for column in codes:
        levels = int(column.max()) + 1
        if size * levels > ROOM:
            joint = np.unique(joint, return_inverse=True)[1]
            size = int(joint.max()) + 1
        joint = joint * levels + column
        size *= levels
    return joint


def _codes(variable: Variable, bins: int) -> Ints:
    """The level or bin of each row, from 1; 0 is a missing value."""
    if variable.kind is Kind.NOMINAL:
        return variable.values.astype(np.int64) + 1
    missing = variable.missing
    present = variable.values[~missing]
    if not len(present):
        return np.zeros(len(variable.values), np.int64)
    low, high = float(present.min()), float(present.max())
    shares = (np.where(missing, low, variable.values) - low) / ((high - low) or 1.0)
    codes = np.minimum((shares * bins).astype(np.int64), bins - 1) + 1
    codes[missing] = 0
    return codes


def _entropy(counts: Ints) -> float:
    shares = np.sort(counts[counts > 0]) / counts.sum()
    return float(-(shares * np.log(shares)).sum())
