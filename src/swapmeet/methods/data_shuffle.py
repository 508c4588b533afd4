"""Data shuffling (Muralidhar and Sarathy 2006) with a normal copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from swapmeet.algorithms.normal import condition, list_patterns
from swapmeet.base.arrays import Flags, Floats, Ints, ShortInts
from swapmeet.base.notes import MergeableNote, list_counts, sum_by_column
from swapmeet.base.parallel import Workers
from swapmeet.base.params import Names, Optional
from swapmeet.base.seeds import Streams
from swapmeet.errors import SchemaError
from swapmeet.intruders.evidence import Evidence, Likelihood
from swapmeet.methods.base import WITH_ORDER, Method
from swapmeet.methods.description import REAL_VALUES, Description
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Column

if TYPE_CHECKING:
    from swapmeet.algorithms.groups.by_value import Ranks

FEWEST = 3
"""With fewer rows than this every rank correlation is 1, -1 or none, and is taken to be 0."""

CAUTIONS = (
    (
        "Columns whose ranks agree perfectly travel together; in a very small stratum "
        "whole records may."
    ),
    REAL_VALUES,
)
PREDICTORS = (
    "Predictors are released as they are, and an intruder who knows them learns what they predict."
)


@dataclass(frozen=True, kw_only=True)
class DataShuffle(Method):
    """Each column is permuted so that the ranks of all columns relate as before.

    A normal sample is drawn that has the rank correlations of the table; the k-th smallest value of
    a column goes to the row in which the sample's column has its k-th smallest. So a column keeps
    exactly its values, pairs of columns keep their rank correlation, and nothing else is kept: a
    released row has no more to do with its owner than with anybody. `predictors` are masked columns
    that stay in place, as they are; the others are then drawn given their ranks. Naming some keeps
    the relations with what stays in place, and lets an intruder who knows them predict the rest.

    Reference: Muralidhar, Sarathy (2006), Data shuffling: a new masking approach for numerical
    data.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes")[["age", "bmi", "bp"]]
    >>> release = sm.mask(people, sm.DataShuffle(), seed=1)
    >>> sorted(release.data["bmi"]) == sorted(people["bmi"])
    True
    """

    name = "data-shuffle"
    title = "data shuffling"
    summary = "each column is permuted so that rank correlations stay"
    leaves = "Predictors stay as they are."
    takes = WITH_ORDER

    predictors: Annotated[
        tuple[str, ...] | None,
        Optional(Names()),
        "masked columns that stay in place, released as they are, and predict the others "
        "(default: none)",
    ] = None

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people="The values of each column are redistributed at random among all people, "
            "column by column, so that high values still tend to go with high ones where "
            "they did before.",
            analysts="Each column has exactly the values it had. The rule looks at ranks only: "
            "relations that are not monotone, such as U-shapes and interactions, are lost.",
            cautions=(PREDICTORS, *CAUTIONS) if self.predictors else CAUTIONS,
        )

    def masks(self, column: Column) -> bool:
        return column.role.masked and column.name not in (self.predictors or ())

    @property
    def keeps_owners(self) -> bool:
        return bool(self.predictors)

    def check(self, data: Microdata) -> None:
        super().check(data)
        predictors = self.predictors or ()
        data.require_names(predictors, "`predictors`")
        if len(predictors) == len(data.names):
            raise SchemaError(
                ["`predictors`: all masked columns predict, none is left to shuffle."]
            )

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        fixed = np.array([name in (self.predictors or ()) for name in data.names])
        orders = _rank_columns(data, streams, workers)
        ranks = np.stack([_average_ranks(order, data.n) for order in orders])
        scores = _draw_noise(data, fixed, streams, workers)
        _correlate(scores, ranks, fixed, data.parts())
        scores[np.isnan(ranks)] = np.nan
        matrix = _match(data, orders, scores, fixed, streams, workers)
        stuck = {data.names[j]: _find_alone(orders[j]) for j in np.flatnonzero(~fixed)}
        return Outcome(
            DonorMap(matrix),
            stuck={name: rows for name, rows in stuck.items() if len(rows)},
            notes=self._notes(data),
        )

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:  # noqa: ARG002
        """Nothing: a row in a person's place is drawn again, given the predictors, which stay."""
        return ()

    def _notes(self, data: Microdata) -> tuple[str, ...]:
        predictors = self.predictors or ()
        notes: list[str] = []
        if predictors:
            notes.append(
                f"predictors stay in place and are released as they are: {', '.join(predictors)}."
            )
        shuffled = [v for v in data.variables if v.name not in predictors]
        missing = {v.name: int(v.missing.sum()) for v in shuffled}
        if any(missing.values()):
            notes.append(
                MergeableNote.of(
                    _say_missing, {"counts": sum_by_column}, rows=data.n, counts=missing
                )
            )
        return tuple(notes)


def _say_missing(rows: int, counts: dict[str, int]) -> str:
    return f"missing values that stay with their row, among {rows} rows: {list_counts(counts)}."


def _rank_columns(data: Microdata, streams: Streams, workers: Workers) -> list[Ranks]:
    """For each column, the rows that have a value in its order, stratum by stratum."""
    orders: dict[int, Ranks] = {}

    def some_columns(begin: int, end: int) -> None:
        for j in range(begin, end):
            ties = streams.within("values", data.names[j])
            orders[j] = _rank(data.variables[j].values, data.strata, ties)

    workers.each(some_columns, len(data.variables), size=1, label="ranks")
    return [orders[j] for j in range(len(data.variables))]


