"""Choice of trades in a hierarchy of places: who is at risk, who is like whom, and refusals."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swapmeet.algorithms.groups.by_value import find_smallest, number_combinations
from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.base.seeds import Streams
from swapmeet.base.sentences import count
from swapmeet.errors import SchemaError, TableError, did_you_mean
from swapmeet.intruders.evidence import ATTACK, UNSURE, Evidence, KeptOrTraded, Likelihood
from swapmeet.intruders.evidence.base import DOUBT
from swapmeet.methods.record_swap import RecordSwap
from swapmeet.methods.record_swap.area_trades import (
    Areas,
    Trades,
    UnitProfiles,
    trade_between_areas,
)
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.role import Role
from swapmeet.tables.units import Units

TINY = 1e-9
"""Rounding error by which a sum of shares may fall short of its whole number."""


@dataclass(frozen=True, repr=False, eq=False)
class SwapPlan:
    """A table as record swapping sees it: units of rows, levels of places, profiles, risk."""

    method: RecordSwap
    data: Microdata
    units: Units
    levels: tuple[str, ...]

    @classmethod
    def of(cls, method: RecordSwap, data: Microdata) -> SwapPlan:
        """From the columns that the method sees."""
        numbers = data.household if data.household is not None else data.person
        units = Units(np.arange(data.n) if numbers is None else numbers)
        return cls(method, data, units, find_levels(method, data))

    @property
    def moved_columns(self) -> tuple[str, ...]:
        """The columns that trade, in the order of the table."""
        named = {*self.levels, *(self.method.columns or ())}
        return tuple(v.name for v in self.data.variables if v.name in named or v.role is Role.PLACE)

    @property
    def unit(self) -> str:
        """Name of a unit."""
        if self.units.count == self.data.n:
            return "row"
        return "household" if self.data.household is not None else "person"

    def find(self, name: str) -> Variable:
        """A column, masked or only looked at."""
        return next(v for v in (*self.data.variables, *self.data.context) if v.name == name)

    @cached_property
    def risk_columns(self) -> tuple[str, ...]:
        """The columns that make a person rare."""
        if self.method.risk is not None:
            return self.method.risk
        everything = (*self.data.variables, *self.data.context)
        moving = self.moved_columns if self.levels else ()
        return tuple(v.name for v in everything if v.role is Role.KEY and v.name not in moving)

    @cached_property
    def areas(self) -> tuple[Ints, ...]:
        """Return the area of each unit by level; without a place, all units are in one."""
        first = self.units.first
        columns = [self.find(name).values[first] for name in self.levels]
        return tuple(
            number_combinations(columns[: level + 1], self.units.count)
            for level in range(max(len(columns), 1))
        )

    @cached_property
    def counts(self) -> tuple[Ints, ...]:
        """Count by level the people of the area who are like each unit's rarest member."""
        n, units = self.data.n, self.units
        alike = number_combinations((self.find(name).values for name in self.risk_columns), n)
        fewest = []
        for areas in self.areas:
            labels = number_combinations([areas[units.of_row], alike], n)
            counts = self._count_people(labels)[labels]
            fewest.append(find_smallest(counts, units.of_row, units.count))
        return tuple(fewest)

    def _count_people(self, labels: Ints) -> Ints:
        """Count the people who have each label; a person with several rows counts once."""
        if self.data.person is None:
            return np.bincount(labels)
        pairs = number_combinations([labels, self.data.person], self.data.n)
        once = np.unique(pairs, return_index=True)[1]
        return np.bincount(labels[once], minlength=int(labels.max(initial=-1)) + 1)

    @cached_property
    def must(self) -> tuple[Flags, ...]:
        """List by level the units that must leave their area, each at its largest such level."""
        by_level: list[Flags] = []
        for counts in self.counts:
            risky = counts < self.method.k
            for before in by_level:
                risky &= ~before
            by_level.append(risky)
        return tuple(by_level)

    @cached_property
    def classes(self) -> tuple[Ints, ...]:
        """Classes of units by profile; partners are of one class and stratum."""
        first, total = self.units.first, self.units.count
        strata = self.data.strata[first]
        if self.method.similar is None:
            return (number_combinations([strata, self.units.sizes], total),)
        return tuple(
            number_combinations([strata, *(self.find(n).values[first] for n in profile)], total)
            for profile in self.method.similar
        )

    @cached_property
    def contents(self) -> Ints:
        """The combination of what trades, of each unit: without a place, partners differ in it."""
        first = self.units.first
        columns = (self.find(name).values[first] for name in self.moved_columns)
        return number_combinations(columns, self.units.count)

    def trade(self, streams: Streams) -> Trades:
        """Choose who trades with whom."""
        return self._trade_places(streams) if self.levels else self._trade_records(streams)

    def _trade_places(self, streams: Streams) -> Trades:
        """From the largest level down; at the lowest, others are also drawn up to the rate."""
        trades = Trades.none(self.units.count)
        lowest = len(self.levels) - 1
        for level, (areas, counts, must) in enumerate(
            zip(self.areas, self.counts, self.must, strict=True)
        ):
            if level < lowest and not must.any():
                continue
            below = streams.within("level", level)
            sizes = np.bincount(areas)
            quota = np.zeros_like(sizes)
            if level == lowest:
                quota = self._share_out(sizes, below.stream("rounding"))
                quota -= np.bincount(areas[trades.successes], minlength=len(sizes))
            order = np.argsort(-draw_priorities(below.stream("drawn"), counts), kind="stable")
            likely = draw_priorities(below.stream("partners"), counts)
            trade_between_areas(
                Areas.in_order(areas, order, np.maximum(quota, 0)), must,
                UnitProfiles.of(self.classes, likely), trades,
            )  # fmt: skip
        return trades

    def _share_out(self, sizes: Ints, stream: np.random.Generator) -> Ints:
        """Return how many trades each area sets out for: half of the rate, since each moves two.

        Whole numbers by lot: some areas have one more than others, so that the sum is right.
        """
        wanted = self.method.swap_rate / 2.0 * sizes
        quota = np.floor(wanted + TINY).astype(np.int64)
        total = int(np.floor(wanted.sum() + TINY + stream.random()))
        quota[stream.permutation(len(sizes))[: total - int(quota.sum())]] += 1
        return quota

    def _trade_records(self, streams: Streams) -> Trades:
        """Choose the units at risk, and then others by risk until enough have traded."""
        trades = Trades.none(self.units.count)
        (counts,), (must,) = self.counts, self.must
        half = self.method.swap_rate * self.units.count / 2.0
        wanted = int(np.floor(half + streams.stream("rounding").random()))
        priorities = draw_priorities(streams.stream("drawn"), counts)
        order = np.lexsort((priorities, must))[::-1]
        profiles = UnitProfiles.of(
            self.classes, draw_priorities(streams.stream("partners"), counts)
        )
        turns = streams.stream("turns").permutation(int(self.contents.max(initial=-1)) + 1)
        contents, none = turns[self.contents], np.zeros(len(turns), np.int64)
        done, least = 0, int(must.sum())
        while True:
            free = order[(trades.partner[order] < 0) & ~trades.failures[order]]
            chosen = np.zeros(self.units.count, np.bool_)
            chosen[free[: max(wanted - done, least)]] = True
            if not chosen.any():
                return trades
            queue = Areas.in_order(contents, order, none)
            done += trade_between_areas(queue, chosen, profiles, trades)
            least = 0


