"""Multivariate equi-depth data swapping (Li and Shen 2010, algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from swapmeet.algorithms.encode import Encoding, Scale
from swapmeet.algorithms.groups.cells import cells_of, equi_depth_privacy, group_consecutive
from swapmeet.base.notes import MergeableNote
from swapmeet.base.params import Count, OneOf, Tries
from swapmeet.base.sentences import agree, figure
from swapmeet.errors import ParameterError
from swapmeet.methods.block_swap import ANALYSTS, REAL_BLOCKS, BlockSwap
from swapmeet.methods.description import Description, PublicSetting, describe_count
from swapmeet.methods.matched_swap.exchange import PULLED_BACK, Exchange, exchange_units
from swapmeet.methods.meds.groups import equi_depth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.base.parallel import Workers
    from swapmeet.base.seeds import Streams
    from swapmeet.tables.microdata import Microdata

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

    name: ClassVar[str] = "meds"
    title: ClassVar[str] = "multivariate equi-depth data swapping"
    summary: ClassVar[str] = "rows of a group of k near ones trade a block of values"
    remedy: ClassVar[str] = "Larger groups let a column change more."
    unit: ClassVar[str] = "group"
    grows: ClassVar[tuple[str, ...]] = ("k",)

    k: Annotated[
        int, Count(2), "rows of a group", Tries(2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)
    ] = 5
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
        self,
        data: Microdata,
        groups: Ints,
        streams: Streams,
        workers: Workers,
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


def _group_parts(
    points: Floats,
    parts: list[Ints],
    k: int,
    workers: Workers,
) -> list[Ints]:
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
