"""The pruning scheme: which widths of equi-width cells are worth considering.

Reference: Li and Shen (2010), section 3.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.cells import (
    cells_of,
    depths_of,
    minimal_depth,
    partition_degree,
    places_of,
)
from swapmeet.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Floats, ShortInts

TRIED = 100


@dataclass(frozen=True)
class Candidate:
    """A width, the number of cells that hold rows, and the rows in the smallest of them."""

    width: float
    degree: int
    minimal_depth: int


def candidate_widths(
    columns: Sequence[Floats],
    *,
    upper: float,
    tried: int = TRIED,
    strata: ShortInts | None = None,
) -> tuple[Candidate, ...]:
    """The widths from the lower bound to `upper`, narrowest first, one for each minimal depth.

    The columns are on a common scale and share the width. `tried` widths are looked at, equally
    spaced up to `upper`. The lower bound is the narrowest at which each cell that holds rows holds
    two or more; from there up, those that again leave a row alone are left out, and of widths with
    the same minimal depth the narrowest is kept. None may be left.

    >>> ages = np.array([20.0, 21.0, 24.0, 25.0, 28.0, 29.0])
    >>> for candidate in candidate_widths([ages], upper=9.0, tried=9):
    ...     print(candidate)
    Candidate(width=2.0, degree=3, minimal_depth=2)
    Candidate(width=5.0, degree=2, minimal_depth=3)
    Candidate(width=9.0, degree=1, minimal_depth=6)
    """
    if not (upper > 0.0 and np.isfinite(upper)) or tried < 1 or not len(columns):
        raise UsageError(
            "candidate_widths: give columns, a finite `upper` above 0 and `tried` from 1 up."
        )
    if strata is None:
        strata = np.zeros(len(columns[0]), np.int32)
    found: dict[int, Candidate] = {}
    for step in range(1, tried + 1):
        width = upper * step / tried
        depths = depths_of(cells_of([places_of(column, width) for column in columns], strata))
        depth = minimal_depth(depths)
        if depth >= 2 and depth not in found:
            found[depth] = Candidate(width, partition_degree(depths), depth)
    return tuple(found.values())
