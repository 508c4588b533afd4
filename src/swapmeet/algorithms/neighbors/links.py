"""From each point of one set, the nearest points of another, and how many are equally near."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from swapmeet.algorithms.encode import Points
from swapmeet.algorithms.neighbors.nearest import (
    between_points,
    from_point_to_leaf,
    gap,
    gap_of_boxes,
)
from swapmeet.algorithms.neighbors.search import TOLERANCE
from swapmeet.algorithms.neighbors.tree import RIGHT, START, STOP, Tree, build
from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.jit import kernel, lengthen
from swapmeet.base.parallel import Workers

BLOCKS = 24
LARGEST_BLOCK = 64


@dataclass(frozen=True, repr=False, eq=False)
class Links:
    """For each query: the squared distance to the nearest target, the first that is so near, how
    many are, and the squared distance to its own target (infinite without one).
    """

    nearest: Floats
    who: Ints
    ties: Ints
    own: Floats

    def __add__(self, other: Links) -> Links:
        """Links of the same queries with the targets of both."""
        nearer = other.nearest < self.nearest * (1.0 - TOLERANCE)
        farther = self.nearest < other.nearest * (1.0 - TOLERANCE)

        def of_nearer(one: Ints, another: Ints, tied: Ints) -> Ints:
            return np.where(nearer, another, np.where(farther, one, tied))

        return Links(
            np.minimum(self.nearest, other.nearest),
            of_nearer(self.who, other.who, np.minimum(self.who, other.who)),
            of_nearer(self.ties, other.ties, self.ties + other.ties),
            np.minimum(self.own, other.own),
        )

    @property
    def chances(self) -> Floats:
        """The chance that a guess among the nearest targets is the query's own."""
        among = self.own <= self.nearest * (1.0 + TOLERANCE)
        return np.where(among, 1.0 / np.maximum(self.ties, 1), 0.0)


