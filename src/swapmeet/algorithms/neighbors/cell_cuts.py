"""Cut the space into cells of equal size, by a sample of the rows, and find their halos."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil
from typing import NamedTuple

import numpy as np

from swapmeet.algorithms.blocks import first_blocks
from swapmeet.algorithms.encode import Points
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
from swapmeet.base.row_hash import RowHash

SPARE = 0.2
"""A cell may be larger than asked for by this share, before there is another."""
HALF = 0.5
"""A cut that leaves less than this share of a cell on one side is the last resort."""
TYPICAL = 0.9
"""Share of the rows whose neighbours are no farther than what a cut is judged by."""


class Wanted(NamedTuple):
    """Wanted cells: the sample of rows they are made of, and how large they shall be.

    `needs` is the distance that each sampled row's neighbourhood extends to among all rows, NaN
    where it was not sought. No cell is made with fewer than `least` sampled rows.
    """

    points: Points
    strata: ShortInts
    needs: Floats
    sizes: Ints
    rows_per_cell: int
    least: float
    hashing: RowHash


def cut(wanted: Wanted) -> CellTrees:
    """Cells without halos; strata that fit into one stay whole, small ones together."""
    forest = _Forest(wanted.points, wanted.needs, wanted.least)
    roots = np.full(len(wanted.sizes), WHOLE)
    parts = np.ones(len(wanted.sizes), np.int64)
    for stratum in np.flatnonzero(wanted.sizes > wanted.rows_per_cell).tolist():
        rows = np.flatnonzero(wanted.strata == stratum)
        roots[stratum] = len(forest.nodes)
        parts[stratum] = forest.grow(rows, wanted.sizes[stratum] / wanted.rows_per_cell)
    first = first_blocks(wanted.sizes, parts, wanted.rows_per_cell)
    return forest.cells(roots, first, wanted.hashing)


@dataclass(frozen=True)
class _Region:
    """A part of the space, with the sampled rows in it.

    `load` is how many cells its rows would fill; `width` what cuts around it were judged by.
    """

    rows: Ints
    load: float
    box: Floats
    span: ShortInts
    parent: int = -1
    width: float = 0.0

    @property
    def cells(self) -> int:
        """Into how many cells it is to be cut: a stratum that does not fit, into two or more."""
        return max(ceil(self.load - SPARE), 1 if self.parent >= 0 else 2)


@dataclass(repr=False)
class _Forest:
    """Trees that grow, node by node."""

    points: Points
    needs: Floats
    least: float
    nodes: list[list[int]] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)
    regions: list[_Region] = field(default_factory=list)

    def grow(self, rows: Ints, load: float) -> int:
        """Add the tree of a stratum; return its number of blocks."""
        todo, blocks = [self._all_space(rows, load)], 0
        while todo:
            region = todo.pop()
            node = self._add(region)
            split = self._cut(region)
            if split is None:
                self.nodes[node][3:] = [blocks, region.cells]
                blocks += region.cells
                continue
            self.nodes[node][2], self.thresholds[node] = split.column, split.threshold
            todo += reversed(self._halves(region, node, split))
        return blocks

    def cells(self, roots: Ints, first: Ints, hashing: RowHash) -> CellTrees:
        """The trees as arrays, with the blocks of all strata in one row."""
        nodes = np.array(self.nodes, np.int64).reshape(-1, 5)
        for root, block in zip(roots.tolist(), first.tolist(), strict=True):
            if root != WHOLE:
                after = roots[roots > root].min(initial=len(nodes))
                nodes[root:after, 3] += block
        box = np.empty((len(nodes), 2 * len(self.points.numbers)))
        span = np.empty((len(nodes), 2 * len(self.points.codes)), np.int32)
        for node, region in enumerate(self.regions):
            box[node], span[node] = region.box, region.span
        halos, thresholds = np.full(len(nodes), NO_HALO), np.array(self.thresholds)
        return CellTrees(roots, first, nodes, thresholds, box, span, halos, hashing)

    def _cut(self, region: _Region) -> RegionCut | None:
        if region.cells == 1:
            return None
        return best_cut(self.points, region, self._width(region), self.least)

    def _all_space(self, rows: Ints, load: float) -> _Region:
        box = np.tile([-np.inf, np.inf], len(self.points.numbers))
        levels = np.array(self.points.levels, np.int64)
        span = np.stack([np.zeros_like(levels), levels - 1], axis=1).ravel()
        return _Region(rows, load, box, span.astype(np.int32))

    def _add(self, region: _Region) -> int:
        node = len(self.nodes)
        self.nodes.append([0, 0, 0, 0, 1])
        self.thresholds.append(0.0)
        self.regions.append(replace(region, rows=np.empty(0, np.int64)))
        if region.parent >= 0:
            self.nodes[region.parent][int(node != region.parent + 1)] = node
        return node

    def _width(self, region: _Region) -> float:
        known = self.needs[region.rows]
        known = known[~np.isnan(known)]
        return float(np.quantile(known, TYPICAL)) if len(known) else region.width

    def _halves(self, region: _Region, node: int, split: RegionCut) -> list[_Region]:
        below = coordinates(self.points, split.column, region.rows) <= split.threshold
        share, d = below.mean(), len(self.points.numbers)
        halves, width = [], self._width(region)
        for side, part in ((1, share), (0, 1.0 - share)):
            box, span = region.box.copy(), region.span.copy()
            if split.column < d:
                box[2 * split.column + side] = split.threshold
            else:
                span[2 * (split.column - d) + side] = int(split.threshold) + 1 - side
            rows = region.rows[below if side else ~below]
            halves.append(_Region(rows, part * region.load, box, span, node, width))
        return halves


class RegionCut(NamedTuple):
    """A way to part a region; ways are better in this order."""

    lopsided: bool
    crossing: int
    closeness: float
    column: int
    threshold: float


def best_cut(points: Points, region: _Region, width: float, least: float) -> RegionCut | None:
    """The cut with the fewest rows within `width` of the wall that leaves `least` on both sides."""
    columns = range(len(points.numbers) + len(points.codes))
    cuts = [_cut(points, region, column, width, least) for column in columns]
    return min((one for one in cuts if one is not None), default=None)


def _cut(
    points: Points, region: _Region, column: int, width: float, least: float
) -> RegionCut | None:
    """Cut the column where the wanted share of rows is below, or as near to it as ties allow."""
    ordered = np.sort(coordinates(points, column, region.rows))
    n, cells = len(ordered), region.cells
    if n < 2 or ordered[0] == ordered[-1]:
        return None
    at = _nearest_step(ordered, round(n * (cells // 2) / cells))
    if min(at, n - at) < least:
        return None
    low, high = ordered[at - 1], ordered[at]
    middle = low + (high - low) / 2.0
    threshold = float(middle if middle < high else low)
    lopsided = min(at, n - at) * cells < HALF * n
    if column < len(points.numbers):
        ends = np.searchsorted(
            ordered, [threshold - width, np.nextafter(threshold + width, np.inf)]
        )
        return RegionCut(lopsided, int(ends[1] - ends[0]), -float(ordered.var()), column, threshold)
    price = 2.0 * points.least[column - len(points.numbers)]
    return RegionCut(lopsided, 0 if price > width * width else n, -price, column, threshold)


def coordinates(points: Points, column: int, rows: Ints) -> Floats:
    """A column of numbers, or of codes, which follow the numbers."""
    d = len(points.numbers)
    cells: Floats = (
        points.numbers[column, rows]
        if column < d
        else points.codes[column - d, rows].astype(np.float64)
    )
    return cells


def _nearest_step(ordered: Floats, at: int) -> int:
    """The place nearest to `at` where the value before differs from the value there."""
    value = ordered[min(max(at, 1), len(ordered)) - 1]
    before, after = np.searchsorted(ordered, [value, np.nextafter(value, np.inf)]).tolist()
    if before == 0 or (after < len(ordered) and after - at <= at - before):
        return int(after)
    return int(before)


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
