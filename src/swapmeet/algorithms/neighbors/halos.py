"""Widths of the halos of cells: enough for most rows, within a bounded memory."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import numpy as np

from swapmeet.algorithms.encode import Points
from swapmeet.algorithms.neighbors.cell_cuts import Wanted
from swapmeet.algorithms.neighbors.cell_sample import GUESTS
from swapmeet.algorithms.neighbors.cells import (
    AT_HOME,
    LEFT,
    NO_HALO,
    PARTS,
    RIGHT,
    WHOLE,
    CellTrees,
)
from swapmeet.algorithms.neighbors.search import Rule
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.parallel import Workers, ranges

COVERED = 0.99
"""Share of a cell's rows whose neighbourhoods the halo shall hold."""
SAFETY = 1.05
"""Halos are wider than estimated by this factor."""
STEPS, PIECE = 64, 1 << 13
LISTED = 16
QUERIES, QUERIES_PER_CELL = 1 << 13, 64


def needs_of(
    points: Points, strata: ShortInts, sizes: Ints, rule: Rule, cells: int, workers: Workers
) -> Floats:
    """Measure how far neighbourhoods of some sampled rows extend among all rows; NaN: unknown.

    A sample of a share s of the rows has the k-th neighbour of all as its s k-th. Where that is
    less than the first, distance is taken to shrink as it does from the 16th to the first.
    """
    needs = np.full(points.n, rule.eps)
    if rule.k == 0:
        return needs
    needs[:] = np.nan
    counts = np.bincount(strata, minlength=len(sizes))
    ranks = min(rule.k, sizes.max()) * counts / sizes
    rows, far = _nearest(points, strata, max(LISTED, ceil(ranks.max()) + 1), cells, workers)
    for stratum in np.unique(strata[rows]).tolist():
        some = strata[rows] == stratum
        needs[rows[some]] = at_rank(far[some], float(ranks[stratum]))
    return np.maximum(needs, rule.eps)


