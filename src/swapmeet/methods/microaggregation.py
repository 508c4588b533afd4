"""Microaggregation (Domingo-Ferrer and Torra 2005), with means or with swaps in its groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from swapmeet.algorithms.likelihood import UNSURE, Gaussian, GroupShares
from swapmeet.algorithms.likelihood.base import DOUBT
from swapmeet.core.base.notes import MergeableNote, list_counts, sum_by_column
from swapmeet.core.base.parallel import Workers
from swapmeet.core.base.params import BOTH, Count, OneOf, Switch, Tries
from swapmeet.core.release.donors import MADE, DonorMap
from swapmeet.core.release.outcome import Outcome
from swapmeet.core.tables.schema import Kind
from swapmeet.errors import TableError
from swapmeet.methods.base import WITH_ORDER, Method
from swapmeet.methods.description import Description, PublicSetting, describe_count, describe_use

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from swapmeet.algorithms.likelihood import Evidence, Likelihood
    from swapmeet.core.base.seeds import Streams
    from swapmeet.core.tables.microdata import Microdata, Variable

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

SHARP = 1e-3
"""A made mean is known up to this share of the column's standard deviation."""

CAUTIONS = (
    (
        "Means give values away: a group whose members have nearly the same value "
        "publishes it, and an intruder who knows all members but one can compute the last "
        "one's value."
    ),
    (
        "By single columns (`by` = columns) rows do not become alike, and an intruder "
        "finds most of them again."
    ),
    "Columns that are not masked together may distinguish the rows of a group.",
)


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
    mostly stay; an intruder guesses right once in k times (probabilistic k-anonymity).

    An ordinal column gets the lower median of the group, which is a level that exists. Missing
    values stay missing; with `permute` they trade like values, except by `columns`. Groups never
    cross strata; a stratum with fewer than 2k rows is one group.

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

    name: ClassVar[str] = "microaggregation"
    summary: ClassVar[str] = "groups of at least k alike rows all get their group's mean"
    takes: ClassVar[frozenset[Kind]] = WITH_ORDER
    remedy: ClassVar[str] = "A larger k lets a column change more."

    k: Annotated[
        int,
        Count(2),
        "a group has at least this many rows",
        Tries(2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100),
    ] = 3
    by: Annotated[
        str,
        OneOf(("mdav", "pca", "pppca", "columns")),
        "groups are formed by distance (mdav), along the first principal component (pca), along a "
        "robust one (pppca), or in each column by itself (columns)",
        Tries("mdav", "pca", "columns"),
    ] = "mdav"
    permute: Annotated[
        bool,
        Switch(),
        "values trade places inside their group instead of becoming its mean",
        BOTH,
    ] = False

    @property
    def description(self) -> Description:
        return Description(
            title="microaggregation",
            people=self._words_for_people(),
            analysts="Means are kept. Where values became those of a group, variances are too "
            "small and correlations tend to be too strong; extremes are gone.",
            settings=(
                PublicSetting("people in a group", describe_count(self.k)),
                PublicSetting(
                    "values trade places instead of becoming a mean", describe_use(self.permute)
                ),
            ),
            cautions=CAUTIONS,
        )

    def _words_for_people(self) -> str:
        group = f"a group of {describe_count(self.k)} people who are like you"
        if self.permute:
            return f"Each of your values traded places with that of somebody in {group}."
        if self.by == "columns":
            return (
                "Each of your values was replaced by the average of some values that are close to "
                "it, each taken by itself."
            )
        return (
            f"Each of your values was replaced by the average of {group}: all of them now have the "
            "same values."
        )

    @property
    def makes_values(self) -> bool:
        return not self.permute

    @property
    def is_random(self) -> bool:
        return self.permute

    def check(self, data: Microdata) -> None:
        super().check(data)
        data.require_finite()
        if self.k > data.n:
            raise TableError(
                f"Microaggregation: `k` must not exceed the number of rows; got {self.k} for "
                f"{data.n}. Lower `k`."
            )

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        labels = self._labels(data, workers)
        masked: dict[str, _MaskedColumn] = {}

        def some_columns(begin: int, end: int) -> None:
            for variable, own in zip(data.variables[begin:end], labels[begin:end], strict=True):
                if self.permute:
                    words = streams.random_bits(data.n, "cells", variable.name)
                    masked[variable.name] = _permute(own, words)
                else:
                    masked[variable.name] = _average(variable, own)

        workers.each(some_columns, len(labels), size=1, label="columns")
        columns = {name: masked[name] for name in data.names}
        return Outcome(
            DonorMap(np.stack([column.donors for column in columns.values()]).T),
            made={name: c.made for name, c in columns.items() if c.made is not None},
            stuck={name: c.stuck for name, c in columns.items() if len(c.stuck)},
            notes=tuple(self._notes(data, columns)),
        )

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """A value is that of a member of the person's group, or about its mean.

        Who does not know all columns takes the groups of those they know: they are near the true
        ones, and so are their means.
        """
        labels = self._labels(seen.people, seen.workers)
        attack = _attack_trades if self.permute else _attack_means
        return tuple(attack(seen, name, own) for name, own in zip(seen.names, labels, strict=True))

    def _labels(self, data: Microdata, workers: Workers) -> list[Ints]:
        """For each column the group of each row; -1 where it is in none."""
        from swapmeet.algorithms.groups.consecutive import group_consecutive

        if self.by != "columns":
            places = self._places(data, workers)
            return [group_consecutive(places, data.strata, self.k)] * len(data.names)
        labels = [np.full(data.n, -1) for _ in data.names]
        for variable, own in zip(data.variables, labels, strict=True):
            rows = np.flatnonzero(~variable.missing)
            own[rows] = group_consecutive(variable.values[rows], data.strata[rows], self.k)
        return labels

    def _places(self, data: Microdata, workers: Workers) -> Floats:
        """Numbers that bring the rows of each stratum in the order in which groups are cut."""
        columns = np.stack([variable.values for variable in data.variables])
        parts = [rows for rows in data.parts() if len(rows) >= 2 * self.k]
        inside = workers if len(parts) == 1 else Workers(threads=1)
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
            from swapmeet.algorithms.groups.principal import principal_scores

            return principal_scores(columns)
        if self.by == "pppca":
            from swapmeet.algorithms.groups.pursuit import pursuit_scores

            return pursuit_scores(columns, workers)
        from swapmeet.algorithms.groups.mdav.rounds import mdav

        return mdav(columns, self.k, workers)

    def _notes(self, data: Microdata, columns: Mapping[str, _MaskedColumn]) -> Iterator[str]:
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
        f"{held} rows are in {strata} strata of fewer than `k` = {k} rows; "
        "each of these strata is one smaller group."
    )


