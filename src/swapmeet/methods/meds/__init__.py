"""Multivariate equi-depth data swapping (Li and Shen 2010, algorithm 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from swapmeet.algorithms.encode import Encoding, Scale
from swapmeet.algorithms.groups.cells import cells_of, equi_depth_privacy, group_consecutive
from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.notes import MergeableNote
from swapmeet.base.parallel import Workers
from swapmeet.base.params import Count, OneOf
from swapmeet.base.seeds import Streams
from swapmeet.base.sentences import agree, figure
from swapmeet.errors import ParameterError
from swapmeet.methods.base import GROUP_SIZES
from swapmeet.methods.block_swap import ANALYSTS, REAL_BLOCKS, BlockSwap
from swapmeet.methods.description import Description, PublicSetting, describe_count
from swapmeet.methods.matched_swap.exchange import PULLED_BACK, Exchange, exchange_units
from swapmeet.tables.microdata import Microdata

if TYPE_CHECKING:
    from swapmeet.methods.meds.tree import PointTree


BLOCKS = 100
"""The strata are dealt to about this many blocks of work."""

CAUTIONS = (
    REAL_BLOCKS,
    "In a group with an odd number of rows, one of them keeps its values.",
    "An intruder who knows the groups names a row's partner with probability 1 / (k - 1).",
)

MATCHED_ANALYSTS = (
    "Each column has exactly the values it had, and relations among the columns that traded "
    "together are exact. Blocks trade so that relations between one of these columns and one "
    "other change as little as possible."
)


@dataclass(frozen=True, kw_only=True)
class MEDS(BlockSwap):
    """Rows of a group of k near ones trade their values of a set of columns.

    The two rows farthest apart and the k - 1 nearest to each make two groups, then the same again
    with the rows that are left; fewer than 2k are the last group. Distances are those of the
    swapping set, each column with standard deviation 1. Rows of a group are paired at random, and
    partners trade all their values of the set, so whatever relates its columns to one another stays
    exactly as it was. A larger `k` hides more and loosens the relations to the `rest`. With
    `exchange` "matched", blocks do not trade in pairs but in a way that also keeps these relations.

    The paper's algorithm, exactly, though it takes O(n³ / k) and this does not. Where the paper is
    silent: the lower row chooses first, and ties go to the lowest row. Rows with values of the set
    missing are grouped with rows in which the same ones are missing.

    Reference: Li, Shen (2010), algorithm 1.

    >>> import swapmeet as sm
    >>> diabetes = sm.datasets.load("diabetes").drop(columns="sex")
    >>> release = sm.mask(diabetes, sm.MEDS(k=26), seed=1)
    >>> release.audit.moved.all()
    np.True_
    """

    name = "meds"
    title = "multivariate equi-depth data swapping"
    summary = "rows of a group of k near ones trade a block of values"
    remedy = "Larger groups let a column change more."
    unit = "group"
    grows = ("k",)

    k: Annotated[int, Count(2), "rows of a group", GROUP_SIZES] = 5
    exchange: Annotated[
        str,
        OneOf(("random", "matched")),
        "blocks trade in random pairs, or so that their relations to the rest, which stays, are "
        "kept; then a block may stay with its row",
    ] = "random"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.exchange == "matched" and self.rest == "swap":
            raise ParameterError(
                "meds: `exchange` = matched keeps the relations to the rest, and `rest` = swap "
                "breaks them. Choose one of the two."
            )

    @property
    def in_pairs(self) -> bool:
        return self.exchange == "random"

    def fewest_rows(self, data: Microdata) -> int:  # noqa: ARG002
        return self.k

    def check(self, data: Microdata) -> None:
        super().check(data)
        if not self.in_pairs:
            data.require_finite()

    def trade_block(
        self, data: Microdata, groups: Ints, streams: Streams, workers: Workers
    ) -> Exchange:
        if self.in_pairs:
            return super().trade_block(data, groups, streams, workers)
        exchange = exchange_units(data, groups, [self.swapping_set(data)], streams, workers)
        stayed = int((exchange.donors[:, 0] == np.arange(data.n)).sum())
        counts = {"stayed": stayed, "groups": len(np.unique(groups[groups >= 0]))}
        note = MergeableNote.of(_say_stayed, dict.fromkeys(counts, sum), rows=data.n, **counts)
        return Exchange(exchange.donors, (*exchange.facts, note))

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people="A block of values trades places with the same block of another person, inside "
            f"groups of {describe_count(self.k)} people who are alike.",
            analysts=ANALYSTS if self.in_pairs else MATCHED_ANALYSTS,
            settings=(PublicSetting("people in a group", describe_count(self.k)),),
            cautions=CAUTIONS if self.in_pairs else (REAL_BLOCKS, PULLED_BACK),
        )

    def find_groups(self, data: Microdata, workers: Workers) -> Ints:
        points = Encoding.fit(data, Scale.ZSCORE, {}).points(data).numbers
        pattern = cells_of([np.where(v.missing, -1, 0) for v in data.variables], data.strata)
        parts = _split_rows(pattern)
        groups = _group_parts(points, parts, self.k, workers)
        labels = np.full(data.n, -1, np.int64)
        used = 0
        for rows, own in zip(parts, groups, strict=True):
            labels[rows] = own + used
            used += int(own.max()) + 1
        return labels

    def paper_figures(self, n: int) -> Iterator[str]:
        """Lemma 1, whose possible partitions are those with groups of 2 to n/2 rows."""
        if n >= 4:
            yield MergeableNote.of(
                _say_lemma, {"privacy": max}, privacy=equi_depth_privacy(n // 2 - 1)
            )

    def find_groups_of_column(self, data: Microdata, workers: Workers) -> Ints:  # noqa: ARG002
        variable = data.variables[0]
        labels = np.full(data.n, -1, np.int64)
        present = np.flatnonzero(~variable.missing)
        labels[present] = group_consecutive(variable.values[present], data.strata[present], self.k)
        return labels


def _say_stayed(rows: int, stayed: int, groups: int) -> str:
    return (
        f"{stayed} of {rows} rows {agree(stayed, 'has its', 'have their')} own block again, about "
        f"{groups} would by chance. "
        "Someone who finds a person by the rest reads the true block that often."
    )


def _say_lemma(privacy: float) -> str:
    return (
        f"the paper's figure for an intruder who does not know k (lemma 1): {figure(privacy, 2)}."
    )


def _split_rows(labels: Ints) -> list[Ints]:
    """The rows of each part, in order; those with a negative label are in none."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels + 1)
    return np.split(order, np.cumsum(sizes)[:-1])[1:]


