"""The search for neighbours: in which space, by which rule, and in which of the ways to large data.

Sample, pairs and partition are Methods 1 to 3 of RWN, section 10.3; cells are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.algorithms.encode import Points, Space
from swapmeet.base.arrays import Floats, Groups, Ints, Rows, ShortInts
from swapmeet.base.cache import Cache, count_bytes
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Streams
from swapmeet.errors import TableError
from swapmeet.tables.microdata import split_by_stratum

if TYPE_CHECKING:
    from swapmeet.algorithms.neighbors.lists import Lists
    from swapmeet.algorithms.neighbors.tree import Tree


class DrawSummary(NamedTuple):
    """The size of each row's neighbourhood, and how many rows may have nearer ones elsewhere."""

    sizes: ShortInts
    beyond: int = 0


TOLERANCE = 2e-12
"""Relative tolerance of squared distances: twice that of distances, 1e-12."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The larger of the `k` nearest rows and the rows at distance at most `eps`, without the row.

    Rows that tie at the k-th distance compete at random for the places that are left, or are all
    taken in (`ties="all"`). With `open_ball`, a row at distance eps exactly is outside.
    """

    k: int = 0
    eps: float = 0.0
    ties: str = "random"
    open_ball: bool = False

    @property
    def ball(self) -> float:
        """The squared radius that members of the ball are nearer than; 0 for no ball."""
        margin = -TOLERANCE if self.open_ball else TOLERANCE
        return self.eps * self.eps * (1.0 + margin)

    @property
    def all_ties(self) -> bool:
        """Return whether all rows tied at the k-th distance are members."""
        return self.ties == "all"


CANDIDATES = 1000
ROWS_PER_PART = 10_000