def find_levels(method: RecordSwap, data: Microdata) -> tuple[str, ...]:
    """The levels of the place, large to small: those given, or the columns with that role."""
    if method.hierarchy is not None:
        return method.hierarchy
    places = [
        v for v in data.variables if v.role is Role.PLACE and v.name not in (method.columns or ())
    ]
    sizes = {v.name: _count_values(v) for v in places}
    return tuple(sorted(sizes, key=lambda name: sizes[name]))


def _count_values(variable: Variable) -> int:
    return int(number_combinations([variable.values], len(variable.values)).max(initial=-1)) + 1


def draw_priorities(stream: np.random.Generator, counts: Ints) -> Floats:
    """Random numbers, of which the larger is the likelier taken first, in proportion to risk."""
    return 1.0 / (counts * stream.standard_exponential(len(counts)))


def check_names(method: RecordSwap, data: Microdata) -> None:
    """Refuse columns that are not there, and a table in which nothing could trade."""
    data.require_names(method.hierarchy or (), "record-swap: `hierarchy`")
    data.require_names(method.columns or (), "record-swap: `columns`")
    problems = list_unknown(method, (*data.names, *(v.name for v in data.context)))
    if not SwapPlan.of(method, data).moved_columns:
        problems.append(
            "record-swap: nothing would trade, because no column has the role place. Give the "
            "levels of the place that role (or name them in `hierarchy`), or name in `columns` "
            "what should trade."
        )
    if problems:
        raise SchemaError(problems)


def list_unknown(method: RecordSwap, visible: Collection[str]) -> list[str]:
    """Say what is wrong with the columns that the method only looks at."""
    wanted = {"risk": method.risk or (), "similar": method.profile_columns}
    return [
        f"record-swap: `{parameter}`: no column {name!r}{did_you_mean(name, visible)}"
        for parameter, names in wanted.items()
        for name in dict.fromkeys(names)
        if name not in visible
    ]