def _nearest(
    points: Points, strata: ShortInts, length: int, cells: int, workers: Workers
) -> tuple[Ints, Floats]:
    """Some rows of the sample, and the distances of their nearest, inf where there are no more."""
    from swapmeet.algorithms.neighbors.exact_draws import tree_of
    from swapmeet.algorithms.neighbors.lists import nearest_lists
    from swapmeet.algorithms.neighbors.tree import START, STOP

    tree = tree_of(points.of(np.arange(points.n)), strata)
    step = max(points.n // max(QUERIES, QUERIES_PER_CELL * cells), 1)
    leaves = np.ascontiguousarray(tree.leaves[::step])
    lists = nearest_lists(tree, length, workers, leaves)
    ends = np.zeros(points.n + 1, np.int64)
    ends[tree.nodes[leaves, START]] += 1
    ends[tree.nodes[leaves, STOP]] -= 1
    at = np.flatnonzero(np.cumsum(ends)[:-1] > 0)
    listed = np.arange(lists.far.shape[1]) < lists.lengths[at, np.newaxis]
    far = np.sqrt(np.where(listed, lists.far[at], np.inf))
    return tree.rows[at], far


def at_rank(far: Floats, rank: float) -> Floats:
    """The distance of the neighbour of a rank, which may be a fraction; `far` ascends in a row.

    >>> far = np.array([[1.0, 3.0, 4.0]])
    >>> at_rank(far, 2.0), at_rank(far, 1.5)
    (array([3.]), array([2.]))
    """
    known = np.isfinite(far)
    last = np.maximum(known.sum(axis=1) - 1, 0)
    lines, away = np.arange(len(far)), np.where(known, far, 0.0)
    if rank >= 1.0:
        below = np.minimum(int(rank) - 1, last)
        above = np.minimum(below + 1, last)
        return _between(away[lines, below], away[lines, above], rank - int(rank))
    last = np.minimum(last, LISTED - 1)
    shrunk = (rank / (last + 1)) ** (1.0 / dimension(far[:, :LISTED]))
    distances: Floats = away[lines, last] * shrunk
    return distances


def _between(below: Floats, above: Floats, part: float) -> Floats:
    return below * (1.0 - part) + above * part


def dimension(far: Floats) -> float:
    """In how many dimensions rows are spread, by how fast distances grow (Levina and Bickel).

    >>> round(dimension(np.sqrt(np.arange(1.0, 17.0))[np.newaxis]), 1)
    2.2
    """
    near = far[:, :-1]
    used = (near > 0.0) & np.isfinite(far[:, -1:])
    if not used.any():
        return 1.0
    logs = np.log(np.broadcast_to(far[:, -1:], near.shape)[used] / near[used])
    return float(1.0 / max(logs.mean(), 1e-3))


def with_halos(cells: CellTrees, wanted: Wanted, rule: Rule) -> CellTrees:
    """The same cells with halos."""
    points, strata = wanted.points, wanted.strata
    homes = np.full(points.n, WHOLE)
    visits = cells.visits(points, strata)
    homes[visits.places] = visits.nodes
    rows = np.flatnonzero(~np.isnan(wanted.needs) & (homes != WHOLE))
    near, other = cells.walls(points, strata, rows, homes[rows])
    widths = _widths(wanted.needs[rows], near, other)
    least = rule.eps * (1.0 + 1e-9)
    halos = np.full(len(cells.nodes), NO_HALO)
    for leaf in cells.leaves[cells.nodes[cells.leaves, PARTS] == 1].tolist():
        here = widths[homes[rows] == leaf]
        width = max(_covering(here if len(here) else widths), least)
        halos[leaf] = width * width
    return _affordable(_spread(replace(cells, halos=halos)), wanted, homes)


def _widths(needs: Floats, near: Floats, other: Floats) -> Floats:
    """The halo that each row would need for its neighbourhood."""
    beyond = np.maximum(needs - near, 0.0)
    with np.errstate(over="ignore"):
        return np.where(needs**2 > other, needs, beyond)


def _covering(widths: Floats) -> float:
    return float(np.quantile(widths, COVERED)) * SAFETY if len(widths) else 0.0


def _affordable(cells: CellTrees, wanted: Wanted, homes: Ints) -> CellTrees:
    """The cells with narrower halos where there would be too many guests."""
    own = np.bincount(homes[homes != WHOLE], minlength=len(cells.nodes))
    share = len(wanted.strata) / wanted.sizes.sum()
    room = (1.0 + GUESTS) * wanted.rows_per_cell * share - own
    guests = np.cumsum(_guests_by_width(cells, wanted), axis=1)
    steps = (guests <= room[:, np.newaxis]).sum(axis=1) - 1
    halos = np.where(steps < 0, NO_HALO, cells.halos * (steps / STEPS) ** 2)
    return _spread(replace(cells, halos=halos))


def _guests_by_width(cells: CellTrees, wanted: Wanted) -> Ints:
    """Count the guests that each cell gets when its halo grows from j - 1 to j steps."""
    counts = np.zeros((len(cells.nodes), STEPS + 1), np.int64)
    for begin, end in ranges(wanted.points.n, PIECE):
        rows = np.arange(begin, end)
        visits = cells.visits(wanted.points.of(rows), wanted.strata[rows])
        guest = visits.away != AT_HOME
        nodes, away = visits.nodes[guest], visits.away[guest]
        shares = np.sqrt(away / np.maximum(cells.halos[nodes], np.finfo(np.float64).tiny))
        np.add.at(counts, (nodes, np.minimum(np.ceil(shares * STEPS), STEPS).astype(int)), 1)
    return counts


def _spread(cells: CellTrees) -> CellTrees:
    """Each node above the cells gets the widest halo below it; children follow their parents."""
    halos = cells.halos.copy()
    for node in range(len(halos) - 1, -1, -1):
        left, right = cells.nodes[node, LEFT], cells.nodes[node, RIGHT]
        if left:
            halos[node] = max(halos[left], halos[right])
    return replace(cells, halos=halos)
