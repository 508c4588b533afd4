"""Whole households trade: the values of all members come from one household, column by column.

A method sees one row per household, with the values of members side by side, and households trade
with those of the same size, whose members have the same positions. Households that have too few
like them trade level by level, among themselves: one that trades in one of the two ways gives no
value to one that trades in the other, so that each way releases the values it was given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.notes import merge_notes
from swapmeet.base.sentences import count
from swapmeet.errors import InputError, SchemaError, TableError
from swapmeet.release.donors import DonorMap, to_table_rows
from swapmeet.release.outcome import Outcome
from swapmeet.tables.units import HouseholdType, list_household_types

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.base.arrays import Ints
    from swapmeet.base.seeds import Seed
    from swapmeet.engines.units import Run
    from swapmeet.methods import Method
    from swapmeet.tables.microdata import Microdata

    RunSome = Callable[[Ints], Outcome]
    """What runs a method level by level on some rows, as if they were the table."""

LENT = 0.5
"""The most frequent type gives up no more than this share of its households for the others."""


def run_whole(method: Method, data: Microdata, seed: Seed, run: Run, run_some: RunSome) -> Outcome:
    """Mask households that trade as wholes; `run_some` masks those that cannot."""
    if method.makes_values:
        raise SchemaError([_MAKES.format(name=method.name)])
    parts: list[_Part] = []
    alone: list[Ints] = []
    refusals: list[InputError] = []
    for number, kind in enumerate(list_household_types(data)):
        part = _Part(kind, seed.derive("whole households", number))
        try:
            parts.append(part.trade(method, run))
        except InputError as error:
            refusals.append(error)
            alone.append(kind.members)
    if not parts:
        raise TableError(_NONE.format(name=method.name, error=refusals[0])) from refusals[0]
    if not alone:
        return _Merger(data, parts).outcome()
    return _Lending(method, run, run_some, parts, alone).merge(data)


@dataclass(frozen=True, eq=False)
class _Part:
    """Households of one type, and what became of them once they traded."""

    kind: HouseholdType
    seed: Seed
    done: Outcome | None = None

    @property
    def outcome(self) -> Outcome:
        assert self.done is not None
        return self.done

    def trade(self, method: Method, run: Run) -> _Part:
        """The part after its households traded as wholes."""
        if self.kind.count < 2:
            raise TableError("one household is alone with its size and positions.")
        adapted = method.adapt(self.kind.columns)
        assert adapted is not None
        return replace(self, done=run(adapted, self.kind.widen(), self.seed))

    def keep(self, households: Ints) -> _Part:
        """Only some of the households, which have yet to trade."""
        return replace(self, kind=replace(self.kind, members=self.kind.members[households]))


@dataclass(frozen=True, eq=False)
class _Lending:
    """Households that cannot trade whole trade level by level, with more of them where needed.

    Where they are too few for the method, households of the most frequent type join them, drawn at
    random. Where that does not help either, they stay as they are.
    """

    method: Method
    run: Run
    run_some: RunSome
    parts: list[_Part]
    alone: list[Ints]

    def merge(self, data: Microdata) -> Outcome:
        """The outcome of all rows."""
        lender = self.parts[0]
        order = lender.seed.stream("lent households").permutation(lender.kind.count)
        lent = 0
        while lent <= LENT * len(order):
            try:
                return self._try(data, np.sort(order[:lent]), np.sort(order[lent:]))
            except InputError:
                lent = max(2 * lent, sum(map(len, self.alone)))
        return _Merger(data, self.parts, self.alone).outcome()

    def _try(self, data: Microdata, lent: Ints, kept: Ints) -> Outcome:
        lender, *others = self.parts
        pool = [*self.alone, lender.kind.members[lent]] if len(lent) else self.alone
        rows = np.sort(np.concatenate([members.ravel() for members in pool]))
        rest = self.run_some(rows)
        if len(lent):
            lender = lender.keep(kept).trade(self.method, self.run)
        return _Merger(data, [lender, *others], pool, len(lent), rows, rest).outcome()


@dataclass(frozen=True, eq=False)
class _Merger:
    """The outcomes of types of households, which make one of all rows.

    `apart` has the members of households that did not trade whole, `lent` of which could have, and
    `rest` what became of them: of their `rows`, in order. Without it they stay.
    """

    data: Microdata
    parts: list[_Part]
    apart: list[Ints] | None = None
    lent: int = 0
    rows: Ints | None = None
    rest: Outcome | None = None

    def outcome(self) -> Outcome:
        """One outcome of all rows."""
        donors = DonorMap.identity(self.data.n, len(self.data.variables)).matrix
        for part in self.parts:
            for column, name in enumerate(self.data.names):
                given = part.outcome.donors.matrix[:, _find(part.kind, name)]
                donors[part.kind.members, column] = part.kind.spread(given)
        if self.rest is not None and self.rows is not None:
            donors[self.rows] = to_table_rows(self.rest.donors.matrix, self.rows)
        stuck = {name: rows for name in self.data.names if len(rows := self._list_stuck(name))}
        return Outcome(DonorMap(donors), {}, stuck, self._list_facts(), self._list_notes())

    def _list_stuck(self, name: str) -> Ints:
        """The rows whose value of a column found no partner."""
        rows = [part.kind.members[part.outcome.stuck[name]].ravel()
                 for part in self.parts if name in part.outcome.stuck]  # fmt: skip
        if self.rest is None:
            rows += [members.ravel() for members in self.apart or ()]
        elif name in self.rest.stuck and self.rows is not None:
            rows.append(self.rows[self.rest.stuck[name]])
        return np.sort(np.concatenate([np.empty(0, np.int64), *rows]))

    def _list_facts(self) -> tuple[str, ...]:
        """Record of who traded with whom; words about groups of rows are not about households."""
        households = sum(part.kind.count for part in self.parts)
        like = "size" if self.data.position is None else "size and positions"
        said = (
            f"{count(households, 'household')} traded whole, each with households of the same "
            f"{like}: in each column, all members have the values of one household."
        )
        return (said,)

    def _list_notes(self) -> tuple[str, ...]:
        households = sum(part.kind.count for part in self.parts)
        notes = merge_notes([part.outcome.notes for part in self.parts], households)
        said = [f"Households, one row each: {note}" for note in notes]
        if self.apart is None:
            return tuple(said)
        lone = sum(map(len, self.apart)) - self.lent
        have = "has too few like it" if lone == 1 else "have too few like them"
        became = (
            "they are too few for any trade, and stay as they are. Leave them out, or lower `k`."
            if self.rest is None
            else f"their values moved level by level, among {_describe_partners(self.lent)} only: "
            "those of households once, those of persons one by one."
        )
        said.append(f"{count(lone, 'household')} {have} to trade whole: {became}")
        return (*said, *(self.rest.notes if self.rest is not None else ()))


def _describe_partners(lent: int) -> str:
    if not lent:
        return "these households"
    return f"these households and {lent:,} drawn from the most frequent size"


def _find(kind: HouseholdType, name: str) -> int:
    """The place of a column in the table of households: that of its first member's."""
    names = [new for new_names in kind.columns.values() for new in new_names]
    return names.index(name)


_MAKES = (
    "{name} makes new values, and whole households trade the values they have. Choose a method "
    "that moves values, or leave out --whole-households (`whole_households`)."
)
_NONE = (
    "{name}: no household can trade whole with others of the same size and positions. In the most "
    "frequent kind of household: {error} Or leave out --whole-households (`whole_households`)."
)