def check_table(method: RecordSwap, data: Microdata) -> None:
    """Refuse places that are not nested, units that are not whole, and a single area."""
    plan = SwapPlan.of(method, data)
    problems = [*_find_mixed_units(plan), *_find_unnested(plan)]
    if problems:
        raise SchemaError(problems)
    if int(plan.contents.max(initial=-1)) < 1:
        what = f"in the same area of {plan.levels[-1]!r}" if plan.levels else "alike in `columns`"
        raise TableError(
            f"record-swap: all {plan.units.count} {plan.unit}s are {what}; nobody could trade."
        )


def _find_mixed_units(plan: SwapPlan) -> Iterator[str]:
    """Units whose rows differ in what is said about the unit."""
    uses = dict.fromkeys(plan.method.profile_columns, "partners agree in") | dict.fromkeys(
        plan.moved_columns, "moves with"
    )
    for name, use in uses.items():
        mixed = plan.units.count_mixed(plan.find(name).values)
        if mixed:
            yield _say_mixed(plan, name, mixed, use)
    mixed = plan.units.count_mixed(plan.data.strata)
    if mixed:
        yield (
            f"record-swap: {count(mixed, plan.unit)} {_have(mixed)} rows in several strata; a "
            f"{plan.unit} trades as one. Use strata that hold whole {plan.unit}s."
        )


def _say_mixed(plan: SwapPlan, name: str, mixed: int, use: str) -> str:
    if name in plan.levels:
        return (
            f"record-swap: {count(mixed, plan.unit)} {_have(mixed)} rows in several areas of "
            f"{name!r}; a {plan.unit} has one place. Correct them, or check the column of the "
            f"role {plan.unit}."
        )
    what = "`similar`" if use == "partners agree in" else "`columns`"
    return (
        f"record-swap: {what}: {name!r} differs inside {count(mixed, plan.unit)}; only what is the "
        f"same for a whole {plan.unit} will do. Leave it out, or use a column that is."
    )


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _find_unnested(plan: SwapPlan) -> Iterator[str]:
    """Levels whose areas lie in several areas of the level above."""
    first = plan.units.first
    for level in range(1, len(plan.levels)):
        larger, smaller = plan.levels[level - 1], plan.levels[level]
        variable = plan.find(smaller)
        present = first[~variable.missing[first]]
        if not len(present):
            continue
        areas = number_combinations([variable.values[present]], len(present))
        above = [plan.find(name).values[present] for name in plan.levels[:level]]
        pairs = number_combinations([areas, *above], len(present))
        parents = np.bincount(areas[np.unique(pairs, return_index=True)[1]])
        several = int((parents > 1).sum())
        if several:
            yield (
                f"record-swap: {several} of {len(parents)} areas of {smaller!r} lie in several "
                f"areas of {larger!r}; each must lie in one. Name the levels in `hierarchy` from "
                "large to small, or make their codes unique."
            )


TRIES = 8
"""So often the intruder tries the method out, to learn who trades."""
FINE = 16
"""Up to this many people who are alike, each count is told apart; larger ones by powers of two."""


def attack_trades(method: RecordSwap, seen: Evidence) -> tuple[Likelihood, ...]:
    """One piece for all that trades as one, as far as the intruder knows it.

    Columns of the rule that they do not know are left out of it.
    """
    plan = SwapPlan.of(_restrict(method, seen.people), seen.people)
    if not plan.moved_columns:
        return ()
    codes = seen.code(*plan.moved_columns)
    doubt = DOUBT if seen.complete else UNSURE
    of = plan.units.of_row
    piece = KeptOrTraded(
        plan.moved_columns, codes, plan.classes[0][of], _learn_who_stays(plan)[of],
        1.0 / plan.counts[-1][of], doubt=doubt,
    )  # fmt: skip
    return (piece,)


def _restrict(method: RecordSwap, people: Microdata) -> RecordSwap:
    """The method as far as its columns are known."""
    visible = {*people.names, *(v.name for v in people.context)}

    def keep(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if name in visible)

    return replace(
        method,
        hierarchy=None if method.hierarchy is None else keep(method.hierarchy) or None,
        columns=None if method.columns is None else keep(method.columns) or None,
        risk=None if method.risk is None else keep(method.risk),
        similar=None if method.similar is None else tuple(map(keep, method.similar)),
    )


def _learn_who_stays(plan: SwapPlan) -> Floats:
    """The probability that each unit keeps what it has, from trying the method out.

    It depends on how rare the unit is, level by level; units that are as rare stay as often.
    """
    tries = [plan.trade(ATTACK.within("record-swap", number)) for number in range(TRIES)]
    stayed = np.mean([trades.partner < 0 for trades in tries], axis=0)
    rarity = number_combinations([_coarsen(counts) for counts in plan.counts], plan.units.count)
    return (np.bincount(rarity, stayed) / np.bincount(rarity))[rarity]


def _coarsen(counts: Ints) -> Ints:
    return np.where(counts <= FINE, counts, FINE + np.log2(counts).astype(np.int64))
