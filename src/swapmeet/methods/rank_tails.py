"""Result of rank swapping for a column, and for the values at its two ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.algorithms.places import places_in
from swapmeet.core.release.donors import MADE
from swapmeet.core.tables.schema import Kind

if TYPE_CHECKING:
    from swapmeet.algorithms.groups.ranks import Ranks
    from swapmeet.core.base.arrays import Floats, Ints
    from swapmeet.core.tables.microdata import Variable


class SwappedColumn(NamedTuple):
    """Say what became of a column."""

    donors: Ints
    stuck: Ints
    made: Floats | None = None


def level_tails(
    variable: Variable, ranks: Ranks, begins: Ints, ends: Ints, swapped: SwappedColumn
) -> SwappedColumn:
    """The rows of each tail get their mean or, if ordinal, their lower median; one alone stays."""
    from swapmeet.algorithms.groups.ranks import means_in

    sizes = ends - begins
    stuck = np.concatenate([swapped.stuck, ranks.order[begins[sizes == 1]]])
    begins, ends, sizes = begins[sizes > 1], ends[sizes > 1], sizes[sizes > 1]
    rows = ranks.order[places_in(begins, ends)]
    if variable.kind is Kind.ORDINAL:
        swapped.donors[rows] = np.repeat(ranks.order[begins + sizes // 2], sizes)
        return swapped._replace(stuck=stuck)
    swapped.donors[rows] = MADE
    made = variable.values.copy()
    made[rows] = np.repeat(means_in(ranks.values, begins, ends), sizes)
    return swapped._replace(stuck=stuck, made=made if len(rows) else None)
