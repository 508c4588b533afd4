"""K-L-θ swapping: sensitive values are permuted inside diverse clusters of similar rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from swapmeet.base.arrays import Ints
from swapmeet.base.notes import Joining, MergeableNote
from swapmeet.base.parallel import Workers
from swapmeet.base.params import Count, Fraction, Number, OneOf, Optional, Switch, Tries, Weights
from swapmeet.base.seeds import Streams
from swapmeet.base.sentences import agree, percent
from swapmeet.errors import ParameterError, TableError
from swapmeet.intruders.evidence import Evidence, Likelihood
from swapmeet.methods.base import Method
from swapmeet.methods.description import Description, PublicSetting, describe_bound, describe_count
from swapmeet.methods.kl_theta.clustering import Clustering, select_role
from swapmeet.methods.kl_theta.conditions import (
    DIVERSITIES,
    Conditions,
    StrictConditions,
    encode_sensitive,
)
from swapmeet.methods.matched_swap.exchange import PULLED_BACK, Exchange, exchange_units
from swapmeet.release.donors import SUPPRESSED, DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Column, Role

FEW_TRIES = 10

CAUTIONS = (
    (
        "Keys are released as they are, and people are found by them. Only the sensitive values "
        "are hidden, up to a guess that is right with a probability of up to theta."
    ),
    (
        "Diversity counts values, not meanings: a cluster of several similar values shows "
        "what they have in common."
    ),
    "Suppressed values show that their row fits in no cluster.",
)
NO_BOUND = (
    "So theta is the share of a value in a cluster, and bounds the guess of an intruder who knows "
    "the cluster but nothing of how sensitive values go with keys."
)


@dataclass(frozen=True, kw_only=True)
class KLTheta(Method):
    """The sensitive values are permuted at random inside clusters of rows with similar keys.

    Every cluster has at least `k` rows and, in each sensitive column, at least `l` distinct values,
    none of which has a larger share of its rows than `theta`. So an intruder who finds a person by
    the keys learns the cluster, and guesses the person's value with a probability of at most
    `theta`. A larger `k` or `l` and a smaller `theta` hide more, and mix rows that are less alike.
    Keys stay as they are.

    `diversity` says in which sense there are `l` values: distinct ones, as many as are as hard to
    guess (entropy), or by recursive (`c`, l)-diversity. With `t`, the values of every cluster are
    at most so far from those of the whole table (t-closeness). Clusters that fall short of these
    are merged with near ones that make up for it.

    With `exchange` "matched", the permutation is not just any: one is sought that keeps how
    sensitive columns go with keys and with one another. Analysts find these relations; so does an
    intruder, and then not all values of a cluster are as likely. Such a release is refused if more
    than `theta` of the values of a column are in their own row again.

    `strategy` "balanced" grows every cluster to the same size, the least that the conditions allow.
    "paper" gives the clusters of the paper's algorithm, except that those which break a condition
    in the end are not released; it has larger clusters and is slower.

    Reference: Boger (2020), sections 3.1 and 3.2.

    >>> import swapmeet as sm
    >>> schema = sm.datasets.schema("diabetes")
    >>> release = sm.mask(sm.datasets.load("diabetes"), sm.KLTheta(), schema=schema, seed=1)
    >>> release.notes[0]
    '44 clusters of 10 to 12 rows.'
    """

    name = "kl-theta"
    title = "swapping in diverse clusters"
    summary = "sensitive values are permuted inside diverse clusters of similar rows"
    leaves = (
        "Keys stay as they are, so someone who knows a person's keys finds the person's row. Only "
        "sensitive columns are masked."
    )
    remedy = "A larger k or l, or a smaller theta, lets a column change more."
    grows = ("k",)

    k: Annotated[
        int,
        Count(2),
        "a cluster has at least this many rows",
        Tries(3, 5, 7, 10, 15, 20, 30, 50, 75, 100),
    ] = 10
    l: Annotated[  # noqa: E741
        int,
        Count(1),
        "and at least this many distinct values in each sensitive column",
        Tries(2, 3, 5),
    ] = 5
    theta: Annotated[
        float,
        Fraction(above=True),
        "no value has a larger share of a cluster's rows than this",
        Tries(0.3, 0.5, 0.7, 0.9),
    ] = 0.3
    diversity: Annotated[
        str,
        OneOf(DIVERSITIES),
        "how `l` is counted: distinct values, values that are as hard to guess (entropy), or by "
        "recursive (c, l)-diversity",
    ] = "distinct"
    c: Annotated[
        float,
        Number(0.0, 1e6, above=True),
        "recursive diversity: the most common value is rarer than this times those from the l-th "
        "on",
    ] = 3.0
    t: Annotated[
        float | None,
        Optional(Fraction(above=True)),
        "t-closeness: the values of a cluster are at most this far from those of the whole table "
        "(default: any distance)",
    ] = None
    weights: Annotated[
        float | dict[str, float],
        Weights(),
        "weight of key columns in the distance: column=weight pairs, or one number for all nominal "
        "ones",
        Tries(0.1, 0.3, 1.0),
    ] = 1.0
    strategy: Annotated[
        str,
        OneOf(("balanced", "paper")),
        "clusters of equal size, or those of the paper's algorithm",
    ] = "balanced"
    leftover: Annotated[
        str,
        OneOf(("suppress", "refuse")),
        "rows that fit in no cluster: suppress their sensitive values, or refuse the release",
    ] = "suppress"
    together: Annotated[
        bool,
        Switch(),
        "several sensitive columns take their values from the same row, or each from another",
    ] = True
    exchange: Annotated[
        str,
        OneOf(("random", "matched")),
        "sensitive values are permuted at random, or so that their relations to the keys and to "
        "one another stay; then `theta` does not bound the guess of someone who knows these "
        "relations",
    ] = "random"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._conditions.refuse_conflicts(self.name)
        if self._strict.demands_more and self.strategy == "paper":
            raise ParameterError(
                "kl-theta: `diversity` and `t` are no conditions of the paper's algorithm. Choose "
                'strategy="balanced", or diversity="distinct" without `t`.'
            )

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people=f"People are put in groups of {describe_count(self.k)} who are alike and whose "
            f"sensitive values differ, and these values are shuffled within the group{self._manner}"
            ". Other values stay as they are, and someone who knows them may find a person's row.",
            analysts="Columns that are not sensitive are not masked, and each sensitive column has "
            f"the values it had, but for those that were removed. Inside a group, {self._order}.",
            settings=(
                PublicSetting("people in a cluster", describe_count(self.k)),
                PublicSetting(
                    "largest share of one value in a cluster", describe_bound(self.theta)
                ),
                *self._public_closeness,
            ),
            cautions=CAUTIONS if self.exchange == "random" else (*CAUTIONS, PULLED_BACK, NO_BOUND),
        )

    @property
    def _public_closeness(self) -> tuple[PublicSetting, ...]:
        if self.t is None:
            return ()
        what = "largest distance of a cluster's values from those of the table"
        return (PublicSetting(what, describe_bound(self.t)),)

    @property
    def _manner(self) -> str:
        if self.exchange == "random":
            return ""
        return ", so that overall they go with the other values much as before"

    @property
    def _order(self) -> str:
        if self.exchange == "random":
            return "they are in random order"
        return "they trade so that their relations to other columns change as little as possible"

    def masks(self, column: Column) -> bool:
        return column.role is Role.SENSITIVE

    @property
    def _conditions(self) -> Conditions:
        return Conditions(self.k, self.l, self.theta)

    @property
    def _strict(self) -> StrictConditions:
        return StrictConditions(l=self.l, diversity=self.diversity, c=self.c, t=self.t)

    @property
    def _clustering(self) -> Clustering:
        return Clustering(
            method=self.name,
            conditions=self._conditions,
            weights=self.weights,
            strategy=self.strategy,
            strict=self._strict if self._strict.demands_more else None,
        )

    def fewest_rows(self, data: Microdata) -> int:  # noqa: ARG002
        return max(self.k, self.l)

    def check(self, data: Microdata) -> None:
        super().check(data)
        self._clustering.check(data)
        if self.exchange == "matched":
            data.require_finite()

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        order = streams.stream("order").permutation(data.n)
        labels = self._clustering.find_clusters(data, workers, order)
        left = int((labels < 0).sum())
        if left and self.leftover == "refuse":
            raise TableError(
                f"kl-theta: {left} of {data.n} rows {agree(left, 'fits', 'fit')} in no cluster, so "
                "nothing is released. "
                'Lower `k` or `l`, raise `theta`, or choose leftover="suppress".'
            )
        sensitive = [variable.name for variable in select_role(data, Role.SENSITIVE)]
        sizes = np.bincount(labels[labels >= 0])
        units = [sensitive] if self.together else [[name] for name in sensitive]
        exchange = self._exchange(data, labels, units, streams, workers)
        facts = [*exchange.facts, *self._check_returns(data, labels, units, exchange)]
        donors = np.repeat(np.arange(data.n)[:, np.newaxis], len(data.variables), axis=1)
        for unit, given in zip(units, exchange.donors.T, strict=True):
            for name in unit:
                donors[:, data.names.index(name)] = np.where(labels < 0, SUPPRESSED, given)
        return Outcome(
            DonorMap(donors),
            facts=(
                _count_clusters(sizes[sizes > 0]),
                *facts,
                _say_kept(select_role(data, Role.KEY)),
            ),
            notes=_notes(left, data.n, sensitive),
        )

    def _exchange(
        self,
        data: Microdata,
        labels: Ints,
        units: list[list[str]],
        streams: Streams,
        workers: Workers,
    ) -> Exchange:
        """Draw the donors of each unit of sensitive columns, inside clusters."""
        from swapmeet.algorithms.exchange import permute_within_groups

        if self.exchange == "matched":
            return exchange_units(data, labels, units, streams, workers)
        names: list[tuple[str, ...]] = [()] if self.together else [(name,) for (name,) in units]
        words = [streams.random_bits(data.n, "values", *name) for name in names]
        return Exchange(np.stack([permute_within_groups(labels, w) for w in words], axis=1), ())

    def _check_returns(
        self, data: Microdata, labels: Ints, units: list[list[str]], exchange: Exchange
    ) -> Iterator[str]:
        """Refuse a matched release if more than theta of a column's values are in place again."""
        rows = np.flatnonzero(labels >= 0)
        if self.exchange != "matched" or not len(rows):
            return
        shares, chances = [], []
        for unit, donors in zip(units, exchange.donors.T, strict=True):
            for name in unit:
                codes = encode_sensitive([data[name]]).codes[:, 0]
                shares.append(float((codes[donors] == codes)[rows].mean()))
                chances.append(_find_chance(labels[rows], codes[rows]))
        if max(shares) > self.theta:
            raise TableError(
                f"kl-theta: matched to their relations, {percent(max(shares))} of the values of a "
                f"sensitive column are in their own row again, more than `theta` = {self.theta:g}, "
                "so nothing is released: the keys all but determine them. Choose "
                'exchange="random", or a larger `k`.'
            )
        joins: dict[str, Joining] = {"share": max, "chance": max}
        yield MergeableNote.of(_say_returns, joins, share=max(shares), chance=max(chances))

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """Keys stay as they are, and show whose row it is; so do sensitive values, a little.

        Clusters depend on a random order, so that an intruder can only try them out.
        """
        from swapmeet.methods.base import simulate_attack

        return simulate_attack(self, seen, FEW_TRIES) if seen.complete else ()


