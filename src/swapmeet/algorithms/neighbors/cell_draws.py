"""Draw from neighbourhoods cell by cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from swapmeet.algorithms.blocks import BlockRows, split_into_blocks
from swapmeet.algorithms.neighbors.cell_sample import cells_from_sample, share_sampled
from swapmeet.algorithms.neighbors.cells import CellTrees
from swapmeet.algorithms.neighbors.exact_draws import draw_exactly
from swapmeet.algorithms.neighbors.search import DrawSummary, DrawTask
from swapmeet.base.row_hash import RowHash
from swapmeet.errors import TableError
from swapmeet.release.donors import to_table_rows


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
