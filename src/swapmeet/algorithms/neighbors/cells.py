"""Cells: regions of the space, each of which holds the rows near its walls as guests.

A cell has a halo: it is visited by all rows of its stratum that are no farther from its region than
the halo is wide. So the neighbours of its own rows are found in the cell alone, but for those whose
neighbourhood reaches beyond the halo, and each row knows how far that is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from swapmeet.algorithms.blocks import BlockAssignment, BlockRows, split_into_blocks
from swapmeet.algorithms.encode import Points
from swapmeet.algorithms.neighbors.cell_sample import cells_from_sample, share_sampled
from swapmeet.algorithms.neighbors.exact_draws import draw_exactly
from swapmeet.algorithms.neighbors.nearest import gap
from swapmeet.algorithms.neighbors.search import DrawSummary, DrawTask
from swapmeet.algorithms.neighbors.tree import coordinate
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel, lengthen
from swapmeet.base.row_hash import RowHash
from swapmeet.errors import TableError
from swapmeet.release.donors import to_table_rows

LEFT, RIGHT, COLUMN, BLOCK, PARTS = 0, 1, 2, 3, 4
WHOLE = -1
NO_HALO = -1.0
AT_HOME = -1.0
MARGIN = 1e-9
"""Reaches are given shorter by this, so that rounding never makes one too long."""


class Visits(NamedTuple):
    """Visits of rows (`places`) to cells (`nodes`).

    `away` is the squared distance of the row from the cell's region, AT_HOME in its own.
    """

    places: Ints
    nodes: Ints
    away: Floats


@dataclass(frozen=True, repr=False, eq=False)
class CellTrees:
    """Trees of cells, one for each stratum that is cut.

    `roots` has the first node of each stratum's tree, or WHOLE where the stratum is in one block,
    `first`. `nodes` has two children (0 in a cell), the column that is cut (numbers, then codes),
    and of a cell its block and the number of random parts, each a block, that a heap of equal rows
    is cut into. Rows up to the threshold go left. `box` and `span` bound a node's region as in the
    trees of neighbours; `halos` are squared widths, in a node the widest below it.
    """

    roots: Ints
    first: Ints
    nodes: Ints
    thresholds: Floats
    box: Floats
    span: ShortInts
    halos: Floats
    hashing: RowHash

    def __repr__(self) -> str:
        return f"<Cells: {self.count} blocks>"

    @property
    def leaves(self) -> Ints:
        """The nodes that are cells."""
        return np.flatnonzero(self.nodes[:, LEFT] == 0)

    @property
    def count(self) -> int:
        """Number of blocks; some may be empty."""
        ends = (self.nodes[:, BLOCK] + self.nodes[:, PARTS])[self.leaves]
        return int(max(ends.max(initial=0), self.first.max(initial=-1) + 1))

    def deal(self, points: Points, strata: ShortInts, rows: Ints) -> BlockAssignment:
        """The blocks of these rows, which have these numbers; `strata` are those of the table."""
        whole = np.flatnonzero(self.roots[strata] == WHOLE)
        visits = self.visits(points, strata)
        own = np.flatnonzero(visits.away == AT_HOME)
        blocks, reach = self.nodes[visits.nodes, BLOCK], np.full(len(visits.away), np.nan)
        near, other = self.walls(points, strata, visits.places[own], visits.nodes[own])
        reach[own] = _reach(near, other, np.maximum(self.halos[visits.nodes[own]], 0.0))
        heaped = own[self.nodes[visits.nodes[own], PARTS] > 1]
        blocks[heaped] += self.hashing.number_below(
            rows[visits.places[heaped]], self.nodes[visits.nodes[heaped], PARTS]
        )
        reach[heaped] = 0.0
        return BlockAssignment(
            np.concatenate([visits.places, whole]),
            np.concatenate([blocks, self.first[strata[whole]]]),
            np.concatenate([reach, np.full(len(whole), np.inf)]),
        )

    def visits(self, points: Points, strata: ShortInts) -> Visits:
        """The cells of these rows, but for those in whole strata."""
        room = 2 * points.n + 64
        target, away, count = _walk(
            points.numbers, points.codes, points.costs, points.limits, strata, self.roots,
            self.nodes, self.thresholds, self.box, self.span, self.halos,
            np.empty((room, 2), np.int64), np.empty((room, 1)),
        )  # fmt: skip
        return Visits(target[:count, 0], target[:count, 1], away[:count, 0])

    def walls(
        self, points: Points, strata: ShortInts, places: Ints, homes: Ints
    ) -> tuple[Floats, Floats]:
        """Measure how far rows are from the nearest wall of their cell; squared if it is nominal.

        A nominal wall is crossed by a row with a level that no row of the cell has.
        """
        near, other = np.empty(len(places)), np.empty(len(places))
        _walls(
            points.numbers, points.codes, points.costs, points.limits, places, homes,
            self.roots[strata[places]], self.box, self.span, near, other,
        )  # fmt: skip
        return near, other


def _reach(near: Floats, other: Floats, halo: Floats) -> Floats:
    """The squared distance within which no row is missing from the cell of a row.

    A row that is absent is farther than the halo from the region. On the way there is a numeric
    wall, and then a halo's width; or a nominal one, to cross which costs something by itself.
    """
    reach: Floats = np.minimum((near + np.sqrt(halo)) ** 2, np.maximum(halo, other))
    return reach * (1.0 - MARGIN)


@kernel
def _walk(
    numbers: Floats, codes: ShortInts, costs: Floats, limits: Floats, strata: ShortInts,
    roots: Ints, nodes: Ints, thresholds: Floats, box: Floats, span: ShortInts, halos: Floats,
    target: Ints, away: Floats,
) -> tuple[Ints, Floats, int]:  # fmt: skip
    """Write place, cell and distance of each visit; return the two lists and their length."""
    todo = np.empty((64, 2), np.int64)
    count = 0
    for at in range(strata.shape[0]):
        todo[0, 0], todo[0, 1] = roots[strata[at]], 1
        waiting = int(roots[strata[at]] != WHOLE)
        while waiting > 0:
            waiting -= 1
            node, is_own = todo[waiting, 0], todo[waiting, 1]
            far = AT_HOME
            if not is_own:
                far = gap(numbers, codes, costs, limits, at, box, span, node)
                if not far <= halos[node]:
                    continue
            left, right = nodes[node, LEFT], nodes[node, RIGHT]
            if left == 0:
                target, away = _room(target, away, count)
                target[count, 0], target[count, 1], away[count, 0] = at, node, far
                count += 1
                continue
            if waiting + 2 > todo.shape[0]:
                todo = lengthen(todo)
            goes_left = coordinate(numbers, codes, nodes[node, COLUMN], at) <= thresholds[node]
            todo[waiting, 0], todo[waiting, 1] = left, is_own and goes_left
            todo[waiting + 1, 0], todo[waiting + 1, 1] = right, is_own and not goes_left
            waiting += 2
    return target, away, count


@kernel
def _room(target: Ints, away: Floats, count: int) -> tuple[Ints, Floats]:
    """The two lists, with room for one more behind the first `count`."""
    if count < target.shape[0]:
        return target, away
    more = np.empty((2 * count, 1))
    for i in range(count):
        more[i, 0] = away[i, 0]
    return lengthen(target), more


@kernel
def _walls(
    numbers: Floats, codes: ShortInts, costs: Floats, limits: Floats, places: Ints, homes: Ints,
    roots: Ints, box: Floats, span: ShortInts, near: Floats, other: Floats,
) -> None:  # fmt: skip
    """As `Cells.walls`; a nominal column has a wall where the cell has fewer levels than all."""
    for i in range(places.shape[0]):
        at, node, root = places[i], homes[i], roots[i]
        near[i], other[i] = np.inf, np.inf
        for t in range(numbers.shape[0]):
            x = numbers[t, at]
            near[i] = min(near[i], x - box[node, 2 * t], box[node, 2 * t + 1] - x)
        for t in range(codes.shape[0]):
            fewer = span[node, 2 * t] > span[root, 2 * t]
            if fewer or span[node, 2 * t + 1] < span[root, 2 * t + 1]:
                other[i] = min(other[i], costs[t, codes[t, at]] + limits[t, 0])


def draw_in_cells(task: DrawTask, rows_per_cell: int) -> DrawSummary:
    """Draw from neighbourhoods among the rows of a row's cell and their guests."""
    cells = _cells(task, rows_per_cell)
    dealt = cells.deal(task.points, task.strata, np.arange(task.points.n))
    members = list(split_into_blocks(dealt))
    sizes, beyond = np.empty(task.points.n, np.int32), []

    def some_cells(begin: int, end: int) -> None:
        for cell in members[begin:end]:
            _require_enough(cell, len(members), task.rule.k)
            drawn = _draw(task, cell)
            sizes[cell.own] = drawn.sizes
            beyond.append(drawn.beyond)

    task.workers.each(some_cells, len(members), size=1, label="neighbourhoods")
    return DrawSummary(sizes, sum(beyond))


