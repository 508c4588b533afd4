"""Sequential joint probability preserving data shuffling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.parallel import Workers
from swapmeet.base.params import Count, OneOf, Optional, Tries
from swapmeet.base.seeds import Streams
from swapmeet.intruders.evidence import Agreement, Evidence, Likelihood, code_both
from swapmeet.methods.base import Method
from swapmeet.methods.description import REAL_VALUES, Description, PublicSetting, describe_count
from swapmeet.methods.ordered_levels import (
    SIMILAR,
    OrderOfLevels,
    describe_order,
    order_known_levels,
    order_levels,
)
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

CAUTIONS = (
    (
        "A row keeps its vector of bins: an intruder who knows a person's values and the "
        "bins may find the row. The more bins, the more vectors are unique."
    ),
    (
        "A value alone in its bin stays: in skewed columns these are the extremes. "
        "`min_bin` merges bins."
    ),
    REAL_VALUES,
)

MOST_BINS = 10_000_000
"""More bins than this would take more memory than most tables."""


@dataclass(frozen=True, kw_only=True)
class SJPPDS(Method):
    """The values of each column are permuted at random inside equal-width bins of that column.

    Fewer `bins` let values travel farther. A value alone in its bin cannot move: `min_bin` merges
    neighbouring bins until each holds that many. A row keeps its vector of bins, and an intruder
    who knows the values may find the row by it.

    The levels of a nominal column are put into `classes` of coarser levels, and values are permuted
    inside them. A class has neighbours in the `order` of the levels, as many as another, and at
    least two: so a column with two or three levels is one class, and loses its relations.

    The paper's algorithms 1 to 3 come down to this one pass over each column, whichever `variant`
    of them is asked for (see the page of the method): the variants are the same distribution, and
    with one seed the same release.

    Reference: Algorithms 1 to 3 of the SJPPDS paper.

    >>> import swapmeet as sm
    >>> diabetes = sm.datasets.load("diabetes").drop(columns="sex")
    >>> release = sm.mask(diabetes, sm.SJPPDS(bins=10, min_bin=5), seed=1)
    >>> release.audit.map.is_permutation().all()
    np.True_
    """

    name = "sjppds"
    title = "sequential joint probability preserving data shuffling"
    summary = "every column is permuted inside its own equal-width bins"
    remedy = "Fewer bins (or classes, if it is nominal) let a column change more."
    shrinks = ("bins",)

    bins: Annotated[
        int,
        Count(1, MOST_BINS),
        "number of equal-width bins of each numeric or ordinal column",
        Tries(2, 3, 5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300),
    ] = 10
    variant: Annotated[
        str,
        OneOf(("simplified", "full", "cumulative")),
        "the paper's variant; all three have the same distribution",
    ] = "simplified"
    min_bin: Annotated[
        int, Count(1), "neighbouring bins are merged until each holds at least this many rows"
    ] = 1
    classes: Annotated[
        int | None,
        Optional(Count(1)),
        "number of classes of coarser levels in each nominal column, at most half as many as it "
        "has levels (default: as many as bins)",
        Tries(1, 2, 4, for_nominal=True),
    ] = None
    order: OrderOfLevels = SIMILAR

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people="Values trade places, column by column, among people whose value is in the same "
            "range, or in the same class of categories. Where there is nobody else, a value stays.",
            analysts="Each column has exactly the values it had. Inside a range, or a class of "
            "categories, they are in random order.",
            settings=(PublicSetting("bins of a column", describe_count(self.bins)),),
            cautions=CAUTIONS,
        )

    def check(self, data: Microdata) -> None:
        super().check(data)
        data.require_finite()

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        from swapmeet.algorithms.exchange import find_lone_rows, permute_within_groups

        donors = np.empty((len(data.variables), data.n), np.int64)
        stuck: dict[str, Ints] = {}
        parts = data.parts()
        ordered = order_levels(data, self.order).variables

        def some_columns(begin: int, end: int) -> None:
            for column in range(begin, end):
                name = data.names[column]
                labels = self._labels(ordered[column], parts)
                donors[column] = permute_within_groups(
                    labels, streams.random_bits(data.n, "cells", name)
                )
                stuck[name] = find_lone_rows(labels)

        workers.each(some_columns, len(donors), size=1, label="columns")
        places = {name: stuck[name] for name in data.names if len(stuck[name])}
        return Outcome(DonorMap(donors.T), stuck=places, facts=describe_order(data, self.order))

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """A row keeps the bin of its person in every column."""
        seen = order_known_levels(seen, self.order)
        people, rows = seen.people.parts(), seen.released.parts()
        pieces: list[Likelihood] = []
        for name in seen.names:
            one = self._labels(seen.people[name], people)
            other = self._labels(seen.released[name], rows)
            pieces.append(Agreement((name,), code_both([one], [other])))
        return tuple(pieces)

    def _labels(self, variable: Variable, parts: list[Ints]) -> Ints:
        """The bin of each row; bins end where a stratum does."""
        from swapmeet.methods.sjppds.bins import bins_of, edges_of, merge_small_bins

        (values, low, high), bins = _numbers(variable), self._count_bins(variable)
        labels = bins_of(values, edges_of(low, high, bins))
        if len(parts) == 1:
            merge_small_bins(labels, bins, min(self.min_bin, len(labels)))
            return labels
        used = 0
        for rows in parts:
            own = labels[rows]
            count = merge_small_bins(own, bins, min(self.min_bin, len(own)))
            labels[rows] = np.where(own < 0, own, own + used)
            used += count
        return labels

    def _count_bins(self, variable: Variable) -> int:
        """As many bins as asked for; of places of nominal levels, few enough for two in each."""
        if not variable.levels:
            return self.bins
        return max(min(self.classes or self.bins, variable.levels // 2), 1)


def _numbers(variable: Variable) -> tuple[Floats, float, float]:
    """Values, places of nominal levels or ranks of ordinal ones; the least and largest of all."""
    if variable.levels:
        return variable.values, 0.0, variable.levels - 1.0
    if variable.kind is not Kind.ORDINAL:
        return variable.values, variable.statistics.low, variable.statistics.high
    return variable.ranks(), 0.0, len(variable.known.values) - 1.0
