"""The steps of a table in order, settled for that table, and what they did to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.core.tables.recoding.column import (
    SOME,
    StepTally,
    count_values,
    recode_column,
)
from swapmeet.core.tables.recoding.frames import replace_column
from swapmeet.core.tables.recoding.recoded import StepResult
from swapmeet.errors import SchemaError, TableError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from swapmeet.core.tables.frame import Table
    from swapmeet.core.tables.missing_codes import Code
    from swapmeet.core.tables.recoding.recode import Recode

MOST_LEVELS = 1_000_000
"""Levels of which more are not counted: such a column has hardly any that are not rare."""


@dataclass(frozen=True, repr=False)
class RecodeTally:
    """Counts of what the steps did to some rows; with + to more rows.

    `some` has up to two distinct values of each column, before and after.
    """

    steps: tuple[StepTally, ...]
    some: Mapping[str, tuple[frozenset[Any], frozenset[Any]]]

    def __add__(self, other: RecodeTally) -> RecodeTally:
        return RecodeTally(
            tuple(one + two for one, two in zip(self.steps, other.steps, strict=True)),
            {name: _join_some(pair, other.some[name]) for name, pair in self.some.items()},
        )


def _join_some(
    one: tuple[frozenset[Any], ...], two: tuple[frozenset[Any], ...]
) -> tuple[frozenset[Any], frozenset[Any]]:
    before, after = (frozenset(list(a | b)[:SOME]) for a, b in zip(one, two, strict=True))
    return before, after


@dataclass(frozen=True)
class RecodePlan:
    """Steps that are settled: rare levels are those of the table they were counted in."""

    recodes: tuple[Recode, ...]

    def __bool__(self) -> bool:
        return bool(self.recodes)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that have steps, each once."""
        return tuple(dict.fromkeys(recode.column for recode in self.recodes))

    @classmethod
    def settle(
        cls, recodes: Sequence[Recode], count_levels: Callable[[RecodePlan, Recode], Any]
    ) -> RecodePlan:
        """The plan for a table; `count_levels` counts a column after the steps so far."""
        plan = cls(())
        for recode in recodes:
            if recode.step.rare is not None:
                rare = _find_rare(count_levels(plan, recode), recode)
                recode = replace(recode, step=recode.step.settle(rare))
            plan = cls((*plan.recodes, recode))
        return plan

    def require_columns(self, names: Iterable[str]) -> None:
        """Refuse steps of columns that the table does not have."""
        known = list(names)
        problems = [
            f"recode: no column {name!r}{did_you_mean(name, known)} This table has "
            f"{', '.join(known)}."
            for name in self.columns
            if name not in known
        ]
        if problems:
            raise SchemaError(problems)

    def count_levels(self, table: Table, recode: Recode) -> Any:
        """Count the values of a column in some rows after the steps, codes aside."""
        name, codes = recode.column, recode.missing
        column, ordered = table.recodable(name), table.is_ordered(name)
        found = recode_column(name, column, self._steps_of(name), codes, ordered=ordered)
        return count_values(name, found.cells, codes, ordered=ordered)

    def apply(self, table: Table) -> tuple[Any, RecodeTally]:
        """Some rows after the steps, as a frame of the same library, and what was done to them.

        Columns that these rows lack are passed over.
        """
        native = table.native
        tallies: dict[int, StepTally] = {}
        some = {}
        for name in (name for name in self.columns if name in table.names):
            column, ordered = table.recodable(name), table.is_ordered(name)
            found = recode_column(
                name, column, self._steps_of(name), self._codes_of(name), ordered=ordered
            )
            tallies |= dict(zip(self._places_of(name), found.tallies, strict=True))
            some[name] = frozenset(found.before), frozenset(found.after)
            if found.changed.any():
                native = replace_column(native, name, found.cells, found.changed)
        return native, RecodeTally(tuple(tallies[place] for place in sorted(tallies)), some)

    def conclude(self, tally: RecodeTally) -> tuple[StepResult, ...]:
        """Say what the steps did to the whole table; refuse what must not be done."""
        self._refuse_without_place(tally)
        self._refuse_constant(tally)
        return tuple(
            StepResult(
                recode.text, recode.column, recode.sentence, step.changed,
                int(len(step.found) - np.count_nonzero(step.found)),
            )
            for recode, step in zip(self.recodes, tally.steps, strict=True)
        )  # fmt: skip

    def _refuse_without_place(self, tally: RecodeTally) -> None:
        for recode, step in zip(self.recodes, tally.steps, strict=True):
            if step.without_place:
                lie = "value lies" if step.without_place == 1 else "values lie"
                raise TableError(
                    f"recode: {step.without_place} {lie} below the first bound of "
                    f"{recode.text!r}. Begin with a bound that no value is below."
                )

    def _refuse_constant(self, tally: RecodeTally) -> None:
        """Refuse steps after which a column tells nothing, or only who was suppressed."""
        for name, (before, after) in tally.some.items():
            if len(before) >= SOME > len(after):
                left = "one value" if after else "no value"
                raise TableError(
                    f"recode: the steps leave {left} in column {name!r}. Recode it less, or give "
                    "it the role drop."
                )

    def _steps_of(self, name: str) -> list[Any]:
        return [recode.step for recode in self.recodes if recode.column == name]

    def _codes_of(self, name: str) -> tuple[Code, ...]:
        return next((r.missing for r in self.recodes if r.column == name), ())

    def _places_of(self, name: str) -> list[int]:
        return [place for place, recode in enumerate(self.recodes) if recode.column == name]


def add_counts(parts: Iterable[Any]) -> Any:
    """Counts of values in several parts of a table, as those of all of them."""
    total = None
    for part in parts:
        both = part if total is None else pa.concat_tables([total, part])
        found = both.group_by("value").aggregate([("count", "sum")])
        total = found.rename_columns(["value", "count"])
        if len(total) > MOST_LEVELS:
            raise TableError(
                f"recode: a column with 'rare' has more than {MOST_LEVELS:,} distinct values. "
                "Group or round it first, or drop it."
            )
    return total


def _find_rare(counts: Any, recode: Recode) -> Any:
    """The values of too few rows."""
    if counts is None:
        return pa.nulls(0)
    least = recode.step.rare
    return counts.filter(pc.less(counts["count"], least))["value"].combine_chunks()
