"""Matched swapping: values trade inside groups of similar rows, and relations stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from swapmeet.algorithms.blocks import Grouping
from swapmeet.algorithms.encode import Space
from swapmeet.base.arrays import Ints
from swapmeet.base.notes import Joining, MergeableNote
from swapmeet.base.parallel import Workers
from swapmeet.base.params import Count, Fraction, Names, Number, OneOf, Optional, Tries, Weights
from swapmeet.base.seeds import Streams
from swapmeet.base.sentences import agree
from swapmeet.errors import ParameterError, TableError
from swapmeet.intruders.evidence import UNSURE, Evidence, GroupShares, Likelihood
from swapmeet.intruders.evidence.base import DOUBT
from swapmeet.methods.base import Columns, Method, adapt_settings
from swapmeet.methods.description import REAL_VALUES, Description, PublicSetting, describe_count
from swapmeet.methods.matched_swap.exchange import (
    CAP,
    find_limit,
    gather_blocks,
    list_matching_facts,
    list_oddities,
    list_units,
    spread_units,
)
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.formulas import Formula, is_model, parse_product
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Role

if TYPE_CHECKING:
    from swapmeet.methods.kl_theta.clustering import Clustering
    from swapmeet.methods.matched_swap.trading import Keeping, Matching


KEPT = 3.0
"""Weight of a column whose relations are named."""

LIKENESS = {
    "near": "who are alike",
    "tree": "who are alike",
    "kl-theta": "who are alike and whose sensitive values differ",
    "strata": "of the same stratum, such as a region",
}
ANALYSTS = (
    "Each column has exactly the values it had. Values trade so that relations between two "
    "columns change as little as possible; relations of three or more columns are not considered "
    "unless the curator named them. What was exact in each row need not be so now, unless the "
    "curator saw to it: a total may differ from the sum of its parts, and people of one household "
    "in what they shared."
)
CAUTIONS = (
    (
        "Relations are kept, so someone who knows most of a person's values can predict the "
        "others from them much as from the original."
    ),
    "All values of a group are released: what its members have in common is no secret.",
    REAL_VALUES,
)


@dataclass(frozen=True, kw_only=True)
class MatchedSwap(Method):
    """Values trade places inside groups of similar rows, so that relations stay what they were.

    Rows are put into groups of k to 2k - 1 that are alike, and no value leaves its group. Inside,
    each column is permuted by itself; among all the ways to do that, one is sought that keeps the
    correlations of numbers, the means of numbers by category, and the tables of two categories.
    Every value is released once, in its own column.

    Groups do not overlap, so there is nothing to intersect: even someone who knows the method, the
    groups and all values picks a person's row with probability 1/k at most.
    `cap` bounds the share of a row's cells that come from one person, `together` how often two
    columns do: no more often than by chance, so that someone who finds a row by one value of a
    person does not find the others in it. A larger `k` hides more; it costs little, since relations
    are kept at any k, and what is lost is what they do not describe.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes").drop(columns="sex")
    >>> release = sm.mask(people, sm.MatchedSwap(k=10), seed=1)
    >>> change = release.data.corr() - people.corr()
    >>> bool(change.abs().to_numpy().max() < 0.001)
    True
    """

    name = "matched-swap"
    title = "matched swapping"
    summary = "values trade inside groups of similar rows, and relations stay"
    remedy = (
        "Unless all values of a column are the same, a larger k or a smaller weight in the "
        "distance makes more of them change."
    )
    grows = ("k",)

    k: Annotated[
        int,
        Count(2),
        "a group has at least this many rows",
        Tries(3, 5, 7, 10, 15, 20, 30, 50, 75, 100),
    ] = 10
    by: Annotated[
        str,
        OneOf(("near", "tree", "kl-theta", "strata")),
        "groups are formed by distance (near), by cutting the table in two again and again (tree: "
        "faster), by distance of keys so that each is diverse in the sensitive columns "
        "(kl-theta), or are the strata themselves",
    ] = "near"
    l: Annotated[  # noqa: E741
        int,
        Count(1),
        "by kl-theta only: a group has at least this many distinct values in each sensitive column",
    ] = 5
    theta: Annotated[
        float,
        Fraction(above=True),
        "by kl-theta only: no sensitive value has a larger share of a group's rows than this",
    ] = 0.3
    weights: Annotated[
        float | dict[str, float],
        Weights(),
        "weight of columns in the distance: column=weight pairs, or one number for all nominal "
        "columns; small weights let nominal values move",
        Tries(0.05, 0.1, 0.3),
    ] = 0.1
    cap: Annotated[
        float,
        Fraction(above=True),
        "no released row has a larger share of its values from one person (as many as chance would "
        "often give are always allowed: a tighter cap reveals where a person's other values are)",
    ] = CAP
    together: Annotated[
        float,
        Number(1.0),
        "two columns have their values from one person in at most so many times as many rows as by "
        "chance; more keeps totals and their parts, by bringing those of one person together again",
        Tries(1.0, 3.0),
    ] = 1.0
    order: Annotated[
        str,
        OneOf(("pairs", "classes", "squares")),
        "what is kept of numbers: their correlations (pairs); also the tables of their classes, in "
        "tables with room for that (classes); or also the correlations of their squares (squares)",
    ] = "classes"
    relations: Annotated[
        tuple[str, ...] | None,
        Optional(Names()),
        "columns whose relations count more, models such as 'wage ~ age + C(sex) + age:educ', or "
        "three columns whose common table is kept, as in 'age:sex:town'",
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for text in self.relations or ():
            parse_wish(text)
        if self.by == "kl-theta":
            self._clustering.conditions.refuse_conflicts(self.name)

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people="Values trade places, column by column, inside groups of "
            f"{describe_count(self.k)} people {LIKENESS[self.by]}.",
            analysts=ANALYSTS,
            settings=(PublicSetting("people in a group", describe_count(self.k)),),
            cautions=CAUTIONS,
        )

    @property
    def named_columns(self) -> tuple[str, ...]:
        wishes = [parse_wish(text).columns for text in self.relations or ()]
        weights = self.weights if isinstance(self.weights, dict) else {}
        return tuple(dict.fromkeys([*weights, *(name for names in wishes for name in names)]))

    def adapt(self, columns: Columns) -> MatchedSwap:
        """Without the relations to columns that are not there."""
        there = {new for names in columns.values() for new in names}
        kept = [text for text in self.relations or () if {*parse_wish(text).columns} <= there]
        settings = adapt_settings(replace(self, relations=None), columns)
        return replace(self, **settings, relations=tuple(kept) or None)

    def fewest_rows(self, data: Microdata) -> int:  # noqa: ARG002
        return max(self.k, self.l) if self.by == "kl-theta" else self.k

    def check(self, data: Microdata) -> None:
        super().check(data)
        data.require_names(self._keeping.weights, "matched-swap: `relations`")
        data.require_finite()
        if self.by == "kl-theta":
            self._clustering.check(data)
        self._require_room(np.bincount(data.strata))

    def _require_room(self, sizes: Ints) -> None:
        """Refuse a table or strata, of which there are as many as `sizes` above 0, below k rows."""
        sizes = sizes[sizes > 0]
        small = sizes[sizes < self.k]
        if not len(small):
            return
        needed = f"matched-swap: a group needs `k` = {self.k} rows, and"
        if len(sizes) == 1:
            raise TableError(f"{needed} the table has {sizes[0]}. Lower `k`.")
        what = "groups" if self.by == "strata" else "strata"
        low, high = small.min(), small.max()
        raise TableError(
            f"{needed} {len(small)} of {len(sizes)} {what} {agree(len(small), 'has', 'have')} "
            f"{low if low == high else f'{low} to {high}'}. Lower `k`, or merge {what}."
        )

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        from swapmeet.methods.matched_swap.trading import (
            Groups,
            encode_features,
            match_within_groups,
        )

        labels = self._labels(data, workers)
        left = int((labels < 0).sum())
        if left:
            raise TableError(
                f"matched-swap: {left} of {data.n} rows {agree(left, 'fits', 'fit')} in no group "
                "that meets the conditions, so nothing is released. "
                "Lower `k` or `l`, or raise `theta`."
            )
        units = list_units(data)
        features = encode_features(data, self._keeping, units)
        groups = Groups(labels, gather_blocks(data, labels, self._space))
        limit = find_limit(len(units), self.k, self.cap)
        matching = match_within_groups(
            groups, features, limit, streams, workers, together=self.together
        )
        return Outcome(
            DonorMap(spread_units(matching.donors, units, data)),
            facts=(*_list_facts(labels, matching, len(data.variables)), *list_oddities(features)),
        )

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """A value, or those of a set that belongs together, are a member's of the person's group.

        Groups are no secret: who knows all columns forms the same ones. Who does not takes the
        groups of those they know, by distance if diverse ones cannot be formed of them.
        """
        labels = self._guess_labels(seen)
        doubt = DOUBT if seen.complete else UNSURE
        return tuple(
            GroupShares(names, seen.code(*names), labels, doubt=doubt)
            for names in list_units(seen.people)
        )

    def _guess_labels(self, seen: Evidence) -> Ints:
        if self.by != "kl-theta":
            return self._labels(seen.people, seen.workers)
        if seen.complete:
            labels = self._labels(seen.people, seen.workers)
            if (labels >= 0).all():
                return labels
        keys = [v.name for v in seen.people.variables if v.role is Role.KEY]
        known = seen.people.select(keys or seen.names)
        return replace(self, by="near")._labels(known, seen.workers)  # noqa: SLF001

    @property
    def grouping(self) -> Grouping | None:
        """Diverse groups need diverse blocks: random ones."""
        if self.by == "kl-theta":
            return None
        return Grouping(None if self.by == "strata" else self._space, self.k)

    def _labels(self, data: Microdata, workers: Workers) -> Ints:
        """The group of each row."""
        if self.by == "strata":
            return np.unique(data.strata, return_inverse=True)[1].astype(np.int64)
        if self.by == "kl-theta":
            return self._clustering.find_clusters(data, workers)
        from swapmeet.methods.matched_swap.similar import group_rows

        points = self._space.within(data.names).points(data)
        return group_rows(points, data.strata, self.k, self.by, workers)

    @property
    def _keeping(self) -> Keeping:
        """The relations that are kept."""
        from swapmeet.methods.matched_swap.trading import Keeping

        wishes = [parse_wish(text) for text in self.relations or ()]
        return Keeping(
            classes=self.order == "classes",
            squares=self.order == "squares",
            triples=tuple(dict.fromkeys(three for wish in wishes for three in wish.triples)),
            weights={name: KEPT for wish in wishes for name in wish.columns},
        )

    @property
    def _clustering(self) -> Clustering:
        from swapmeet.methods.kl_theta.clustering import Clustering
        from swapmeet.methods.kl_theta.conditions import Conditions

        conditions = Conditions(self.k, self.l, self.theta)
        return Clustering(method=self.name, conditions=conditions, weights=self.weights)

    @property
    def _space(self) -> Space:
        return Space("unit", self.weights)


def _list_facts(labels: Ints, matching: Matching, columns: int) -> Iterator[str]:
    sizes = np.bincount(labels)
    low, high = (int(sizes.min()), int(sizes.max())) if len(sizes) else (0, 0)
    extremes: dict[str, Joining] = {"count": sum, "low": min, "high": max}
    yield MergeableNote.of(_say_groups, extremes, count=len(sizes), low=low, high=high)
    yield from list_matching_facts(matching, len(sizes), columns)


def _say_groups(count: int, low: int, high: int) -> str:
    rows = f"{low}" if low == high else f"{low} to {high}"
    one, more = f"1 group of {rows} rows, the whole table", f"{count:,} groups of {rows} rows"
    return (
        f"{one if count == 1 else more}: a value stays with its person "
        f"with probability 1/{low} at most, and even someone who knows the groups and all values "
        "picks a person's row with at most that probability."
    )


class Wish(NamedTuple):
    """Columns whose relations count more, and threes of them whose common relation is kept."""

    columns: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]


def parse_wish(text: str) -> Wish:
    """Read a model, a column, or a product of two or three columns.

    >>> parse_wish("wage ~ age + sex:educ").triples
    (('wage', 'sex', 'educ'),)
    >>> parse_wish("age:sex:town").triples
    (('age', 'sex', 'town'),)
    """
    if is_model(text):
        model = Formula.parse(text)
        products = [[name for factor in term for name in factor.columns] for term in model.terms]
        triples = [
            (model.response_columns[0], *two) for names in products for two in pairwise(names)
        ]
        return Wish(model.columns, tuple(_distinct(triples)))
    columns = parse_product(text)
    if len(columns) > 3:
        raise ParameterError(f"matched-swap: `relations`: {text!r} names more than three columns.")
    return Wish(columns, tuple(_distinct([columns])))


def _distinct(names: Sequence[tuple[str, ...]]) -> list[tuple[str, str, str]]:
    """Select the sets of three columns, none of them twice."""
    return [(n[0], n[1], n[2]) for n in names if len(n) == 3 == len(set(n))]
