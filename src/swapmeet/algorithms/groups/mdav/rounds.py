"""Groups by maximum distance to average vector (Domingo-Ferrer and Torra 2005)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.mdav.centre import add, mean_of, totals_of
from swapmeet.algorithms.groups.mdav.metric import measure_columns
from swapmeet.algorithms.groups.mdav.search import farthest, nearest
from swapmeet.algorithms.groups.mdav.tree import grow, remaining_rows, remove
from swapmeet.core.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.algorithms.groups.mdav.metric import Metric
    from swapmeet.algorithms.groups.mdav.tree import BlockTree
    from swapmeet.core.base.arrays import Floats, Ints
    from swapmeet.core.base.parallel import Workers

SMALL = 1024
"""A tree of this many rows or fewer is not grown anew."""
STEP = 4096
"""Progress is reported after about this many rows."""


def mdav(columns: Floats, k: int, workers: Workers, *, scaled: bool = False) -> Ints:
    """The group of each row of `columns` (column by row), `scaled` if they count as they are.

    While 2k or more rows are left: r is the row farthest from their mean and s the row farthest
    from r, the first one where several are. The k rows nearest to r become a group, and if 3k or
    more were left, so do the k nearest to s; among equally near rows the last ones come first. What
    is left in the end is the last group, so a table of fewer than 2k rows is one group.

    The tree is grown anew whenever half of its rows are gone.
    """
    labels = np.full(columns.shape[1], -1)
    groups = 0
    if len(labels) >= 2 * k:
        groups = _form_all(*measure_columns(columns, scaled=scaled), labels, k, workers)
    labels[labels < 0] = groups
    return labels


def _form_all(values: Floats, metric: Metric, labels: Ints, k: int, workers: Workers) -> int:
    """Form groups while enough rows are left; return how many there are."""
    n = left = len(labels)
    rows = np.arange(n)
    groups = 0
    while left >= 2 * k:
        totals = totals_of(values, rows)
        tree = grow(values, metric, rows, mean_of(totals))
        half = left // 2 if left > SMALL else 0
        while left >= 2 * k and left > half:
            until = max(left - STEP, half)
            groups = _form(tree, values, metric, totals, labels, k, groups, until)
            left = n - k * groups
            workers.progress("groups", n - left, n)
        rows = remaining_rows(tree)
    return groups


@kernel
def _form(
    tree: BlockTree, values: Floats, metric: Metric, totals: Floats, labels: Ints, k: int,
    groups: int, until: int,
) -> int:  # fmt: skip
    """Form groups until `until` rows are left, or fewer; return how many groups there are."""
    gaps = np.empty(k)
    members = np.empty(k, np.int64)
    left = labels.shape[0] - k * groups
    while left >= 2 * k and left > until:
        mean = mean_of(totals)
        r = farthest(tree, values, metric, mean)
        s = farthest(tree, values, metric, values[r])
        for side in range(2 if left >= 3 * k else 1):
            query = values[s if side else r]
            nearest(tree, values, metric, query, gaps, members)
            for i in range(k):
                row = members[i]
                labels[row] = groups
                remove(tree, values, row)
                add(totals, values, row, -1.0)
            groups += 1
            left -= k
    return groups
