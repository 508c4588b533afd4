"""Nominal columns as columns with an order, for methods that need one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.base.params import OneOf
from swapmeet.base.quantiles import rank_by_middle
from swapmeet.intruders.evidence import Evidence
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

SIMILAR, FREQUENCY = "similar", "frequency"
ORDERS = (SIMILAR, FREQUENCY)
MOST_COMPARED = 1_000
"""The levels of a column that has more are put in order by frequency."""
MOST_OTHERS = 200
"""Of more other columns so many, evenly spread over the table, tell which levels are similar."""
LEAST_SHARE = 0.01
"""Levels of other columns that fewer rows have, or lack, are ignored: they say little, loudly."""
DECIMALS = 9
"""Scores that agree in so many decimals are equal."""


@dataclass(frozen=True, repr=False, eq=False)
class LevelOrder:
    """The order of the levels of the nominal columns of a table.

    By frequency: from the most frequent to the rarest of the whole column; equally frequent levels
    by their codes. By similarity: along the axis on which the levels differ most in the other
    columns (in ranks, or in levels if those are nominal), each level where the mean of its rows is.
    This is the first axis of a correspondence analysis. Of very many other columns some, spread
    evenly over the table, are looked at. Two levels, a column without others, and
    one with very many levels are put in order by frequency.

    >>> import pandas as pd, swapmeet as sm
    >>> from swapmeet.tables.frame import Table
    >>> from swapmeet.tables.microdata import Microdata
    >>> people = pd.DataFrame({"size": [*"LSMLSM"], "height": [190, 160, 175, 188, 158, 174]})
    >>> data = Microdata.of(Table(people), sm.Schema.infer(people))
    >>> LevelOrder(data).find_places("size").tolist()
    [2.0, 0.0, 1.0]
    """

    data: Microdata
    by: str = SIMILAR
    _ranks: dict[str, Floats] = field(default_factory=dict, init=False)
    _pooled: dict[str, tuple[Ints, int]] = field(default_factory=dict, init=False)

    def needs_others(self, name: str) -> bool:
        """Return whether the order of the levels of a column can depend on other columns."""
        return self.by == SIMILAR and 2 < len(self.data[name].known.values) <= MOST_COMPARED

    def find_places(self, name: str) -> Floats:
        """Find the place of each code's level, from 0 up; NaN for codes that no row has."""
        variable = self.data[name]
        levels = variable.known
        keys = [levels.values, -levels.counts]
        if self.needs_others(name):
            keys.append(self._score(variable)[levels.values])
        size = max(variable.levels, int(levels.values.max(initial=-1)) + 1)
        places = np.full(size, np.nan)
        places[levels.values[np.lexsort(keys)]] = np.arange(len(levels.values))
        return places

    def _score(self, variable: Variable) -> Floats:
        """Place the level of each code on the axis; 0 if no row here has it."""
        here = variable.values >= 0
        codes = variable.values[here].astype(np.int64)
        size = int(variable.known.values.max()) + 1
        others = _pick_others(self.data, variable.name)
        tables = [self._sum_up(codes, size, other, here) for other in others]
        counts = np.bincount(codes, minlength=size)
        sums = np.concatenate([np.zeros((size, 1)), *tables], axis=1)
        means = sums / np.maximum(counts, 1)[:, np.newaxis]
        return _project(np.where(counts[:, np.newaxis] > 0, means, 0.0), counts)

    def _sum_up(self, codes: Ints, size: int, other: Variable, here: Flags) -> Floats:
        """Sum up, by code, what another column says about the rows, on a common scale."""
        if other.kind is not Kind.NOMINAL:
            if other.name not in self._ranks:
                self._ranks[other.name] = _rank(other)
            ranks = self._ranks[other.name][here]
            return np.asarray(np.bincount(codes, ranks, size)[:, np.newaxis], np.float64)
        if other.name not in self._pooled:
            self._pooled[other.name] = _pool(other)
        pooled, count = self._pooled[other.name]
        pairs = np.bincount(codes * count + pooled[here], minlength=size * count)
        return _standardise(pairs.reshape(size, count))[:, 1:]


def _pick_others(data: Microdata, name: str) -> list[Variable]:
    """The other columns, or as many of them as are looked at, evenly spread."""
    own, count = data.names.index(name), len(data.variables) - 1
    chosen = range(count) if count <= MOST_OTHERS else _spread(count)
    return [data.variables[at + (at >= own)] for at in chosen]