class Exclusions(NamedTuple):
    """Targets that do not count for a query: `rows[starts[i] : starts[i + 1]]` for query i."""

    starts: Ints
    rows: Ints

    @classmethod
    def none(cls, queries: int) -> Exclusions:
        """All targets count for everyone."""
        return cls(np.zeros(queries + 1, np.int64), np.zeros(0, np.int64))

    @classmethod
    def of_pairs(cls, who: Ints, rows: Ints, queries: int) -> Exclusions:
        """From pairs of a query and a target that does not count for it, be they told twice.

        >>> Exclusions.of_pairs(np.array([2, 0, 2, 2]), np.array([7, 5, 6, 7]), 3)
        Exclusions(starts=array([0, 1, 1, 3]), rows=array([5, 6, 7]))
        """
        width = int(rows.max(initial=0)) + 1
        pairs = np.unique(who * width + rows)
        counts = np.bincount(pairs // width, minlength=queries)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(starts, pairs % width)

    @property
    def who(self) -> Ints:
        """For each excluded target, the query for which it does not count."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def within(self, first: int, count: int) -> Exclusions:
        """Select the links among `count` targets from `first` on, numbered from 0."""
        here = (self.rows >= first) & (self.rows < first + count)
        return self.of_pairs(self.who[here], self.rows[here] - first, len(self.starts) - 1)

    def of(self, queries: Ints) -> Exclusions:
        """Select the links of some queries, in this order."""
        sizes = np.diff(self.starts)[queries]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        shift = np.repeat(self.starts[queries] - starts[:-1], sizes)
        return Exclusions(starts, self.rows[np.arange(starts[-1]) + shift])


def nearest_links(
    queries: Points, targets: Points, own: Ints, workers: Workers, without: Exclusions | None = None
) -> Links:
    """Link each query with its nearest targets; `own` is its own target, -1 where it has none.

    Both sets must have the same dimensions and costs. Neither is modified. A query `without` some
    targets has an infinite distance if none is left.
    """
    tree, asking = build(_copy(targets)), build(_copy(queries))
    both = _join(tree, asking)
    place = np.empty(targets.n + 1, np.int64)
    place[tree.rows], place[-1] = np.arange(targets.n), -1
    own_places = place[own[asking.rows]]
    excluded = (Exclusions.none(queries.n) if without is None else without).of(asking.rows)
    excluded = excluded._replace(rows=place[excluded.rows])
    firsts = np.empty(len(tree.nodes), np.int64)
    firsts[tree.leaves] = np.minimum.reduceat(tree.rows, tree.nodes[tree.leaves, START])
    links = Links(*(np.empty(queries.n, kind) for kind in (float, np.int64, np.int64, float)))
    batch = max(tree.leaf, asking.leaf)

    def block(begin: int, end: int) -> None:
        _link_block(
            both, firsts, asking.nodes, asking.rows, asking.leaves[begin:end], batch, own_places,
            excluded.starts, excluded.rows, links.nearest, links.who, links.ties, links.own,
        )  # fmt: skip

    leaves = min(LARGEST_BLOCK, -(-len(asking.leaves) // BLOCKS))
    workers.each(block, len(asking.leaves), size=leaves, label="links")
    return links


def _join(targets: Tree, queries: Tree) -> Tree:
    """The tree of the targets, with points and boxes of the queries behind its own."""
    least = np.minimum(targets.limits[:, 0], queries.limits[:, 0])
    return targets._replace(
        numbers=np.concatenate([targets.numbers, queries.numbers], axis=1),
        codes=np.concatenate([targets.codes, queries.codes], axis=1),
        box=np.concatenate([targets.box, queries.box]),
        span=np.concatenate([targets.span, queries.span]),
        limits=np.stack([least, targets.limits[:, 1]], axis=1),
    )


def _copy(points: Points) -> Points:
    return replace(points, numbers=points.numbers.copy(), codes=points.codes.copy())


@kernel
def _link_block(
    tree: Tree, firsts: Ints, asking: Ints, askers: Ints, leaves: Ints, batch: int,
    own_places: Ints, out_starts: Ints, out: Ints, nearest: Floats, who: Ints, ties: Ints,
    own: Floats,
) -> None:  # fmt: skip
    """Link the queries in `leaves`; points and boxes of queries stand behind those of the targets.

    `firsts` has the lowest row of each leaf of targets; `asking` are the nodes of the queries' tree
    and `askers` its rows; `own_places` has the place of each query's own target, -1 without one;
    `out[out_starts[i] : out_starts[i + 1]]` are the places that do not count for the query at i.
    """
    first, boxes = tree.rows.shape[0], tree.nodes.shape[0]
    numbers, codes, costs = tree.numbers, tree.codes, tree.costs
    best, near, count = np.empty(batch), np.empty(batch, np.int64), np.empty(batch, np.int64)
    scratch = np.empty(batch)
    for leaf in leaves:
        for begin in range(asking[leaf, START], asking[leaf, STOP], batch):
            end = min(begin + batch, asking[leaf, STOP])
            for i in range(end - begin):
                best[i], near[i], count[i] = np.inf, 0, 0
                if own_places[begin + i] >= 0:
                    best[i] = between_points(
                        numbers, codes, costs, first + begin + i, own_places[begin + i]
                    )
                own[askers[begin + i]] = best[i]
            _nearest_of_batch(
                tree, firsts, boxes + leaf, first + begin, end - begin,
                out_starts[begin : end + 1], out, best, near, count, scratch,
            )  # fmt: skip
            for i in range(end - begin):
                row = askers[begin + i]
                nearest[row], who[row], ties[row] = best[i], near[i], count[i]


@kernel
def _nearest_of_batch(
    tree: Tree, firsts: Ints, home: int, begin: int, m: int, out_starts: Ints, out: Ints,
    best: Floats, near: Ints, count: Ints, scratch: Floats,
) -> None:  # fmt: skip
    """Search the tree once for the `m` queries from position `begin`, whose box is `home`."""
    box, span, limits, nodes = tree.box, tree.span, tree.limits, tree.nodes
    todo = np.zeros((64, 1), np.int64)
    waiting = 1
    limit = np.inf
    while waiting > 0:
        waiting -= 1
        at = todo[waiting, 0]
        if gap_of_boxes(box, span, limits, home, at) > limit:
            continue
        nearer, farther = at + 1, nodes[at, RIGHT]
        if farther == 0:
            limit = _look_into(
                tree, firsts, at, begin, m, out_starts, out, best, near, count, scratch
            )
            continue
        gap_nearer = gap_of_boxes(box, span, limits, home, nearer)
        if gap_of_boxes(box, span, limits, home, farther) < gap_nearer:
            nearer, farther = farther, nearer
        if waiting + 2 > todo.shape[0]:
            todo = lengthen(todo)
        todo[waiting, 0], todo[waiting + 1, 0] = farther, nearer
        waiting += 2


@kernel
def _look_into(
    tree: Tree, firsts: Ints, leaf: int, begin: int, m: int, out_starts: Ints, out: Ints,
    best: Floats, near: Ints, count: Ints, scratch: Floats,
) -> float:  # fmt: skip
    """Compare the queries with the points of a leaf; return how far any of them still looks."""
    numbers, codes, costs, limits = tree.numbers, tree.codes, tree.costs, tree.limits
    nodes, box, span, rows = tree.nodes, tree.box, tree.span, tree.rows
    start, size = nodes[leaf, START], nodes[leaf, STOP] - nodes[leaf, START]
    limit = 0.0
    for i in range(m):
        reach = best[i] * (1.0 + TOLERANCE)
        away = gap(numbers, codes, costs, limits, begin + i, box, span, leaf)
        if away <= reach:
            excluded = out[out_starts[i] : out_starts[i + 1]]
            if size > scratch.shape[0]:
                many, lowest = _count_twins(rows, start, size, excluded, firsts[leaf])
                if many > 0:
                    reach = _offer(away, many, lowest, i, best, near, count)
            else:
                from_point_to_leaf(
                    numbers, codes, costs, begin + i, span, leaf, start, size, scratch
                )
                for place in excluded:
                    if start <= place < start + size:
                        scratch[place - start] = np.nan
                for j in range(size):
                    if scratch[j] <= reach:
                        reach = _offer(scratch[j], 1, rows[start + j], i, best, near, count)
        limit = max(limit, reach)
    return limit


@kernel
def _count_twins(rows: Ints, start: int, size: int, excluded: Ints, first: int) -> tuple[int, int]:
    """Count the rows of a leaf, and find the lowest of them; `first` is the lowest of all."""
    many = size
    for place in excluded:
        if start <= place < start + size:
            many -= 1
    if many in (size, 0):
        return many, first
    lowest = rows.shape[0]
    for at in range(start, start + size):
        if rows[at] < lowest and not (excluded == at).any():
            lowest = rows[at]
    return many, lowest


@kernel
def _offer(
    away: float, many: int, first: int, i: int, best: Floats, near: Ints, count: Ints
) -> float:
    """Take `many` rows at one distance, within reach, into account; return the new reach."""
    if away < best[i] * (1.0 - TOLERANCE) or count[i] == 0:
        best[i], near[i], count[i] = away, first, many
    else:
        near[i] = min(near[i], first)
        count[i] += many
    return best[i] * (1.0 + TOLERANCE)
