"""The steps that raise protection, from mild to harsh."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.errors import InputError
from swapmeet.methods.rwn import RWN
from swapmeet.protecting.partners import add_partners, spread_to_units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.core.base.arrays import Ints
    from swapmeet.core.base.seeds import Seed
    from swapmeet.core.release.outcome import Outcome
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.engines.local.engine import Local
    from swapmeet.methods import Method
    from swapmeet.protecting.treatment import Treatment

STRONGER = (2, 4, 8)
"""How many times as far values travel, step by step, by settings of the method itself."""
APART = (20, 60)
"""Then each value is drawn by itself from so many near rows."""
PARTNERS = 5
"""Near rows that each exposed row is joined by, for each time that values travel farther."""


class Room(NamedTuple):
    """The tools of a step: the engine, the seed, and what the intruder knows.

    Nobody may be told by a chance above `limit`: a treatment that shows is shared by so many rows.
    """

    engine: Local
    seed: Seed
    known: tuple[str, ...]
    limit: float


@dataclass(frozen=True)
class Step(ABC):
    """One way to raise the protection of some rows."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The description of the step, for everybody."""

    @abstractmethod
    def apply(self, so_far: Treatment, rows: Ints, people: Ints, room: Room) -> Treatment | None:
        """The treatment with this step for some rows; None where it can do nothing."""


@dataclass(frozen=True)
class TradeAgain(Step):
    """Exposed rows and near others trade once more, by a method whose values travel farther."""

    method: Method
    times: int
    way: str

    @property
    def words(self) -> str:
        return self.way

    def apply(self, so_far: Treatment, rows: Ints, people: Ints, room: Room) -> Treatment | None:
        data, rows = so_far.data, spread_to_units(so_far.data, rows)
        partners = PARTNERS * self.times
        while True:
            joined = add_partners(data, rows, partners)
            done = self._try(so_far, joined, rows, people, room)
            if done is not None or len(joined) == data.n or partners > data.n:
                return done or self._try_strata(so_far, rows, people, room)
            partners *= 4

    def _try(
        self, so_far: Treatment, joined: Ints, rows: Ints, people: Ints, room: Room
    ) -> Treatment | None:
        part = self._run(so_far.data, joined, room)
        if part is None:
            return None
        return so_far.trade(self.method, part, joined, np.isin(joined, rows), people)

    def _try_strata(
        self, so_far: Treatment, rows: Ints, people: Ints, room: Room
    ) -> Treatment | None:
        """Stratum by stratum, where one of them has too few rows for the method."""
        done: Treatment | None = None
        strata = so_far.data.strata
        for number in np.unique(strata[rows]).tolist():
            some = rows[strata[rows] == number]
            everybody = np.flatnonzero(strata == number)
            part = self._run(so_far.data, everybody, room) if len(everybody) > 1 else None
            if part is not None:
                now, chosen = done or so_far, np.isin(everybody, some)
                done = now.trade(self.method, part, everybody, chosen, people)
        return done

    def _run(self, data: Microdata, rows: Ints, room: Room) -> Outcome | None:
        try:
            return room.engine.run(self.method, data.block(rows), room.seed)
        except InputError:
            return None


@dataclass(frozen=True)
class SuppressCells(Step):
    """Cells of exposed rows are taken out of the release.

    That they are gone shows. Where fewer rows would show it than one over the limit, random others
    of the stratum lose the same cells, so that the gap alone tells nobody from the rest.
    """

    names: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"cells suppressed in {len(self.names)} column{'s'[: len(self.names) > 1]}"

    def apply(self, so_far: Treatment, rows: Ints, people: Ints, room: Room) -> Treatment | None:
        rows = spread_to_units(so_far.data, rows)
        least = ceil(1.0 / max(room.limit, 1.0 / so_far.data.n))
        hidden = [rows, *_list_decoys(so_far.data, rows, least, room.seed)]
        return so_far.suppress(np.unique(np.concatenate(hidden)), self.names, people)


def _list_decoys(data: Microdata, rows: Ints, least: int, seed: Seed) -> Iterator[Ints]:
    """Random rows, whole units of them, of strata in which fewer than `least` would be hidden."""
    for stratum in np.unique(data.strata[rows]).tolist():
        there = np.flatnonzero(data.strata == stratum)
        hidden = np.isin(there, rows)
        free, lacking = there[~hidden], least - int(hidden.sum())
        if lacking > 0 and len(free):
            drawn = seed.stream("decoys", stratum).permutation(free)[:lacking]
            yield spread_to_units(data, np.sort(drawn))


def list_steps(method: Method, data: Microdata, known: tuple[str, ...]) -> list[Step]:
    """The steps, from mild to harsh: stronger trades, every column apart, suppression."""
    steps: list[Step] = []
    for times in STRONGER:
        stronger = method.strengthen(times)
        if stronger is not None and stronger not in [one.method for one in steps]:  # type: ignore[attr-defined]
            words = f"traded again by {method.name} with settings {times} times as strong"
            steps.append(TradeAgain(stronger, times, words))
    for k in APART:
        words = f"every column drawn apart from {k} near rows"
        steps.append(TradeAgain(RWN(k=k, weights=0.1), k // PARTNERS, words))
    return [*steps, *_list_suppressions(data, known)]


def _list_suppressions(data: Microdata, known: tuple[str, ...]) -> Iterator[SuppressCells]:
    """The half of what the intruder knows that tells most; all of it; all that was masked."""
    telling = sorted(
        (name for name in data.names if name in known),
        key=lambda name: -len(np.unique(data[name].values)),
    )
    tried: list[tuple[str, ...]] = []
    for names in (telling[: ceil(len(telling) / 2)], telling, data.names):
        whole = _complete_sets(data, names)
        if whole and whole not in tried:
            tried.append(whole)
            yield SuppressCells(whole)


def _complete_sets(data: Microdata, names: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """The columns with all that move with them as one, in the order of the table."""
    sets = [one for one in data.together if set(one) & set(names)]
    wanted = {*names, *(name for one in sets for name in one)}
    return tuple(name for name in data.names if name in wanted)
