"""Randomization Within Neighborhoods (Perry, Matloff and Tendick 2024, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from swapmeet.algorithms.encode import Space
from swapmeet.algorithms.neighbors import SEARCHES, Neighborhood, NeighborSearch, Rule
from swapmeet.base.arrays import Ints
from swapmeet.base.parallel import Workers
from swapmeet.base.params import (
    ByColumn,
    Count,
    Fraction,
    Number,
    OneOf,
    Optional,
    Switch,
    Tries,
    Weights,
)
from swapmeet.base.seeds import Streams
from swapmeet.errors import ParameterError
from swapmeet.intruders.evidence import Evidence, Likelihood
from swapmeet.methods.base import GROUP_SIZES
from swapmeet.methods.description import (
    REAL_VALUES,
    Description,
    PublicSetting,
    describe_chance,
    describe_count,
)
from swapmeet.methods.neighbourhood import (
    NearColumns,
    NeighborhoodMethod,
    OwnDistance,
    attack_chosen,
    attack_neighborhoods,
    draw_bits,
    note_exactness,
    note_suppressed,
    prepare,
    refuse_beside_function,
)
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Column

IN_SPACE = "exact", "cells"
"""The searches for which blocks are cells in space; for the others they are random."""

CAUTIONS = (
    (
        "With q below 1, each value stays true with probability 1 - q, and a row may keep "
        "several true values together; with q = 1 a neighbour may still have the same "
        "value."
    ),
    "Nominal columns change little where their weight in the distance is large.",
    REAL_VALUES,
    (
        "People whose neighbours are all alike keep what they have in common, and an "
        "intruder who finds the group learns it."
    ),
)


LONELY = (
    "That a record was suppressed shows that it had no neighbour; where balls hold one or two "
    "records, little is hidden."
)


@dataclass(frozen=True, kw_only=True)
class RWN(NeighborhoodMethod):
    """With probability q, a value is replaced by that of a random neighbour of its row.

    Each cell draws on its own from the row's neighbourhood: the `k` nearest rows or all within
    `eps`, whichever is more; with `only_eps` all within `eps`, and a record that has nobody there
    is suppressed. Distances are those of all masked columns and of those in `near`. Larger
    neighbourhoods hide more and blur more; `q` below 1 leaves some values true, in all columns or
    in those named. Values may repeat or vanish. Nominal columns hardly move while a mismatch is the
    largest distance there is: lower their weight to let them.

    A `distance` of your own takes the place of scale and weights. It is called with two mappings of
    columns by name, those of some rows, of shape (rows, 1), and those of their candidates, of shape
    (1, candidates), and gives all their distances. Numbers are numbers, categories themselves. All
    pairs of rows are asked for, some at a time and in several threads.

    Reference: Perry, Matloff, Tendick (2024), section 4; large data: section 10.3.

    >>> import swapmeet as sm
    >>> release = sm.mask(sm.datasets.load("diabetes"), sm.RWN(k=10, weights=0.2), seed=1)
    >>> release.data.shape
    (442, 11)
    """

    name = "rwn"
    title = "randomization within neighbourhoods"
    summary = "each value, with probability q, becomes that of a random neighbour"
    remedy = "The less a column weighs in the distance, the more it changes."
    grows = ("k", "eps", "q")

    k: Annotated[int, Count(1), "a neighbourhood has at least this many rows", GROUP_SIZES] = 5
    eps: Annotated[
        float,
        Number(),
        "and all rows within this distance; 0: only the k nearest",
        Tries(0.0, 0.2, 0.5),
    ] = 0.0
    only_eps: Annotated[
        bool | None,
        Optional(Switch()),
        "only rows within eps are neighbours; records without any are suppressed",
    ] = None
    q: Annotated[
        float | dict[str, float],
        ByColumn(Fraction(), one_for=""),
        "probability that a value is replaced; or column=value pairs",
        Tries(0.25, 0.5, 0.75, 1.0),
    ] = 1.0
    weights: Annotated[
        float | dict[str, float],
        Weights(),
        "weight of columns in the distance: column=weight pairs, or one number for all nominal "
        "columns; small weights let nominal values move",
        Tries(0.05, 0.2, 1.0),
    ] = 1.0
    scale: Annotated[
        str,
        OneOf(("unit", "zscore")),
        "numeric columns are scaled to [0, 1] (unit) or to standard deviation 1 (zscore)",
    ] = "unit"
    ties: Annotated[
        str, OneOf(("random", "all")), "rows tied at the k-th distance: random ones, or all"
    ] = "random"
    search: Annotated[
        str,
        OneOf(tuple(SEARCHES)),
        "where neighbours are sought: among all rows (exact), in a random sample, in random pairs, "
        "in random parts (partition), or in cells in space with a halo (cells)",
    ] = "exact"
    sample: Annotated[
        int | None,
        Optional(Count(2)),
        "search sample and pairs: candidates per row (default 1000); partition: those in a part",
    ] = None
    parts: Annotated[
        int | None,
        Optional(Count(1)),
        "search partition and cells: number of parts (default: parts of 10,000 rows)",
    ] = None
    near: NearColumns = None
    distance: OwnDistance = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.distance is not None:
            refuse_beside_function(self, "weights", "scale", "search")
        if self.only_eps and self.eps == 0.0:
            raise ParameterError(
                "rwn: with `only_eps` the rows within `eps` are the neighbours; give `eps` as well."
            )
        if self.only_eps and self.q != 1.0:
            raise ParameterError(
                "rwn: with `only_eps` a record that has nobody within `eps` is suppressed as a "
                "whole, so `q` must be 1. Or take NBRS, whose `q` chooses records."
            )

    def masks(self, column: Column) -> bool:
        return super().masks(column) and self._find_chance(column.name) > 0.0

    def fewest_rows(self, data: Microdata) -> int:  # noqa: ARG002
        return self.rule.k + 1

    def check(self, data: Microdata) -> None:
        if isinstance(self.q, dict):
            data.require_names(self.q, "`q`")
        super().check(data)

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        draw = prepare(data, self.space, streams, workers, self.way_to_search)
        words = draw_bits(data, streams, workers)
        for name, column in zip(data.names, words.T, strict=True):
            _stay_unless(self._find_chance(name), column)
        drawn = draw(self.rule, words)
        in_cells = self.search == "cells" or data.reach is not None
        facts = note_exactness(drawn.beyond, data.own) if in_cells else ()
        donors = DonorMap(words, data.n)
        notes = note_suppressed(donors, data.own) if self.only_eps else ()
        return Outcome(donors, facts=facts, notes=notes)

    def _find_chance(self, name: str) -> float:
        """The probability that a value of a column is replaced."""
        return self.q.get(name, 1.0) if isinstance(self.q, dict) else self.q

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """Each value stays with probability 1 - q, else it is that of a member of S_i.

        All ways to search are taken for the exact one, which they come near.
        """
        parts = attack_neighborhoods(
            seen, self.space, self.rule, lambda name: 1.0 - self._find_chance(name)
        )
        return attack_chosen(seen, parts, 1.0) if self.only_eps else parts

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people=self._words_for_people(),
            analysts="Values are drawn with replacement: one may occur more or less often than it "
            "did.",
            settings=(
                PublicSetting("a value is replaced", self._describe_chances()),
                *(
                    []
                    if self.only_eps
                    else [PublicSetting("people in a neighbourhood", describe_count(self.k))]
                ),
            ),
            cautions=(*CAUTIONS, LONELY) if self.only_eps else CAUTIONS,
        )

    def _describe_chances(self) -> str:
        """Return how often values are drawn, by column where that differs."""
        if not isinstance(self.q, dict):
            return describe_chance(self.q)
        chances = [f"{describe_chance(q)} ({name})" for name, q in self.q.items()]
        return ", ".join([*chances, f"{describe_chance(1.0)} (other columns)"])

    def _words_for_people(self) -> str:
        if self.q == 0.0:
            return "With its settings, the method replaces no value."
        chance = "" if self.q == 1.0 else f", {self._describe_chances()},"
        who = "" if self.only_eps else f", one of {describe_count(self.k)}"
        lonely = " Where nobody is similar, the values are removed." if self.only_eps else ""
        return (
            f"A value is replaced{chance} by that of a similar person{who}. This person is drawn "
            f"at random for each value; the value may happen to be the same.{lonely}"
        )

    @property
    def neighborhood(self) -> Neighborhood | None:
        if self.distance is not None or self.search not in IN_SPACE:
            return None
        return Neighborhood(self.space, self.rule)

    @property
    def space(self) -> Space:
        """In which rows are near or far."""
        return Space(self.scale, self.weights, self.near or (), self.distance)

    @property
    def rule(self) -> Rule:
        """Return the rule for who is a neighbour."""
        return Rule(k=0 if self.only_eps else self.k, eps=self.eps, ties=self.ties)

    @property
    def way_to_search(self) -> NeighborSearch:
        """The way in which neighbours are sought."""
        return NeighborSearch(self.search, sample=self.sample, parts=self.parts)


def _stay_unless(q: float, words: Ints) -> None:
    """Words below q stay random, spread again over the whole range; the others become -1: stay."""
    if q == 1.0:
        return
    drawn = words < q * 2.0**63
    words[drawn] = np.minimum(words[drawn] / (q or 1.0), np.nextafter(2.0**63, 0.0))
    words[~drawn] = -1
