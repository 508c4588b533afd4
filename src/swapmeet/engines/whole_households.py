"""Whole households trade: the values of all members come from one household, column by column.

A method sees one row per household, with the values of members side by side, and households trade
with those of the same size, whose members have the same positions. Households that have too few
like them trade level by level, as if nothing had been asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.base.notes import merge_notes
from swapmeet.core.base.sentences import count
from swapmeet.core.release.donors import DonorMap
from swapmeet.core.release.outcome import Outcome
from swapmeet.core.tables.household_types import HouseholdType, list_household_types
from swapmeet.errors import InputError, SchemaError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from swapmeet.core.base.seeds import Seed
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.methods import Method

    Ints = npt.NDArray[np.int64]
    Run = Callable[[Method, Microdata, Seed], Outcome]


def run_whole(
    method: Method, data: Microdata, seed: Seed, run: Run, by_level: Callable[[], Outcome]
) -> Outcome:
    """What `method` does if households trade as wholes; `by_level` is for those that cannot."""
    if method.makes_values:
        raise SchemaError([_MAKES.format(name=method.name)])
    merger = TypeMerger(data)
    refusals: list[InputError] = []
    for number, kind in enumerate(list_household_types(data)):
        below = seed.derive("whole households", number)
        try:
            merger.add(kind, _run_type(method, kind, below, run))
        except InputError as error:
            refusals.append(error)
            merger.leave(kind)
    if not merger.parts:
        raise TableError(_NONE.format(name=method.name, error=refusals[0])) from refusals[0]
    return merger.outcome(by_level)


@dataclass(frozen=True, repr=False, eq=False)
class TypeMerger:
    """The outcomes of the types of households, which make one of all rows."""

    data: Microdata
    parts: list[tuple[HouseholdType, Outcome]] = field(default_factory=list)
    left: list[HouseholdType] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<TypeMerger of {len(self.parts)} types, {len(self.left)} left>"

    def add(self, kind: HouseholdType, outcome: Outcome) -> None:
        """Add households that traded."""
        self.parts.append((kind, outcome))

    def leave(self, kind: HouseholdType) -> None:
        """Add households that cannot."""
        self.left.append(kind)

    def outcome(self, by_level: Callable[[], Outcome]) -> Outcome:
        """One outcome of all rows."""
        rest = by_level() if self.left else None
        donors = np.empty((self.data.n, len(self.data.variables)), np.int64)
        for kind, part in self.parts:
            for column, name in enumerate(self.data.names):
                at = _find(kind, name)
                donors[kind.members, column] = kind.spread(part.donors.matrix[:, at])
        for kind in self.left:
            assert rest is not None
            donors[kind.members] = rest.donors.matrix[kind.members]
        stuck = {name: rows for name in self.data.names if len(rows := self._stuck(name, rest))}
        return Outcome(DonorMap(donors), {}, stuck, self._list_facts(), self._list_notes(rest))

    def _stuck(self, name: str, rest: Outcome | None) -> Ints:
        """The rows whose value of a column found no partner."""
        found = [kind.members[part.stuck[name]].ravel()
                 for kind, part in self.parts if name in part.stuck]  # fmt: skip
        if rest is not None and name in rest.stuck:
            theirs = np.concatenate([kind.members.ravel() for kind in self.left])
            found.append(np.intersect1d(rest.stuck[name], theirs))
        return np.sort(np.concatenate([np.empty(0, np.int64), *found]))

    def _list_facts(self) -> tuple[str, ...]:
        """Who traded with whom; what a method says of groups of rows is not said of households."""
        households = sum(kind.count for kind, _ in self.parts)
        like = "size" if self.data.position is None else "size and positions"
        said = (
            f"{count(households, 'household')} traded whole, each with households of the same "
            f"{like}: in each column, all members have the values of one household."
        )
        return (said,)

    def _list_notes(self, rest: Outcome | None) -> tuple[str, ...]:
        households = sum(kind.count for kind, _ in self.parts)
        notes = merge_notes([part.notes for _, part in self.parts], households)
        told = [f"Households, one row each: {note}" for note in notes]
        if rest is None:
            return tuple(told)
        lone = sum(kind.count for kind in self.left)
        told.append(
            f"{count(lone, 'household')} {'has' if lone == 1 else 'have'} too few like "
            f"{'it' if lone == 1 else 'them'} to trade whole: their values moved level by level, "
            "those of households once, those of persons one by one."
        )
        return (*told, *rest.notes)


def _run_type(method: Method, kind: HouseholdType, seed: Seed, run: Run) -> Outcome:
    if kind.count < 2:
        raise TableError("one household is alone with its size and positions.")
    adapted = method.adapt(kind.columns)
    assert adapted is not None
    return run(adapted, kind.widen(), seed)


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