def _group_parts(points: Floats, parts: list[Ints], k: int, workers: Workers) -> list[Ints]:
    """The groups inside each part."""
    groups: dict[int, Ints] = {}
    n = points.shape[1]
    if len(parts) == 1:

        def report(left: int) -> None:
            workers.progress("groups", n - left, n)

        return [equi_depth(points.take(parts[0], axis=1), k, report)]

    def some_parts(begin: int, end: int) -> None:
        for part in range(begin, end):
            groups[part] = equi_depth(points.take(parts[part], axis=1), k)

    workers.each(some_parts, len(parts), size=max(len(parts) // BLOCKS, 1), label="groups")
    return [groups[part] for part in range(len(parts))]


FEW_DIMENSIONS = 3
FEW, MANY = (24, 2.0), (96, 8.0)
"""For few dimensions, and for many: points of a leaf, weight of the distance from the centre."""
REGROWN, SMALL = 2, 4_000
"""A new tree is grown when one row in REGROWN is left, unless the old tree was SMALL."""
STEPS = 50
"""Progress is reported about this many times."""


def equi_depth(points: Floats, k: int, on_progress: Callable[[int], None] | None = None) -> Ints:
    """The group of each row of `points`, which are (dimensions, rows) and finite.

    While at least 2k rows are left, the two rows farthest apart head a group each; the lower row
    first, they take the k - 1 rows nearest to them. The rest, fewer than 2k rows, is the last
    group. The lowest of several equally distant rows is taken; among equally distant pairs, the one
    with the lowest first row, then second row. `on_progress` is called with the number of rows
    left.

    >>> equi_depth(np.array([[0.0, 9.0, 1.0, 8.0, 5.0]]), 2).tolist()
    [0, 1, 0, 1, 2]
    """
    from swapmeet.methods.meds.rounds import form_groups

    n = points.shape[1]
    labels = np.full(n, -1, np.int64)
    places, queues, members = _distinct(points)
    left, step = n, max(n // STEPS, SMALL)
    while left >= 2 * k:
        tree = _grow(places, queues, members, k)
        enough = left // REGROWN if left > SMALL else 0
        while left >= 2 * k and left > enough:
            left = form_groups(left, max(left - step, enough), labels, tree)
            if on_progress is not None:
                on_progress(left)
        places, queues = tree.points, tree.queues
    labels[labels < 0] = (n - left) // k
    return labels


def _distinct(points: Floats) -> tuple[Floats, Ints, Ints]:
    """Points, queues and members of a tree: rows that are alike are one point.

    Rows are sorted by a weighted sum of their coordinates. If rows that differ have the same sum,
    some that are alike may stay apart, which does no harm.
    """
    from swapmeet.methods.meds.tree import END, FAR, FIRST_COORDINATE, GONE, NEXT

    p, n = points.shape
    order = np.argsort((np.sqrt(np.arange(2.0, p + 2.0))[:, np.newaxis] * points).sum(axis=0))
    ordered = points.take(order, axis=1)
    new = np.ones(n, np.bool_)
    new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    starts = np.flatnonzero(new)
    if len(starts) < n:
        order = order[np.lexsort((order, np.cumsum(new)))]
    places = np.zeros((FIRST_COORDINATE + p, len(starts)))
    places[GONE], places[FAR] = 0.0, np.inf
    places[FIRST_COORDINATE:] = ordered[:, starts]
    queues = np.full((6, len(starts)), -1, np.int64)
    queues[NEXT], queues[END] = starts, np.append(starts[1:], n)
    return places, queues, order


def _grow(points: Floats, queues: Ints, members: Ints, k: int) -> PointTree:
    """A tree of the points that are left, in the order of the tree."""
    from swapmeet.methods.meds import tree
    from swapmeet.methods.meds.rounds import prepare

    left = np.flatnonzero(points[tree.GONE] == 0.0)
    points, queues = points.take(left, axis=1), queues.take(left, axis=1)
    coordinates = points[tree.FIRST_COORDINATE :]
    centred = coordinates - coordinates.mean(axis=1, keepdims=True)
    points[tree.CENTRE] = np.sqrt((centred * centred).sum(axis=0))
    order = np.arange(len(left))
    nodes = tree.grow(points, order, *(FEW if len(coordinates) <= FEW_DIMENSIONS else MANY))
    queues = queues.take(order, axis=1)
    queues[tree.HEAD], queues[tree.MATE] = members[queues[tree.NEXT]], -1
    boxes = np.full((len(nodes), 2, len(points)), np.inf)
    prepare(points, queues, nodes, boxes)
    sizes = nodes[:, tree.STOP] - nodes[:, tree.START]
    return tree.PointTree(
        points,
        queues,
        members,
        nodes,
        boxes,
        stack=np.empty(len(nodes) + 1, np.int64),
        bounds=np.empty(len(nodes) + 1),
        away=np.empty(int(sizes[nodes[:, tree.RIGHT] == 0].max())),
        near=np.empty(k - 1),
        rows=np.empty((k - 1, 2), np.int64),
        taken=np.empty(2 * k, np.int64),
    )
