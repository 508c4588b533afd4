"""Microaggregation (Domingo-Ferrer and Torra 2005), with means or with swaps in its groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from swapmeet.algorithms.encode import Space
from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.notes import MergeableNote, list_counts, sum_by_column
from swapmeet.base.parallel import Workers
from swapmeet.base.params import BOTH, Count, OneOf, Switch, Tries, Weights
from swapmeet.base.seeds import Streams
from swapmeet.base.sentences import count
from swapmeet.errors import ParameterError, TableError
from swapmeet.intruders.evidence import Evidence, Likelihood
from swapmeet.methods.base import GROUP_SIZES, Method
from swapmeet.methods.description import (
    REAL_VALUES,
    Description,
    PublicSetting,
    describe_count,
    describe_use,
)
from swapmeet.methods.microaggregation.group_values import (
    MaskedColumn,
    attack_averages,
    attack_trades,
    average_values,
    permute_values,
    trade_values,
)
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind

ANALYSTS = {
    "means": "A number becomes the mean of a group, and a category the most common one in it. "
    "Extremes, quantiles and the counts of rare categories may differ from those of the original.",
    "random": "Each column has exactly the values it had. Inside a group they are in random order.",
    "matched": "Each column has exactly the values it had. Values trade so that relations between "
    "two columns change as little as possible. A total may differ from the sum of its parts: "
    "compute "
    "it anew.",
}
MANNERS = {"random": "", "matched": ", so that overall values go with one another much as before"}
BY_COLUMNS = (
    "Columns are masked one by one: rows do not become alike, and an intruder who knows several "
    "columns may find most of them again."
)
APART = "Columns that are not masked together may distinguish the rows of a group."
CAUTIONS = {
    "means": (
        (
            "Means give values away: a group whose members have nearly the same value "
            "publishes it, and an intruder who knows all members but one can compute the last "
            "one's value."
        ),
        APART,
    ),
    "random": (REAL_VALUES, APART),
    "matched": (
        (
            "Relations are kept, so someone who knows most of a person's values can predict the "
            "others from them much as from the original."
        ),
        REAL_VALUES,
        APART,
    ),
}


@dataclass(frozen=True, kw_only=True)
class Microaggregation(Method):
    """Rows that are alike form groups of at least k, and each value becomes its group's mean.

    All rows of a group are then the same, so that nobody can be distinguished from at least k - 1
    others: this is k-anonymity. A larger `k` hides more and flattens more; what varies inside
    groups is lost.
    `by` says how groups are formed: `mdav` in all columns together, from the outskirts inwards,
    which keeps groups compact; `pca` and `pppca` by cutting the order along the first principal
    component (of standardised columns) or along the direction of largest median absolute deviation
    (of columns as they are), which is faster or less moved by outliers, and flattens far more;
    `columns` each column by itself, which keeps nearly everything and gives no k-anonymity.

    With `permute` no value is made: the values of each column trade places at random inside the
    group instead. Every value is still there, once, so that spread is not lost and correlations
    mostly stay; an intruder guesses right once in k times (probabilistic k-anonymity). With
    `exchange` "matched", values do not trade at random, but so that correlations, means by category
    and tables of two columns are nearly what they were; no row gets many of its values from one
    person, and each is still in any place of its group with the same probability.

    An ordinal column gets the lower median of the group, which is a level that exists, and a
    nominal one its most common level. Nominal columns need `mdav`: distances are then those of
    numbers scaled to [0, 1] and of one-hot columns, by `weights`, instead of those in units of the
    standard deviation. The lower the weight of a nominal column, the more of its cells change and
    the less the numbers do.

    Missing values stay missing; with `permute` they trade like values, except by `columns`. In a
    nominal column missing is a level like others. Groups never cross strata; a stratum with fewer
    than 2k rows is one group.

    Departures from sdcMicro, whose groups these are: it divides by the size of the last group
    where values are missing in it, ours by their number; it takes -999 for missing; a record that
    equals all medians breaks its `pppca`.

    Reference: Domingo-Ferrer, Torra (2005), MDAV-generic; Croux, Ruiz-Gazen (2005) for `pppca`;
    Soria-Comas, Domingo-Ferrer (2012) for `permute`.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes")[["age", "bmi", "bp"]].astype(float)
    >>> release = sm.mask(people, sm.Microaggregation(k=5), seed=1)
    >>> int(release.data.groupby(["age", "bmi", "bp"]).size().min())
    5
    """

    name = "microaggregation"
    title = "microaggregation"
    summary = "groups of at least k alike rows all get their group's mean or mode"
    remedy = "A larger k lets a column change more."
    grows = ("k",)

    k: Annotated[int, Count(2), "a group has at least this many rows", GROUP_SIZES] = 3
    by: Annotated[
        str,
        OneOf(("mdav", "pca", "pppca", "columns")),
        "groups are formed by distance (mdav), along the first principal component (pca), along a "
        "robust one (pppca), or in each column by itself (columns)",
        Tries("mdav", "pca", "columns"),
    ] = "mdav"
    permute: Annotated[
        bool, Switch(), "values trade places inside their group instead of becoming its mean", BOTH
    ] = False
    exchange: Annotated[
        str,
        OneOf(("random", "matched")),
        "with permute: values trade at random, or so that the relations of columns stay",
    ] = "random"
    weights: Annotated[
        float | dict[str, float],
        Weights(),
        "by mdav: weight of columns in the distance: column=weight pairs, or one number for all "
        "nominal columns; small weights let nominal values change",
        Tries(0.05, 0.1, 0.3),
    ] = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by != "mdav" and isinstance(self.weights, dict):
            raise ParameterError(
                f"microaggregation: `weights` of columns count in distances, that is with `by` = "
                f"mdav; got by = {self.by}. Leave one of them out."
            )
        if self.exchange == "matched" and not self.permute:
            raise ParameterError(
                "microaggregation: `exchange` = matched is about values that trade places, that is "
                "with `permute`. Add `permute`, or leave `exchange` out."
            )
        if self.exchange == "matched" and self.by == "columns":
            raise ParameterError(
                "microaggregation: `exchange` = matched needs groups of rows, and `by` = columns "
                "forms others in each column. Choose by = mdav, pca or pppca, or leave `exchange` "
                "out."
            )

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people=self._words_for_people(),
            analysts=ANALYSTS[self._manner],
            settings=(
                PublicSetting("people in a group", describe_count(self.k)),
                PublicSetting(
                    "values trade places instead of becoming a mean", describe_use(self.permute)
                ),
            ),
            cautions=(*CAUTIONS[self._manner], *[BY_COLUMNS] * (self.by == "columns")),
        )

    def _words_for_people(self) -> str:
        groups = f"groups of {describe_count(self.k)} people who are alike"
        if self.permute:
            return f"Values trade places inside {groups}{MANNERS[self.exchange]}."
        if self.by == "columns":
            return "A number is replaced by the average of some close to it, column by column."
        return (
            f"People are put in {groups}, and a value is replaced by the average, or the most "
            "common category, of the group."
        )

    @property
    def _manner(self) -> str:
        return self.exchange if self.permute else "means"

    @property
    def makes_values(self) -> bool:
        return not self.permute

    @property
    def is_random(self) -> bool:
        return self.permute

    def refused_columns(self, data: Microdata) -> tuple[str, ...]:
        """Nominal ones have no order, and so no place along a component or in a column."""
        if self.by == "mdav":
            return ()
        return tuple(v.name for v in data.variables if v.kind is Kind.NOMINAL)

    def _refusal(self, kind: Kind, names: list[str]) -> str:
        one = len(names) == 1
        return (
            f"microaggregation by {self.by} cannot mask {', '.join(map(repr, names))}, "
            f"{f'a {kind} column' if one else f'{kind} columns'} without an order. Choose by = "
            f"mdav, which can, combine methods with per-column, or give {'it' if one else 'them'} "
            "the role keep or drop."
        )

    def fewest_rows(self, data: Microdata) -> int:  # noqa: ARG002
        return self.k

    def check(self, data: Microdata) -> None:
        super().check(data)
        data.require_finite()
        data.require_names(self.weights if isinstance(self.weights, dict) else (), "`weights`")
        if self.k > data.n:
            raise TableError(
                f"microaggregation: `k` must not exceed the number of rows; got {self.k} for "
                f"{data.n}. Lower `k`."
            )

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        labels = self._labels(data, workers)
        columns, facts = (
            self._match_columns(data, labels[0], streams, workers)
            if self.exchange == "matched"
            else (self._mask_columns(data, labels, streams, workers), ())
        )
        return Outcome(
            DonorMap(np.stack([column.donors for column in columns.values()]).T),
            made={name: c.made for name, c in columns.items() if c.made is not None},
            stuck={name: c.stuck for name, c in columns.items() if len(c.stuck)},
            facts=facts,
            notes=tuple(self._notes(data, columns)),
        )

    def _mask_columns(
        self, data: Microdata, labels: list[Ints], streams: Streams, workers: Workers
    ) -> dict[str, MaskedColumn]:
        """Treatment of each column by itself."""
        masked: dict[str, MaskedColumn] = {}

        def some_columns(begin: int, end: int) -> None:
            for variable, own in zip(data.variables[begin:end], labels[begin:end], strict=True):
                if self.permute:
                    words = streams.random_bits(data.n, "cells", variable.name)
                    masked[variable.name] = permute_values(own, words)
                else:
                    masked[variable.name] = average_values(variable, own)

        workers.each(some_columns, len(labels), size=1, label="columns")
        return {name: masked[name] for name in data.names}

    def _match_columns(
        self, data: Microdata, labels: Ints, streams: Streams, workers: Workers
    ) -> tuple[dict[str, MaskedColumn], tuple[str, ...]]:
        """Values trade so that relations stay; in strata of fewer than k rows, at random."""
        from swapmeet.methods.matched_swap.exchange import exchange_columns

        exchange = exchange_columns(data, labels, self.k, self._space(data), streams, workers)
        small = np.where(np.bincount(labels)[labels] < self.k, labels, -1)
        columns = self._mask_columns(data, [small] * len(data.names), streams, workers)
        for name, donors in zip(data.names, exchange.donors.T, strict=True):
            own = np.where(small < 0, donors, columns[name].donors)
            columns[name] = trade_values(labels, own)
        return columns, exchange.facts

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """A value is that of a member of the person's group, or about its mean.

        Who does not know all columns takes the groups of those they know: they are near the true
        ones, and so are their means.
        """
        labels = self._labels(seen.people, seen.workers)
        attack = attack_trades if self.permute else attack_averages
        return tuple(attack(seen, name, own) for name, own in zip(seen.names, labels, strict=True))

    def _labels(self, data: Microdata, workers: Workers) -> list[Ints]:
        """For each column the group of each row; -1 where it is in none."""
        from swapmeet.algorithms.groups.cells import group_consecutive

        if self._is_mixed(data):
            return [self._group_by_weights(data, workers)] * len(data.names)
        if self.by != "columns":
            places = self._places(data, workers)
            return [group_consecutive(places, data.strata, self.k)] * len(data.names)
        labels = [np.full(data.n, -1) for _ in data.names]
        for variable, own in zip(data.variables, labels, strict=True):
            rows = np.flatnonzero(~variable.missing)
            own[rows] = group_consecutive(variable.values[rows], data.strata[rows], self.k)
        return labels

    def _is_mixed(self, data: Microdata) -> bool:
        """Return whether weights matter: with a nominal column, or where columns have their own."""
        nominal = any(variable.kind is Kind.NOMINAL for variable in data.variables)
        return self.by == "mdav" and (nominal or isinstance(self.weights, dict))

    def _group_by_weights(self, data: Microdata, workers: Workers) -> Ints:
        from swapmeet.methods.matched_swap.similar import group_rows

        points = self._space(data).points(data)
        return group_rows(points, data.strata, self.k, "near", workers)

    def _space(self, data: Microdata) -> Space:
        from swapmeet.algorithms.encode import Space

        return Space("unit", self.weights).within(data.names)

    def _places(self, data: Microdata, workers: Workers) -> Floats:
        """Numbers that bring the rows of each stratum in the order in which groups are cut."""
        columns = np.stack([variable.values for variable in data.variables])
        parts = [rows for rows in data.parts() if len(rows) >= 2 * self.k]
        inside = workers if len(parts) == 1 else workers.inside(1)
        places = np.zeros(data.n)

        def some_strata(begin: int, end: int) -> None:
            for rows in parts[begin:end]:
                places[rows] = self._order(columns[:, rows], inside)

        if len(parts) == 1:
            some_strata(0, 1)
        else:
            workers.each(some_strata, len(parts), size=1 + len(parts) // 64, label="strata")
        return places

    def _order(self, columns: Floats, workers: Workers) -> Floats | Ints:
        """Numbers that bring rows in the order in which groups are cut."""
        if self.by == "pca":
            from swapmeet.methods.microaggregation.pursuit import principal_scores

            return principal_scores(columns)
        if self.by == "pppca":
            from swapmeet.methods.microaggregation.pursuit import pursuit_scores

            return pursuit_scores(columns, workers)
        from swapmeet.algorithms.groups.mdav.rounds import mdav

        return mdav(columns, self.k, workers)

    def _notes(self, data: Microdata, columns: Mapping[str, MaskedColumn]) -> Iterator[str]:
        sizes = np.bincount(data.strata)
        small = sizes[sizes < self.k]
        if len(small):
            joins = {"held": sum, "strata": sum}
            yield MergeableNote.of(
                _say_small_strata, joins, held=int(small.sum()), strata=len(small), k=self.k
            )
        large = sizes[data.strata] >= self.k
        thin = {n: int(((c.companions < self.k) & large).sum()) for n, c in columns.items()}
        if any(thin.values()):
            yield MergeableNote.of(
                _say_thin_groups, {"counts": sum_by_column}, counts=thin, k=self.k
            )


def _say_small_strata(held: int, strata: int, k: int) -> str:
    return (
        f"{count(held, 'row is', 'rows are')} in {count(strata, 'stratum', 'strata')} of fewer "
        f"than `k` = {k} rows; each such stratum is one smaller group."
    )


def _say_thin_groups(counts: dict[str, int], k: int) -> str:
    return (
        f"values that share a group with fewer than `k` = {k} values of their column, because "
        f"others are missing: {list_counts(counts)}."
    )
