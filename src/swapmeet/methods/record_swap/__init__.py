"""Record swapping: records, or whole households, trade places, as census offices have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from swapmeet.base.parallel import Workers
from swapmeet.base.params import Count, Domain, Fraction, Names, Optional, Tries
from swapmeet.base.seeds import Streams
from swapmeet.errors import ParameterError, SchemaError
from swapmeet.intruders.evidence import Evidence, Likelihood
from swapmeet.methods.base import Method
from swapmeet.methods.description import Description, PublicSetting, describe_chance, describe_count
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.role import Role
from swapmeet.tables.schema import Column, Schema


@dataclass(frozen=True)
class Profiles(Domain):
    """Lists of columns, in order of preference.

    >>> Profiles().parse("size, type; size")
    (('size', 'type'), ('size',))
    """

    @property
    def rule(self) -> str:
        return (
            "be names of columns, or lists of them in order of preference; as a text, columns with "
            "commas and lists with semicolons, such as 'size,type;size'"
        )

    def convert(self, value: Any) -> tuple[tuple[str, ...], ...]:
        if isinstance(value, str):
            raise ValueError
        profiles = tuple(value)
        if profiles and all(isinstance(name, str) for name in profiles):
            profiles = (profiles,)
        if not profiles:
            raise ValueError
        return tuple(_convert_names(profile) for profile in profiles)

    def parse(self, text: str) -> tuple[tuple[str, ...], ...]:
        return self.convert([_parse_names(profile) for profile in text.split(";")])


@dataclass(frozen=True)
class NamesOrNone(Domain):
    """Names of columns, each once, or none at all."""

    @property
    def rule(self) -> str:
        return "be names of columns, each once, or an empty list"

    def convert(self, value: Any) -> tuple[str, ...]:
        return _convert_names(value)

    def parse(self, text: str) -> tuple[str, ...]:
        return _convert_names(_parse_names(text))


def _convert_names(value: Any) -> tuple[str, ...]:
    names = tuple(value)
    return Names().convert(names) if names or isinstance(value, str) else ()


def _parse_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")] if text.strip() else []


CAUTIONS = (
    (
        "Most records stay where they are, and nothing but the place (or the columns named) of "
        "the others changes. Someone who knows the other columns finds people by them."
    ),
    (
        "An intruder who knows the rule knows who is rare enough to trade for certain, and that "
        "everybody else mostly did not."
    ),
    "Records without a partner stay; the notes count them.",
)


@dataclass(frozen=True, kw_only=True)
class RecordSwap(Method):
    """Records at risk, and some others, trade places with records that are like them.

    *Targeted* swapping, if there is a hierarchy of places (given, or columns with the role place):
    a household with a person of whom there are fewer than `k` in their area, by the `risk` columns,
    trades its place with a household of another area of that level, which agrees with it in the
    first of the `similar` profiles that anybody does. Then others, drawn by risk, until a share
    of `swap_rate` of each smallest area has traded. All levels of the place move as one, and the
    household's `columns` with them; everything else stays. So each area has as many households as
    it had, and as many of each profile that was agreed in. Without the role household, each row is
    its own.

    *Basic* swapping, without a place: records of which there are fewer than `k`, and others by
    risk up to the share, trade their `columns` with a record that agrees in a profile and differs
    in them.

    References: Dalenius, Reiss (1982); the method of the European census guidelines, as in
    sdcMicro's recordSwap.

    >>> import warnings
    >>> import swapmeet as sm
    >>> method = sm.RecordSwap(columns=["religious", "affairs"], similar=["children"])
    >>> with warnings.catch_warnings(action="ignore"):
    ...     release = sm.mask(sm.datasets.load("fair"), method, seed=1)
    >>> [change.name for change in release.changes if change.moved]
    ['religious', 'affairs']
    """

    name = "record-swap"
    title = "record swapping"
    summary = "risky households, and some others, trade places with similar ones"
    moves_units = True  # households are what trades
    needs_all_rows = True  # only they show who is rare, and who is elsewhere
    leaves = (
        "All columns stay as they are, except places and the columns that are named to trade. "
        "Someone who knows them finds people by them."
    )
    remedy = "A larger k or swap_rate, or wider profiles, let more records trade."
    grows = ("k", "swap_rate")

    hierarchy: Annotated[
        tuple[str, ...] | None,
        Optional(Names()),
        "the levels of the place, large to small (default: the columns with the role place)",
    ] = None
    similar: Annotated[
        tuple[tuple[str, ...], ...] | None,
        Optional(Profiles()),
        "columns in which partners agree, as lists in order of preference, such as "
        "'size,type;size' (default: households of the same size)",
    ] = None
    risk: Annotated[
        tuple[str, ...] | None,
        Optional(NamesOrNone()),
        "columns that make a person rare (default: the keys that do not move with a place; empty: "
        "everybody is as rare)",
    ] = None
    k: Annotated[
        int,
        Count(0),
        "a person who shares the risk columns with fewer people than this, themselves included, "
        "trades",
        Tries(0, 2, 3, 5, 10),
    ] = 3
    swap_rate: Annotated[
        float,
        Fraction(),
        "share of the records or households of an area that trade at least",
        Tries(0.05, 0.1, 0.2, 0.5),
    ] = 0.05
    columns: Annotated[
        tuple[str, ...] | None,
        Optional(Names()),
        "columns that move with the place; without a place, those that trade",
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k <= 1 and self.swap_rate == 0.0:
            raise ParameterError(
                f"record-swap: with `k` = {self.k} and `swap_rate` = 0 nobody would trade; raise "
                "one of them."
            )
        twice = sorted(set(self.hierarchy or ()) & set(self.columns or ()))
        if twice:
            raise ParameterError(
                f"record-swap: {', '.join(map(repr, twice))} is in `hierarchy` and in `columns`; "
                "the levels of the place move anyway."
            )

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people="Households or people who are rare where they live, and some others by lot, "
            "trade the place that is stated for them, or a few other values, with somebody like "
            "them elsewhere. All other values are released as they are.",
            analysts="Each column has exactly the values it had. Relations among the columns that "
            "do not trade, and among those that trade as one, are exact; relations between the two "
            "are weakened as far as records trade.",
            settings=self._public_settings(),
            cautions=CAUTIONS,
        )

    def _public_settings(self) -> tuple[PublicSetting, ...]:
        rate = PublicSetting("records drawn to trade", describe_chance(self.swap_rate))
        if self.k <= 1:
            return (rate,)
        return (PublicSetting("people who are alike, to be common", describe_count(self.k)), rate)

    def masks(self, column: Column) -> bool:
        named = column.name in (*(self.hierarchy or ()), *(self.columns or ()))
        return column.role.masked and (named or column.role is Role.PLACE)

    def find_context(self, schema: Schema) -> tuple[str, ...]:
        from swapmeet.methods.record_swap.plan import list_unknown

        problems = list_unknown(self, schema.names)
        if problems:
            raise SchemaError(problems)
        kept = schema.having(Role.KEEP)
        return tuple(dict.fromkeys([*(self.risk or ()), *self.profile_columns, *kept]))

    @property
    def profile_columns(self) -> tuple[str, ...]:
        """The columns of all profiles."""
        return tuple(name for profile in self.similar or () for name in profile)

    def check(self, data: Microdata) -> None:
        from swapmeet.methods.record_swap.plan import check_names, check_table

        check_names(self, data)
        check_table(self, data)

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """Evidence that a traded value comes from somebody similar elsewhere, or is their own."""
        from swapmeet.methods.record_swap.plan import attack_trades

        return attack_trades(self, seen)

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:  # noqa: ARG002
        from swapmeet.methods.record_swap.notes import list_facts, list_notes
        from swapmeet.methods.record_swap.plan import SwapPlan

        plan = SwapPlan.of(self, data)
        trades = plan.trade(streams)
        moved = plan.moved_columns
        donors = DonorMap.identity(data.n, len(data.variables)).matrix
        own = np.arange(plan.units.count)
        givers = np.where(trades.partner < 0, own, trades.partner)
        donors[:, [data.names.index(name) for name in moved]] = plan.units.spread(givers)[:, None]
        stuck = np.flatnonzero((trades.failures & (trades.partner < 0))[plan.units.of_row])
        return Outcome(
            DonorMap(donors),
            stuck=dict.fromkeys(moved, stuck) if len(stuck) else {},
            facts=tuple(list_facts(plan, trades)),
            notes=tuple(list_notes(plan, trades)),
        )