def _cells(task: DrawTask, rows_per_cell: int) -> CellTrees:
    hashing = RowHash.of(task.streams.stream("cells"))
    rows = np.arange(task.points.n)
    share = share_sampled(task.points.n, rows_per_cell)
    sampled = rows[hashing.in_sample(rows, share)] if share < 1.0 else rows
    return cells_from_sample(
        task.points.of(sampled), task.strata[sampled], np.bincount(task.strata), rows_per_cell,
        task.rule, hashing, task.workers.threads,
    )  # fmt: skip


def _draw(task: DrawTask, cell: BlockRows) -> DrawSummary:
    """Draw for a cell's own rows, whose words become donors of the whole table."""
    words = task.words[cell.own]
    strata = np.unique(task.strata[cell.rows], return_inverse=True)[1].astype(np.int32)
    drawn = draw_exactly(
        replace(
            task, points=task.points.of(cell.rows), words=words, reach=cell.reach,
            workers=task.workers.inside(1),
        ),
        strata,
    )  # fmt: skip
    task.words[cell.own] = to_table_rows(words, cell.rows)
    return drawn


def _require_enough(cell: BlockRows, cells: int, k: int) -> None:
    if len(cell.rows) <= k:
        raise TableError(
            f"one of {cells} cells has {len(cell.rows)} rows, with its guests; `k` = {k} needs "
            f"at least {k + 1}. Lower `parts` or `k`."
        )