def _find_chance(labels: Ints, codes: Ints) -> float:
    """The share of values that a random permutation inside clusters gives their row again."""
    cells, counts = np.unique(labels * (codes.max() + 1) + codes, return_counts=True)
    sizes = np.bincount(labels)[cells // (codes.max() + 1)]
    return float((counts * counts / sizes).sum() / len(labels))


def _say_returns(share: float, chance: float) -> str:
    return (
        f"{percent(share)} of the sensitive values are what they were in their row, by chance "
        f"{percent(chance)}. Someone who finds a person by the keys reads the true value that "
        "often."
    )


def _count_clusters(sizes: Ints) -> MergeableNote:
    joins: dict[str, Joining] = {"count": sum, "low": min, "high": max}
    low, high = (int(sizes.min()), int(sizes.max())) if len(sizes) else (np.inf, 0)
    return MergeableNote.of(_say_clusters, joins, count=len(sizes), low=low, high=high)


def _say_clusters(count: int, low: int, high: int) -> str:
    if count == 0:
        return "no cluster satisfies the conditions."
    rows = f"{low}" if low == high else f"{low} to {high}"
    return f"{count} cluster{'' if count == 1 else 's'} of {rows} rows."


def _notes(left: int, rows: int, names: list[str]) -> tuple[str, ...]:
    if not left:
        return ()
    return (MergeableNote.of(_say_suppressed, {"left": sum}, left=left, rows=rows, names=names),)


def _say_kept(keys: list[Variable]) -> str:
    names = ", ".join(key.name for key in keys)
    return f"keys are released as they are, and someone who knows them finds people: {names}."


def _say_suppressed(left: int, rows: int, names: list[str]) -> str:
    verbs = agree(left, "fits in no cluster and was", "fit in no cluster and were")
    whose = agree(left, "its", "their")
    return (
        f"{left} of {rows} rows {verbs} suppressed; {whose} values of {', '.join(names)} are "
        "missing."
    )