def _spread(count: int) -> list[int]:
    return [at * count // MOST_OTHERS for at in range(MOST_OTHERS)]


def _rank(variable: Variable) -> Floats:
    """The ranks, ties in their middle, with mean 0 and variance 1; 0 where missing."""
    present = ~variable.missing
    ranks = np.zeros(len(present))
    middles = rank_by_middle(variable.values[present])
    if len(middles):
        ranks[present] = (middles - middles.mean()) / (middles.std() or 1.0)
    return ranks


def _pool(variable: Variable) -> tuple[Ints, int]:
    """The levels of a nominal column as numbers from 1; 0 are those to ignore, and missing ones."""
    counts = np.bincount(variable.values + 1)
    rows, least = len(variable.values), LEAST_SHARE * len(variable.values)
    often = (counts >= least) & (counts <= rows - least)
    often[0] = False
    numbers = np.where(often, np.cumsum(often), 0)
    return numbers[variable.values + 1], int(often.sum()) + 1


def _standardise(pairs: Ints) -> Floats:
    """Counts of pairs as sums of indicators with mean 0 and variance 1."""
    total = max(int(pairs.sum()), 1)
    shares = pairs.sum(axis=0) / total
    spread = np.sqrt(shares * (1.0 - shares))
    expected = pairs.sum(axis=1)[:, np.newaxis] * shares
    return np.divide(pairs - expected, spread, out=np.zeros(pairs.shape), where=spread > 0.0)


def _project(means: Floats, counts: Ints) -> Floats:
    """The levels on the first axis of their means, on which the heaviest level is positive."""
    weights = np.sqrt(counts.astype(np.float64))
    axis = np.linalg.svd(weights[:, np.newaxis] * means, full_matrices=False)[2][0]
    scores = means @ axis
    heaviest = int(np.argmax(np.round(np.abs(weights * scores), DECIMALS)))
    return np.asarray(np.round(np.copysign(1.0, scores[heaviest]) * scores, DECIMALS) + 0.0)


OrderOfLevels = Annotated[
    str,
    OneOf(ORDERS),
    "order of the levels of nominal columns: similar ones side by side, judged by the other "
    "columns, or the most frequent first",
]


def order_levels(data: Microdata, by: str) -> Microdata:
    """The table with nominal columns as ordinal ones: each value the place of its level.

    Such a column has `levels`, their number in the whole table.
    """
    return _place(data, LevelOrder(data, by))


def describe_order(data: Microdata, by: str) -> tuple[str, ...]:
    """Note about an order that not all columns decided on."""
    others = len(data.variables) - 1
    nominal = any(v.kind is Kind.NOMINAL for v in data.variables)
    if by != SIMILAR or not nominal or others <= MOST_OTHERS:
        return ()
    note = (
        f"Which levels of a nominal column are similar was judged by {MOST_OTHERS} of the other "
        f"{others:,} columns, spread evenly over the table."
    )
    return (note,)


def order_known_levels(seen: Evidence, by: str) -> Evidence:
    """View of an intruder, with nominal columns in the order that everybody's values give.

    Someone who lacks columns that decide on the order of others, or the people themselves, does not
    know these orders (in the release they are blurred): such columns are left out.
    """
    order = LevelOrder(seen.people, by)
    knows = seen.complete and seen.everybody
    names = [
        v.name
        for v in seen.people.variables
        if knows or v.kind is not Kind.NOMINAL or not order.needs_others(v.name)
    ]
    people, released = seen.people.select(names), seen.released.select(names)
    return replace(seen, people=_place(people, order), released=_place(released, order))


def _place(data: Microdata, order: LevelOrder) -> Microdata:
    return replace(data, variables=tuple(_place_values(v, order) for v in data.variables))


def _place_values(variable: Variable, order: LevelOrder) -> Variable:
    if variable.kind is not Kind.NOMINAL:
        return variable
    places = np.append(order.find_places(variable.name), np.nan)
    count = int(np.count_nonzero(~np.isnan(places)))
    codes = np.minimum(variable.values, len(places) - 1)
    return Variable(variable.name, Kind.ORDINAL, places[codes], count, variable.role)