def _say_thin_groups(counts: dict[str, int], k: int) -> str:
    return (
        f"values that share a group with fewer than `k` = {k} values of their column, because "
        f"others are missing: {list_counts(counts)}."
    )


@dataclass(frozen=True, repr=False, eq=False)
class _MaskedColumn:
    """What became of a column; `companions` is how many values stand together, for each row.

    It is very large for rows that have no value to protect.
    """

    donors: Ints
    companions: Ints
    stuck: Ints
    made: Floats | None = None


def _attack_trades(seen: Evidence, name: str, labels: Ints) -> Likelihood:
    codes = seen.code(name)
    return GroupShares((name,), codes, labels, doubt=DOUBT if seen.complete else UNSURE)


def _attack_means(seen: Evidence, name: str, labels: Ints) -> Likelihood:
    """Rows lie at the mean of their person's group, up to rounding, or near it."""
    variable = seen.people[name]
    column = _average(variable, labels)
    means = variable.values[column.donors] if column.made is None else column.made
    spread = variable.statistics.sd or 1.0
    if seen.complete:
        width = SHARP * spread + (0.5 if variable.statistics.whole else 0.0)
    else:
        width = float(np.nanstd(variable.values - means)) or SHARP * spread
    rows = seen.released[name].values
    return Gaussian((name,), means[np.newaxis] / width, rows[np.newaxis] / width)


def _permute(labels: Ints, words: Ints) -> _MaskedColumn:
    """Values trade places inside their group."""
    from swapmeet.algorithms.exchange.members import find_lone_rows
    from swapmeet.algorithms.exchange.permute import permute_within_groups

    rows = np.flatnonzero(labels >= 0)
    return _MaskedColumn(
        permute_within_groups(labels, words),
        _count_companions(labels, rows),
        find_lone_rows(labels),
    )


def _average(variable: Variable, labels: Ints) -> _MaskedColumn:
    """Values become the mean of their group, or its lower median."""
    from swapmeet.algorithms.groups.average import group_means, group_medians

    rows = np.flatnonzero(~variable.missing)
    values, own = variable.values[rows], labels[rows]
    companions = _count_companions(labels, rows)
    stuck = np.flatnonzero(companions == 1)
    donors = np.arange(len(labels))
    if variable.kind is Kind.ORDINAL:
        middle = group_medians(values, own)
        donors[rows] = np.where(values == values[middle], rows, rows[middle])
        return _MaskedColumn(donors, companions, stuck)
    made = variable.values.copy()
    made[rows] = group_means(values, own)
    donors[rows] = np.where(companions[rows] > 1, MADE, rows)
    return _MaskedColumn(donors, companions, stuck, made)


def _count_companions(labels: Ints, rows: Ints) -> Ints:
    """How many of some rows are in the group of each of them."""
    counts = np.full(len(labels), np.iinfo(np.int64).max)
    counts[rows] = np.bincount(labels[rows])[labels[rows]]
    return counts
