"""The search for neighbours: among all rows, or in one of the ways to large data.

Sample, pairs and partition are Methods 1 to 3 of RWN, section 10.3; cells are ours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.neighbors.draw_summary import DrawSummary
from swapmeet.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.algorithms.encode import Points
    from swapmeet.algorithms.neighbors.rule import Rule
    from swapmeet.base.arrays import Floats, Groups, Ints
    from swapmeet.base.parallel import Workers
    from swapmeet.base.seeds import Streams

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
    from swapmeet.algorithms.neighbors.parts import random_parts

    parts = random_parts(task.strata, search.parts_of(task.points.n), task.streams)
    _require_parts(parts, task.rule)
    if search.sample is None:
        return draw_exactly(task, parts)
    return _sample(replace(task, strata=parts), search)


def _cells(task: DrawTask, search: NeighborSearch) -> DrawSummary:
    from swapmeet.algorithms.neighbors.cell_draws import draw_in_cells

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
