"""Rank swapping (Moore 1996), p-distribution and p-buckets (Nin, Herranz and Torra 2008)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.parallel import Workers
from swapmeet.base.params import Fraction, Number, OneOf, Optional, Tries
from swapmeet.base.quantiles import places_in
from swapmeet.base.seeds import Streams
from swapmeet.errors import ParameterError, TableError
from swapmeet.intruders.evidence import ATTACK, Evidence, Likelihood, PeopleRanks, RankMoves
from swapmeet.methods.base import Method
from swapmeet.methods.description import (
    REAL_VALUES,
    Description,
    PublicSetting,
    describe_use,
    floor_share,
)
from swapmeet.methods.ordered_levels import (
    SIMILAR,
    OrderOfLevels,
    describe_order,
    order_known_levels,
    order_levels,
)
from swapmeet.release.donors import MADE, DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from swapmeet.algorithms.groups.by_value import Ranks


WINDOW = 0.15
"""The window where none is given."""
FEWEST = 2
"""A window that holds fewer rows leaves every value where it is."""
RANDOM = "random"
"""Rank of equal values, unless the order of the rows decides."""
TRIED = 20_000
"""An intruder tries a column out until about so many ranks have moved."""

CAUTIONS = (
    (
        "The window is a promise that an intruder can use: the true value is within it for "
        "sure, in every column, and the intersection over columns may hold one person "
        "only. The variants distribution and buckets do not keep within it."
    ),
    (
        "Values trade two by two: where a column has unique values, an intruder who knows "
        "everybody sees who traded with whom, and may find nearly all people, however wide "
        "the window."
    ),
    REAL_VALUES,
)
ROW_ORDER = (
    "Equal values are ranked by row, so someone who knows the order of the rows knows which of "
    "them cannot have changed. Random ties reveal nothing."
)


@dataclass(frozen=True, kw_only=True)
class RankSwap(Method):
    """A value trades places with one of nearly the same rank, column by column.

    The values of a column are ranked (in each stratum), equal ones in random order. From the
    largest down, each value that has not traded picks a partner that has not, fewer than `window`
    times the number of rows below it, all with the same probability. A wider window hides more and
    weakens correlations more; means and all else about single columns stay exactly as they are.
    Instead of the window one can say what must be left: at least about the share `correlation` of
    any correlation, or means of subsets within the factor `mean`. Each column then gets the window
    that its spread allows (Moore's rules, for values that are evenly spread).

    A window is a promise that an intruder can use: the true value is near for sure. `variant`
    distribution draws the distance in ranks from a normal law whose mean and standard deviation
    are half the window, and trades with the nearest value that has not; buckets cuts the ranks
    into buckets as large as the window and trades with a random value of the same bucket with
    probability 1/2, of the next one with 1/4, and so on. Neither keeps within the window.

    `top` and `bottom` are shares of the rows whose values become their mean instead of trading, so
    that extremes vanish; only then are values made. Ordinal columns get their lower median.

    Nominal columns are ranked by the `order` of their levels, rows of a level at random: similar
    levels side by side, so that a value mostly trades with a similar one, or the most frequent
    first. They have no extremes: `top` and `bottom` leave them alone. An order of your own is that
    of an ordinal column (ordered categories, or numbers).

    Departures: sdcMicro breaks ties by row number, which shows someone who knows the order of the
    rows who may have traded; ours are random, or with `ties` order as there. The distance of
    p-distribution is read as N(p/2, p/2) in absolute value and at least 1, since all smaller ranks
    have traded; p-buckets leaves out buckets in which all have. The RWN paper ranks categories by
    codes in a meaningful order (9.1.2) and misses a rank swapping for mixed tables (4.2); here the
    order is found in the data.

    Reference: Moore (1996); Nin, Herranz, Torra (2008).

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes")[["age", "bmi", "bp"]]
    >>> release = sm.mask(people, sm.RankSwap(window=0.1), seed=1)
    >>> sorted(release.data["bmi"]) == sorted(people["bmi"])
    True
    """

    name = "rank-swap"
    title = "rank swapping"
    summary = "each value trades with one of nearly the same rank in its column"
    remedy = "A wider window lets a column change more."

    window: Annotated[
        float | None,
        Optional(Fraction(above=True)),
        f"partners are nearer in rank than this share of the rows (default {WINDOW})",
        Tries(0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8),
    ] = None
    correlation: Annotated[
        float | None,
        Optional(Fraction()),
        "instead of window: at least about this share of any correlation is left",
    ] = None
    mean: Annotated[
        float | None,
        Optional(Number(above=True)),
        "instead of window: the mean of any s rows moves by at most about 2 * mean / sqrt(s) of "
        "itself",
    ] = None
    top: Annotated[float, Fraction(), "share of the rows, the highest, that get their mean"] = 0.0
    bottom: Annotated[float, Fraction(), "share of the rows, the lowest, that get their mean"] = 0.0
    variant: Annotated[
        str,
        OneOf(("window", "distribution", "buckets")),
        "partners are drawn inside the window, at a normal distance, or from buckets of ranks",
        Tries("window", "distribution"),
    ] = "window"
    order: OrderOfLevels = SIMILAR
    ties: Annotated[
        str,
        OneOf((RANDOM, "order")),
        "equal values are ranked at random, or in the order of their rows as sdcMicro does",
    ] = RANDOM

    @property
    def description(self) -> Description:
        people = (
            "A value trades places with that of another person who has the same or a similar one, "
            "column by column."
        )
        if self.makes_values:
            people += " The most extreme numbers are replaced by their average."
        return Description(
            title=self.title,
            people=people,
            analysts="Each column has the values it had, apart from extremes that were averaged."
            if self.makes_values
            else "Each column has exactly the values it had.",
            settings=(
                PublicSetting("the highest values became their mean", describe_use(self.top)),
                PublicSetting("the lowest values became their mean", describe_use(self.bottom)),
            ),
            cautions=CAUTIONS if self.ties == RANDOM else (*CAUTIONS, ROW_ORDER),
        )

    @property
    def makes_values(self) -> bool:
        return bool(self.top or self.bottom)

    def __post_init__(self) -> None:
        super().__post_init__()
        ways = {"window": self.window, "correlation": self.correlation, "mean": self.mean}
        given = [f"`{way}`" for way, value in ways.items() if value is not None]
        if len(given) > 1:
            raise ParameterError(f"rank-swap: {' and '.join(given)} exclude each other; give one.")
        if self.correlation == 1.0:
            raise ParameterError("rank-swap: `correlation` must be below 1; at 1 nothing can move.")
        if self.top + self.bottom >= 1.0:
            raise ParameterError(
                "rank-swap: `top` and `bottom` must leave rows to trade: together less than 1; "
                f"got {self.top:g} and {self.bottom:g}."
            )

    def check(self, data: Microdata) -> None:
        super().check(data)
        self._require_room(data)
        if self.top or self.bottom or self._has_target:
            data.require_finite()

    def strengthen(self, times: float) -> Method | None:
        """With a wider window; one that follows from `correlation` or `mean` gives way to it."""
        window = min(times * (self.window or WINDOW), 1.0)
        wider = replace(self, window=window, correlation=None, mean=None)
        return None if wider == self else wider

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        matrix = np.empty((len(data.variables), data.n), np.int64).T
        made: dict[str, Floats] = {}
        stuck: dict[str, Ints] = {}
        ordered = order_levels(data, self.order).variables

        def some_columns(begin: int, end: int) -> None:
            for number in range(begin, end):
                name = data.names[number]
                column = self._swap(ordered[number], data.strata, streams)
                matrix[:, number], stuck[name] = column.donors, np.sort(column.stuck)
                if column.made is not None:
                    made[name] = column.made

        workers.each(some_columns, len(data.variables), size=1, label="columns")
        return Outcome(
            DonorMap(matrix),
            made={name: made[name] for name in data.names if name in made},
            stuck={name: stuck[name] for name in data.names if len(stuck[name])},
            facts=describe_order(data, self.order),
        )

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """Ranks move as they do when the swap is tried out; and values trade two by two.

        Where ties are ranked by row, someone who knows everybody is assumed to know the order of
        the rows too, though the release does not show it, and so the rank of each of those who are
        tied.
        """
        if self.ties != RANDOM and not seen.everybody:
            return replace(self, ties=RANDOM).attack(seen)
        ordered = order_known_levels(seen, self.order)
        return tuple(self._attack(ordered, name) for name in ordered.names)

    def _attack(self, seen: Evidence, name: str) -> Likelihood:
        people, rows = seen.people, seen.released
        own, released = people[name].values, rows[name].values
        ranks = PeopleRanks(own, people.strata)
        before, after = (ranks.find(own, people.strata), ranks.find(released, rows.strata))
        donors, tries = self._try_out(people[name], people.strata, ranks, before)
        if self.ties == RANDOM:
            return RankMoves.of((name,), before, after, tries, seen.code(name))
        exact = self._place(people[name], people.strata)
        givers = np.where(donors >= 0, exact[donors % len(exact)], tries)
        return RankMoves.of((name,), exact, after, tries, seen.code(name), givers=givers)

    def _try_out(
        self, variable: Variable, strata: ShortInts, ranks: PeopleRanks, before: Floats
    ) -> tuple[Ints, Floats]:
        """Donors of people's values, and the ranks of these, row by row, time and again."""
        n = len(strata)
        times, count = -(-TRIED // n), int(strata.max()) + 1
        again = replace(variable, values=np.tile(variable.values, times), whole=variable.statistics)
        apart = np.tile(strata, times) + np.repeat(np.arange(times), n) * count
        swapped = self._swap(again, apart, ATTACK)
        donor_ranks = before[swapped.donors % n]
        if swapped.made is not None:
            made = np.flatnonzero(swapped.donors == MADE)
            donor_ranks[made] = ranks.find(swapped.made[made], strata[made % n])
        return swapped.donors, donor_ranks

    def _place(self, variable: Variable, strata: ShortInts) -> Floats:
        """The rank of each row, as a share of its stratum from the lowest up, ties by row."""
        ranks, _, _ = self._rank(variable, strata, ATTACK)
        from_above = np.arange(len(ranks.order)) - np.repeat(ranks.begins, ranks.sizes)
        places = np.full(len(strata), np.nan)
        places[ranks.order] = 1.0 - (from_above + 0.5) / np.repeat(ranks.sizes, ranks.sizes)
        return places

    def _require_room(self, data: Microdata) -> None:
        window, largest = self.window or WINDOW, int(np.bincount(data.strata).max())
        if (
            self.variant == "window"
            and not self._has_target
            and floor_share(window, largest) < FEWEST
        ):
            raise TableError(
                f"rank-swap: a window must hold at least {FEWEST} rows, or nothing trades; "
                f"{window:g} of the {largest} rows of the largest stratum are fewer. "
                "Widen `window`, or merge strata."
            )

    @property
    def _has_target(self) -> bool:
        return self.correlation is not None or self.mean is not None

    def _swap(self, variable: Variable, strata: ShortInts, streams: Streams) -> SwappedColumn:
        ranks, begins, ends = self._rank(variable, strata, streams)
        partners = self._partners(ranks, begins, ends, streams, variable.name)
        donors = np.arange(len(variable.values))
        donors[ranks.order] = ranks.order[partners]
        inner = places_in(begins, ends)
        stuck = ranks.order[inner[partners[inner] == inner]]
        if not self.makes_values or variable.levels:
            return SwappedColumn(donors, stuck)
        tails = np.concatenate([ranks.begins, ends]), np.concatenate([begins, ranks.ends])
        return level_tails(variable, ranks, *tails, SwappedColumn(donors, stuck))

    def _rank(
        self, variable: Variable, strata: ShortInts, streams: Streams
    ) -> tuple[Ranks, Ints, Ints]:
        """The rows by rank, and between which places those that trade are in each stratum.

        By row, the last of equal values comes first in the tails and last among those who trade,
        as sdcMicro sorts them.
        """
        from swapmeet.algorithms.groups.by_value import rank_rows, reverse_ties

        def draw(n: int) -> Ints:
            return streams.random_bits(n, "ties", variable.name)

        ranks = rank_rows(variable.values, strata, draw if self.ties == RANDOM else None)
        top, bottom = (0.0, 0.0) if variable.levels else (self.top, self.bottom)
        begins = ranks.begins + _floor_shares(top, ranks.sizes)
        ends = ranks.ends - _floor_shares(bottom, ranks.sizes)
        return (ranks if self.ties == RANDOM else reverse_ties(ranks, begins, ends)), begins, ends

    def _partners(
        self, ranks: Ranks, begins: Ints, ends: Ints, streams: Streams, name: str
    ) -> Ints:
        """The place that each place trades with."""
        n, sizes = len(ranks.order), ends - begins
        if self.variant == "window":
            from swapmeet.methods.rank_swap.trades import trade_in_window

            reaches = self._reaches(ranks, begins, ends)
            return trade_in_window(begins, ends, reaches, streams.random_bits(n, "partners", name))
        windows = self._windows(ranks, begins, ends)
        if self.variant == "distribution":
            from swapmeet.methods.rank_swap.trades import trade_by_jump

            halves = np.repeat(windows * sizes / 2.0, ranks.sizes)
            return trade_by_jump(begins, ends, _draw_jumps(halves, streams, name))
        from swapmeet.methods.rank_swap.trades import trade_by_bucket

        choices, words = (streams.random_bits(n, label, name) for label in ("buckets", "partners"))
        return trade_by_bucket(begins, ends, _count_buckets(windows, sizes), choices, words)

    def _reaches(self, ranks: Ranks, begins: Ints, ends: Ints) -> Ints:
        """Return how far ahead partners are sought, exactly where the window is given."""
        sizes = ends - begins
        if self._has_target:
            return np.floor(self._windows(ranks, begins, ends) * sizes).astype(np.int64)
        return _floor_shares(self.window or WINDOW, sizes)

    def _windows(self, ranks: Ranks, begins: Ints, ends: Ints) -> Floats:
        """The window of each stratum."""
        from swapmeet.methods.rank_swap.trades import windows_by_correlation, windows_by_mean

        if self.correlation is not None:
            return windows_by_correlation(ranks, begins, ends, self.correlation)
        if self.mean is not None:
            return windows_by_mean(ranks, begins, ends, self.mean)
        return np.full(len(begins), self.window or WINDOW)


def _draw_jumps(halves: Floats, streams: Streams, name: str) -> Ints:
    """Distances in ranks: |N(half, half)| in whole numbers, at least 1."""
    normal = streams.normal(len(halves), "distances", name)
    return np.maximum(np.rint(np.abs(halves * (1.0 + normal))), 1.0).astype(np.int64)


def _count_buckets(windows: Floats, sizes: Ints) -> Ints:
    """The number of buckets about as large as the window, of two places or more."""
    most = np.maximum(sizes // FEWEST, 1)
    with np.errstate(divide="ignore"):
        return np.clip(np.rint(1.0 / windows), 1, most).astype(np.int64)


def _floor_shares(share: float, sizes: Ints) -> Ints:
    """The share of each size, rounded down."""
    distinct, which = np.unique(sizes, return_inverse=True)
    return np.array([floor_share(share, int(size)) for size in distinct], np.int64)[which]


class SwappedColumn(NamedTuple):
    """Say what became of a column."""

    donors: Ints
    stuck: Ints
    made: Floats | None = None


def level_tails(
    variable: Variable, ranks: Ranks, begins: Ints, ends: Ints, swapped: SwappedColumn
) -> SwappedColumn:
    """The rows of each tail get their mean or, if ordinal, their lower median; one alone stays."""
    from swapmeet.algorithms.groups.by_value import means_in

    sizes = ends - begins
    stuck = np.concatenate([swapped.stuck, ranks.order[begins[sizes == 1]]])
    begins, ends, sizes = begins[sizes > 1], ends[sizes > 1], sizes[sizes > 1]
    rows = ranks.order[places_in(begins, ends)]
    if variable.kind is Kind.ORDINAL:
        swapped.donors[rows] = np.repeat(ranks.order[begins + sizes // 2], sizes)
        return swapped._replace(stuck=stuck)
    swapped.donors[rows] = MADE
    made = variable.values.copy()
    made[rows] = np.repeat(means_in(ranks.values, begins, ends), sizes)
    return swapped._replace(stuck=stuck, made=made if len(rows) else None)
