"""Values trade inside groups until the relations of the release are those of the original."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Streams
from swapmeet.methods.matched_swap.trading.features import Features, sum_triples
from swapmeet.methods.matched_swap.trading.trades import (
    Board,
    TradeGoal,
    count_together,
    lay_in_turns,
    permute_columns,
    spread_cells,
    trade,
)


class Remainder(NamedTuple):
    """The largest changes; 0 where there are no such relations.

    Of a correlation; of the means of a number by category, in standard deviations (root mean
    square over the rows); of the table of two nominal columns, as a share of the rows.
    """

    correlation: float
    means: float
    table: float


def summarize_gap(features: Features, gap: Floats) -> Remainder:
    """Summarize what is left of the gap, relation by relation."""
    numbers, columns = features.numbers, features.columns
    apart = columns[:, np.newaxis] != columns
    size = np.where(apart, np.abs(gap), 0.0)
    roots = np.sqrt(features.shares[numbers:])
    tables = _add_by_column(size[numbers:, numbers:] * np.outer(roots, roots), columns[numbers:])
    squares = size[:numbers, numbers:] ** 2
    means = np.sqrt(_add_by_column(squares.T, columns[numbers:], both=False))
    return Remainder(
        float(size[:numbers, :numbers].max(initial=0.0)),
        float(means.max(initial=0.0)),
        float(tables.max(initial=0.0)) / 2.0,
    )


def _add_by_column(table: Floats, columns: Ints, *, both: bool = True) -> Floats:
    """The sum over the features of each column, down the table and, if so asked, across it."""
    starts = np.flatnonzero(np.diff(columns, prepend=-1))
    if not len(starts):
        return np.zeros((0, 0))
    down = np.add.reduceat(table, starts, axis=0)
    return np.asarray(np.add.reduceat(down, starts, axis=1) if both else down)


SPREADING = 100
"""Rounds in which places with too many cells of one person trade, before cells are laid out."""
SWEPT = 200_000
"""So many rows are swept in all, those of a small table many times."""
FEWEST_SWEEPS, MOST_SWEEPS = 2, 200
MOST_LOOKS = 1e9
"""So many relations are looked at while it is hot: a sweep of many columns takes that many more."""
HOT, COLD = 0.1, 1e-6
"""Heat at first, as a share of the objective for each cell, and in the end, as a share of that."""
LEAST_GAIN = 0.05
"""A sweep of the whole table that lowers the objective by a smaller share than this is the last."""
CLOSE = 1e-16
"""An objective of this, for each pair of rows, is as good as none."""
AT_ONCE = 1 << 18
"""Trades that are proposed between two looks at the objective of the whole."""


class Groups(NamedTuple):
    """The group of each row, and the block of each group.

    Each block keeps the relations that its own rows have, and so the whole does.
    """

    labels: Ints
    blocks: Ints


@dataclass(frozen=True, repr=False, eq=False)
class Matching:
    """Result of the matching: who gives to whom, and what is left of the gap.

    `donors` is (rows, units); `limit` is how many cells of one person a row may have.
    """

    donors: Ints
    limit: int
    remainder: Remainder

    @cached_property
    def together(self) -> Floats:
        """For each two units, the share of rows that have both from one person."""
        if not len(self.donors):
            return np.array([])
        columns = np.ascontiguousarray(self.donors.T)
        alike = [(columns[at + 1 :] == columns[at]).mean(axis=1) for at in range(len(columns))]
        return np.concatenate([[], *alike])


def match_within_groups(
    groups: Groups,
    features: Features,
    limit: int,
    streams: Streams,
    workers: Workers,
    *,
    together: float = 1.0,
) -> Matching:
    """Choose who gives to whom inside groups, so that relations stay.

    Each unit of columns starts in a uniformly random order inside each group. Then two places of a
    group trade their values of a random unit, time and again: always where that brings the
    relations nearer to the original's; at first, while it is hot, also where it leads away from
    them, the farther the less likely. `limit` is the largest number of cells of one person that a
    place may have; it is raised to what the smallest group needs. No trade lets two units come from
    one person in more places than `together` times what chance gives: else a total and its parts
    would be kept by bringing those of one person together again.

    Unless some columns stay, the rows of each group are put into a random order in the end: given
    the rows that come out, each order of those of a group is as likely as any other.
    """
    order, board, first_groups = _lay_out(groups, features)
    limit = max(limit, _find_least_limit(board))
    task = _Task(features, weigh_directions(features), limit, together)
    original = task.add_up(board)

    def some_blocks(begin: int, end: int) -> None:
        for block in range(begin, end):
            part = _cut_block(board, first_groups[block], first_groups[block + 1])
            task.match(part, streams.within("block", block))
            part.donors[:] += board.starts[first_groups[block]]

    blocks = len(first_groups) - 1
    workers.each(some_blocks, blocks, size=1, label="relations")
    if blocks > 1:
        goal = task.set_goal(board, original)
        _trade_on(board, goal, LEAST_GAIN, streams.within("whole"))
    donors = np.empty_like(board.donors)
    donors[order] = order[_shuffle_rows(board, streams)]
    gap = (task.add_up(board).products - original.products) / max(len(order), 1)
    scale = np.outer(features.scale, features.scale)
    return Matching(donors, task.limit, summarize_gap(features, gap / scale))


def _shuffle_rows(board: Board, streams: Streams) -> Ints:
    """The donors, with the rows of each group in a random order, unless parts of rows stay."""
    if board.begins[-1] < board.feature.shape[1]:
        return board.donors
    words = streams.random_bits(len(board.donors), "order")
    return board.donors[np.lexsort((words, board.group_of))]


def _find_least_limit(board: Board) -> int:
    """The least limit that the smallest group has room for."""
    smallest = int(np.diff(board.starts).min(initial=board.donors.shape[1]))
    return -(-board.donors.shape[1] // max(smallest, 1))


def _lay_out(groups: Groups, features: Features) -> tuple[Ints, Board, Ints]:
    """The rows block by block and group by group: their order, the board, each block's first group.

    The groups of block b are first[b]:first[b + 1].
    """
    labels, blocks = groups
    order = np.lexsort((labels, blocks[labels]))
    ordered = labels[order]
    new = np.append(True, ordered[1:] != ordered[:-1])[: len(order)]
    starts = np.append(np.flatnonzero(new), len(order))
    changes = np.flatnonzero(np.diff(blocks[ordered[starts[:-1]]])) + 1
    first_groups = np.concatenate([[0], changes, [len(starts) - 1]])
    feature = features.feature[order]
    value = features.value[order] * features.scale[feature]
    donors = np.empty((len(order), len(features.begins) - 1), np.int64)
    board = Board(feature, value, features.begins, donors, starts, np.cumsum(new) - 1)
    return order, board, first_groups


def _cut_block(board: Board, first: int, last: int) -> Board:
    """The groups first:last as a view: what is traded in it is traded in the whole."""
    begin, end = board.starts[first], board.starts[last]
    return Board(
        board.feature[begin:end],
        board.value[begin:end],
        board.begins,
        board.donors[begin:end],
        board.starts[first : last + 1] - begin,
        board.group_of[begin:end] - first,
    )


class _Sums(NamedTuple):
    """The products of features, summed over the places of a board."""

    products: Floats
    triples: Floats


@dataclass(frozen=True, repr=False, eq=False)
class _Task:
    """Task that is the same on any board: the features, the weights of gaps, and the limits."""

    features: Features
    weights: Floats
    limit: int
    together: float

    def add_up(self, board: Board) -> _Sums:
        """The sums whose gaps are to become small."""
        return _Sums(
            sum_products(board.feature, board.value, self.features.total),
            sum_triples(board.feature, board.value, self.features.triples),
        )

    def set_goal(self, board: Board, original: _Sums) -> TradeGoal:
        """Set the gap between the sums of the board and the original's."""
        now = self.add_up(board)
        pull = pull_of(now.products - original.products, self.weights)
        gaps = now.triples - original.triples
        together = count_together(board.donors)
        most = int(min(self.together * (len(board.starts) - 1), board.donors.size))
        return TradeGoal(
            pull, self.weights, self.features.triples, gaps, self.limit, together, most
        )

    @property
    def sweeps(self) -> int:
        """Return how often every cell of a block is tried while it is hot."""
        rows, entries = self.features.value.shape
        looks = rows * entries * (len(self.features.begins) - 1)
        sweeps = min(SWEPT // max(rows, 1), MOST_LOOKS // max(looks, 1))
        return int(np.clip(sweeps, FEWEST_SWEEPS, MOST_SWEEPS))

    def match(self, board: Board, streams: Streams) -> None:
        """Bring the relations of a block back to what they were, from a random start."""
        original = self.add_up(board)
        _start(board, self.limit, streams)
        goal = self.set_goal(board, original)
        n, units = board.donors.shape
        hot = HOT * objective_of(goal) / max(n * units, 1)
        for sweep, heat in enumerate(hot * np.geomspace(1.0, COLD, self.sweeps)):
            trade(board, goal, heat, streams.random_bits(n * units, "trades", sweep))
        _trade_on(board, goal, 1.0 / self.sweeps, streams)


def _trade_on(board: Board, goal: TradeGoal, least: float, streams: Streams) -> None:
    """Trade without heat until a sweep lowers the objective by less than the least share."""
    n, units = board.donors.shape
    objective = objective_of(goal)
    size = min(n * units, AT_ONCE)
    for sweep in range(MOST_SWEEPS):
        if objective <= CLOSE * n * n * len(goal.pull):
            break
        fallen = trade(board, goal, 0.0, streams.random_bits(size, "last trades", sweep))
        objective -= fallen
        if fallen < least * objective:
            break


def _start(board: Board, limit: int, streams: Streams) -> None:
    """Permute each unit inside the groups, and spread cells until the limit holds."""
    n, units = board.donors.shape
    words = streams.random_bits(n * units, "start").reshape(n, units)
    permute_columns(board.starts, board.donors, words)
    for turn in range(SPREADING):
        if not spread_cells(
            board.starts, board.donors, limit, streams.random_bits(n, "spread", turn)
        ):
            break
    else:
        words = streams.random_bits(n * (units + 1), "turns").reshape(n, units + 1)
        lay_in_turns(board.starts, board.donors, limit, words)
    for unit in range(units):
        cells = slice(board.begins[unit], board.begins[unit + 1])
        board.feature[:, cells] = board.feature[board.donors[:, unit], cells]
        board.value[:, cells] = board.value[board.donors[:, unit], cells]


LIFT = 0.2
"""Directions in which numbers vary less than this are lifted to it; others stay as they are."""
WIDE = 4
"""So many times more numbers than rows vary in a few directions only."""
LEAST = 1e-3
"""Below this, variance is taken for rounding."""


@kernel
def sum_products(feature: ShortInts, value: Floats, count: int) -> Floats:
    """The products of all pairs of features, summed over the rows: (features, features)."""
    total = np.zeros((count, count))
    for row in range(feature.shape[0]):
        for e in range(feature.shape[1]):
            for f in range(feature.shape[1]):
                total[feature[row, e], feature[row, f]] += value[row, e] * value[row, f]
    return total


def weigh_directions(features: Features) -> Floats:
    """The weight of a gap between each two numbers: the matrix W of the objective tr(W E W E).

    Where columns nearly depend on one another, some combinations of them hardly vary (a total
    less its parts), and a small gap there is a large error: they weigh more, up to 0.2 / variance.
    Nominal features weigh 1, and are not in this matrix.
    """
    w = features.numbers
    if w == 0:
        return np.zeros((0, 0))
    rows = max(len(features.feature), 1)
    if WIDE * rows < w:
        return _weigh_few_directions(features, rows)
    moments = sum_products(features.feature, features.value, features.total)[:w, :w] / rows
    variances, directions = np.linalg.eigh(moments)
    return np.asarray((directions * _weigh(variances)) @ directions.T)


def _weigh_few_directions(features: Features, rows: int) -> Floats:
    """The same where numbers vary in no more directions than there are rows, far fewer than all."""
    dense = np.zeros((rows, features.total))
    at = np.broadcast_to(np.arange(rows)[:, None], features.feature.shape)
    np.add.at(dense, (at, features.feature), features.value)
    own = dense[:, : features.numbers] / np.sqrt(rows)
    _, lengths, directions = np.linalg.svd(own, full_matrices=False)
    still = float(_weigh(np.zeros(1))[0])
    varied = (directions.T * (_weigh(lengths**2) - still)) @ directions
    return np.asarray(still * np.eye(features.numbers) + varied)


def _weigh(variances: Floats) -> Floats:
    return np.maximum(LIFT / (np.maximum(variances, 0.0) + LEAST), 1.0)


def pull_of(gap: Floats, weights: Floats) -> Floats:
    """W E W: how the objective changes with each relation; W is 1 for features behind numbers."""
    size = len(weights)
    pull = gap.copy()
    pull[:size] = weights @ pull[:size]
    pull[:, :size] = pull[:, :size] @ weights
    return pull


def objective_of(goal: TradeGoal) -> float:
    """tr(W E W E) / 2 and the squared gaps of triples."""
    gap = pull_of(goal.pull, np.asarray(np.linalg.inv(goal.weights), np.float64))
    return float((gap * goal.pull).sum()) / 2.0 + float(goal.gaps @ goal.gaps)