def _rank(values: Floats, strata: ShortInts, ties: Streams) -> Ranks:
    from swapmeet.algorithms.groups.by_value import rank_rows

    return rank_rows(values, strata, ties.random_bits)


def _average_ranks(order: Ranks, n: int) -> Floats:
    """The rank of each row in its stratum, from 1 up; equal values share the mean of theirs.

    Rows without a value have no rank, NaN.
    """
    ranks = np.full(n, np.nan)
    new = np.ones(len(order.order), np.bool_)
    new[1:] = order.values[1:] != order.values[:-1]
    new[order.begins] = True
    first = np.flatnonzero(new)
    sizes = np.diff(first, append=len(new))
    ends = order.ends[np.searchsorted(order.begins, first, side="right") - 1]
    ranks[order.order] = np.repeat(ends - first - (sizes - 1) / 2, sizes)
    return ranks


def _draw_noise(data: Microdata, fixed: Flags, streams: Streams, workers: Workers) -> Floats:
    """Independent normal numbers for each cell, 0 in columns that stay in place."""
    noise = np.zeros((len(data.variables), data.n))

    def some_columns(begin: int, end: int) -> None:
        for j in np.flatnonzero(~fixed)[begin:end]:
            noise[j] = streams.normal(data.n, "noise", data.names[j])

    workers.each(some_columns, int((~fixed).sum()), size=1, label="random numbers")
    return noise


def _correlate(noise: Floats, ranks: Floats, fixed: Flags, parts: list[Ints]) -> None:
    """Turn independent noise, in place, into a draw given the ranks of the fixed columns."""
    for rows in parts:
        if len(rows) >= FEWEST:
            normal = _product_moment(_spearman(ranks[:, rows]))
            scores = np.full((len(ranks), len(rows)), np.nan)
            scores[fixed] = _normal_scores(ranks[np.ix_(fixed, rows)])
            for known, some in list_patterns(~np.isnan(scores)):
                weights, root = condition(normal, ~fixed, known)
                drawn = root @ noise[np.ix_(~fixed, rows[some])]
                drawn += weights @ scores[np.ix_(known, some)]
                noise[np.ix_(~fixed, rows[some])] = drawn


def _spearman(ranks: Floats) -> Floats:
    """The rank correlation of each pair of columns, over the rows that have both values."""
    missing = np.isnan(ranks)
    holed = np.flatnonzero(missing.any(axis=1))
    correlation = _correlation(np.where(missing, 0.0, ranks))
    for i in holed:
        for j in range(len(ranks)):
            both = ~(missing[i] | missing[j])
            pair = np.stack([_rerank(ranks[i, both]), _rerank(ranks[j, both])])
            correlation[i, j] = correlation[j, i] = _correlation(pair)[0, 1]
    np.fill_diagonal(correlation, 1.0)
    return correlation


def _rerank(ranks: Floats) -> Floats:
    """The ranks of ranks: twice an average rank is whole, so that counting replaces sorting."""
    twice = (2 * ranks).astype(np.int64)
    counts = np.bincount(twice)
    return (np.cumsum(counts) - (counts - 1) / 2)[twice]


def _correlation(rows: Floats) -> Floats:
    """Pearson's correlation, 0 where a column is constant or has too few values."""
    if rows.shape[1] < FEWEST:
        return np.zeros((len(rows), len(rows)))
    centred = rows - rows.mean(axis=1, keepdims=True)
    products = centred @ centred.T
    lengths = np.sqrt(np.diag(products))
    scale = np.outer(lengths, lengths)
    return np.divide(products, scale, out=np.zeros_like(products), where=scale > 0.0)


def _product_moment(spearman: Floats) -> Floats:
    """The nearest that a normal distribution can have: no negative eigenvalues, ones diagonal."""
    products = 2 * np.sin(np.pi * spearman / 6)
    values, vectors = np.linalg.eigh(products)
    if values[0] >= 0.0:
        return products
    clipped = (vectors * np.maximum(values, 0.0)) @ vectors.T
    lengths = np.sqrt(np.diag(clipped))
    return clipped / np.outer(lengths, lengths)


def _normal_scores(ranks: Floats) -> Floats:
    """The normal quantile of each rank."""
    from scipy.special import ndtri

    present = np.count_nonzero(~np.isnan(ranks), axis=1)[:, np.newaxis]
    return ndtri((ranks - 0.5) / np.maximum(present, 1))


def _match(
    data: Microdata,
    orders: list[Ranks],
    scores: Floats,
    fixed: Flags,
    streams: Streams,
    workers: Workers,
) -> Ints:
    """Donors: the k-th value of a column goes to the row with its k-th score."""
    matrix = np.repeat(np.arange(data.n)[np.newaxis], len(orders), axis=0).T

    def some_columns(begin: int, end: int) -> None:
        for j in np.flatnonzero(~fixed)[begin:end]:
            places = _rank(scores[j], data.strata, streams.within("scores", data.names[j]))
            matrix[places.order, j] = orders[j].order

    workers.each(some_columns, int((~fixed).sum()), size=1, label="columns")
    return matrix


def _find_alone(order: Ranks) -> Ints:
    """The rows that are the only one of their stratum with a value."""
    return np.sort(order.order[order.begins[order.sizes == 1]])