@dataclass(frozen=True)
class NeighborSearch:
    """The way to search, and its size: candidates per row (`sample`), or number of `parts`."""

    way: str = "exact"
    sample: int | None = None
    parts: int | None = None

    @property
    def candidates(self) -> int:
        """Return the number of rows that each row looks at."""
        return self.sample or CANDIDATES

    def parts_of(self, n: int) -> int:
        """Return the number of parts that `n` rows are cut into."""
        return self.parts or -(-n // ROWS_PER_PART)

    def rows_per_part(self, n: int) -> int:
        """Return the number of rows that a part of `n` has."""
        return ROWS_PER_PART if self.parts is None else max(-(-n // self.parts), 2)


@dataclass(frozen=True, repr=False)
class DrawTask:
    """Replace each word (63 random bits) by a random member of its row's neighbourhood.

    `words` is (rows, columns); -1 stands for «stay» and becomes the row itself; a word becomes -1
    where the neighbourhood is empty. Neighbourhoods never leave a stratum. The points are used up.
    Points beyond the words are guests: they can be members, but nothing is drawn for them. `reach`
    is the squared distance within which all rows are here, for each row that has words.
    """

    points: Points
    strata: Groups
    rule: Rule
    words: Ints
    streams: Streams
    workers: Workers
    reach: Floats | None = None


def draw_members(task: DrawTask, search: NeighborSearch) -> DrawSummary:
    """Carry out the task."""
    require_rows(task.strata, task.rule.k)
    return SEARCHES[search.way](task, search)


def _exact(task: DrawTask, search: NeighborSearch) -> DrawSummary:  # noqa: ARG001
    from swapmeet.algorithms.neighbors.exact_draws import draw_exactly

    return draw_exactly(task, task.strata)


def _sample(task: DrawTask, search: NeighborSearch) -> DrawSummary:
    from swapmeet.algorithms.neighbors.samples import draw_from_samples

    _require_candidates(search, task.rule)
    return DrawSummary(draw_from_samples(task, search.candidates))


def _pairs(task: DrawTask, search: NeighborSearch) -> DrawSummary:
    from swapmeet.algorithms.neighbors.samples import draw_from_pairs

    _require_candidates(search, task.rule)
    return DrawSummary(draw_from_pairs(task, search.candidates))


def _partition(task: DrawTask, search: NeighborSearch) -> DrawSummary:
    from swapmeet.algorithms.neighbors.exact_draws import draw_exactly

    parts = random_parts(task.strata, search.parts_of(task.points.n), task.streams)
    _require_parts(parts, task.rule)
    if search.sample is None:
        return draw_exactly(task, parts)
    return _sample(replace(task, strata=parts), search)


def _cells(task: DrawTask, search: NeighborSearch) -> DrawSummary:
    from swapmeet.algorithms.neighbors.cells import draw_in_cells

    rows_per_cell = search.rows_per_part(task.points.n)
    if task.points.n <= rows_per_cell:
        return _exact(task, search)
    return draw_in_cells(task, rows_per_cell)


SEARCHES: dict[str, Callable[[DrawTask, NeighborSearch], DrawSummary]] = {
    "exact": _exact,
    "sample": _sample,
    "pairs": _pairs,
    "partition": _partition,
    "cells": _cells,
}


def require_rows(strata: Groups, k: int) -> None:
    """Refuse strata that have no `k` other rows for each of their rows."""
    counts = np.bincount(strata)
    small, least = int((counts <= k).sum()), int(counts.min())
    if not small:
        return
    if len(counts) == 1:
        raise TableError(
            f"`k` = {k} needs at least {k + 1} rows, the table has {least}. Lower `k`."
        )
    raise TableError(
        f"{small} of {len(counts)} strata are too small: `k` = {k} needs at least {k + 1} rows, "
        f"the smallest stratum has {least}. Lower `k` or merge strata."
    )


def _require_candidates(search: NeighborSearch, rule: Rule) -> None:
    if search.candidates <= rule.k:
        raise TableError(
            f"`sample` = {search.candidates} candidates cannot give `k` = {rule.k} neighbours. "
            "Raise `sample` or lower `k`."
        )


def _require_parts(parts: Groups, rule: Rule) -> None:
    counts = np.bincount(parts)
    if counts.min() <= rule.k:
        raise TableError(
            f"one of {len(counts)} parts has only {counts.min()} rows; `k` = {rule.k} needs at "
            f"least {rule.k + 1}. Lower `parts` or `k`."
        )


@dataclass(frozen=True)
class Neighborhood:
    """Rows are points of `space`; the `rule` decides which rows are neighbours."""

    space: Space
    rule: Rule


def random_parts(strata: Groups, parts: int, streams: Streams) -> Groups:
    """Random parts of equal size: Method 3 of the paper. No part spans two strata."""
    ordered = split_by_stratum(streams.stream("parts").permutation(len(strata)), strata)
    return _labels(ordered, [_equal(len(rows), _share(rows, strata, parts)) for rows in ordered])


def _share(rows: Rows, strata: Groups, parts: int) -> int:
    """Count the parts that a stratum gets: at least one, at most one per row."""
    return min(max(round(len(rows) * min(parts, len(strata)) / len(strata)), 1), len(rows))


def _equal(rows: int, parts: int) -> Rows:
    return rows // parts + (np.arange(parts) < rows % parts)


def _labels(ordered: list[Rows], sizes: list[Rows]) -> Groups:
    rows, counts = np.concatenate(ordered), np.concatenate(sizes)
    labels = np.empty(len(rows), np.int32)
    labels[rows] = np.repeat(np.arange(len(counts)), counts)
    return labels


MARGIN = 8
"""Lists are a quarter longer than the largest k, at least by this: few ties reach beyond them."""


@dataclass(frozen=True, repr=False)
class NeighborCache:
    """Rows as `points` among which neighbours are sought exactly, inside their stratum.

    By `key`, `shared` keeps their tree and the lists of their nearest rows. Rows, strata and points
    must be the same whenever the key is.
    """

    cache: Cache
    key: Hashable
    points: Callable[[], Points]
    strata: Groups
    workers: Workers

    def draw(self, rule: Rule, words: Ints) -> DrawSummary:
        """Replace each word by a random member of its row's neighbourhood, as `Task` tells."""
        from swapmeet.algorithms.neighbors.exact_draws import draw_with
        from swapmeet.algorithms.neighbors.lists import draw_from_lists

        tree = self.tree()
        require_rows(self.strata, rule.k)
        if not self._are_listed(rule, tree):
            return draw_with(tree, rule, words, self.workers)
        lists = self._lists(tree)
        return DrawSummary(draw_from_lists(tree, lists, rule, words, self.workers))

    def list_nearest(self, length: int) -> tuple[Tree, Lists]:
        """The tree, and lists of at least the nearest `length` rows of every row."""
        from swapmeet.algorithms.neighbors.lists import nearest_lists

        tree = self.tree()
        if length <= self.cache.neighbours:
            return tree, self._lists(tree)
        return tree, nearest_lists(tree, length, self.workers)

    def tree(self) -> Tree:
        """The tree, made once."""
        from swapmeet.algorithms.neighbors.exact_draws import tree_of

        return self.cache.once(("tree", self.key), lambda: tree_of(self.points(), self.strata))

    def _lists(self, tree: Tree) -> Lists:
        from swapmeet.algorithms.neighbors.lists import nearest_lists

        return self.cache.once(
            ("lists", self.key), lambda: nearest_lists(tree, self._length, self.workers)
        )

    def _are_listed(self, rule: Rule, tree: Tree) -> bool:
        """Return whether lists serve the rule and have room beside the tree."""
        from swapmeet.algorithms.neighbors.lists import bytes_needed

        if rule.eps > 0.0 or not 0 < rule.k <= self.cache.neighbours:
            return False
        needed = count_bytes(tree) + bytes_needed(len(self.strata), self._length)
        return needed <= self.cache.memory

    @property
    def _length(self) -> int:
        most = self.cache.neighbours
        return most + 1 + max(most // 4, MARGIN)
