"""The steps of a table in order, settled for that table, and what they did to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.errors import SchemaError, TableError, did_you_mean
from swapmeet.tables.arrow import cells_of
from swapmeet.tables.backends import choose_backend
from swapmeet.tables.missing_codes import flag_codes
from swapmeet.tables.recoding.recoded import StepResult
from swapmeet.tables.recoding.steps import Cells, NamingStep, Step, is_coded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from swapmeet.base.arrays import Flags, Ints
    from swapmeet.tables.frame import Table
    from swapmeet.tables.recoding.recode import Recode
    from swapmeet.tables.roles import Code


SOME = 2
"""So many distinct values tell a column from a constant one."""


@dataclass(frozen=True, repr=False)
class StepTally:
    """Numbers of cells a step changed and left without a place, and named values that occurred."""

    changed: int
    without_place: int
    hits: tuple[bool, ...]

    def __add__(self, other: StepTally) -> StepTally:
        return StepTally(
            self.changed + other.changed,
            self.without_place + other.without_place,
            tuple(one or two for one, two in zip(self.hits, other.hits, strict=True)),
        )


@dataclass(frozen=True, repr=False)
class RecodedColumn:
    """A column after its steps; `changed` flags the cells that differ from what they were.

    `before` and `after` are up to two of its distinct values.
    """

    cells: Any
    changed: Flags
    tallies: tuple[StepTally, ...]
    before: tuple[Any, ...]
    after: tuple[Any, ...]


def recode_column(
    name: str, column: Any, steps: Sequence[Step], codes: tuple[Code, ...] = (), *, ordered: bool
) -> RecodedColumn:
    """The column, an Arrow array of any type, after the steps, in the same type.

    Cells that hold one of the `codes` of missing values stay, unless a step names values.
    """
    try:
        return _recode(name, column, steps, codes, ordered=ordered)
    except pa.ArrowNotImplementedError:
        problem = (
            f"recode: values of column {name!r}, which are of type {column.type}, cannot be "
            "compared. Convert it to another type first, or leave out its step."
        )
        raise SchemaError([problem]) from None


def _recode(
    name: str, column: Any, steps: Sequence[Step], codes: tuple[Code, ...], *, ordered: bool
) -> RecodedColumn:
    first = Cells.of(name, column, ordered=ordered)
    cells, tallies = first, []
    for step in steps:
        new = _change(step, cells, codes)
        tallies.append(_count(step, column, cells, new))
        cells = new
    changed = _spread(column, _differ(first.array, cells.array))
    after = _to_column(column, cells, changed) if changed.any() else column
    some = [_list_some(column, _blank(one, codes)) for one in (first, cells)]
    return RecodedColumn(after, changed, tuple(tallies), some[0], some[1])


def _change(step: Step, cells: Cells, codes: tuple[Code, ...]) -> Cells:
    """The cells after a step, which sees codes of missing values only if it names values."""
    if not codes or isinstance(step, NamingStep):
        return cells.become(step.change(cells))
    flags = pa.array(flag_codes(cells.array, codes))
    return cells.become(pc.if_else(flags, cells.array, step.change(_blank(cells, codes))))


def _blank(cells: Cells, codes: tuple[Code, ...]) -> Cells:
    """The cells with gaps where they hold codes of missing values."""
    if not codes:
        return cells
    flags = pa.array(flag_codes(cells.array, codes))
    return cells.become(pc.if_else(flags, pa.scalar(None, cells.array.type), cells.array))


def _count(step: Step, column: Any, old: Cells, new: Cells) -> StepTally:
    changed = _spread(column, _differ(old.array, new.array))
    lost = _spread(column, _to_flags(pc.and_(pc.is_null(new.array), pc.is_valid(old.array))))
    hits: list[bool] = []
    if isinstance(step, NamingStep):
        hits = pc.is_in(step.named(old), value_set=_list_used(column, old)).to_pylist()
    without_place = int(lost.sum()) if step.covers else 0
    return StepTally(int(changed.sum()), without_place, tuple(hits))


def _differ(old: Any, new: Any) -> Flags:
    """Flag the cells that are other ones; a missing value is like another."""
    other = pc.not_equal(old, new).fill_null(fill_value=False)
    return _to_flags(pc.or_(other, pc.not_equal(pc.is_valid(old), pc.is_valid(new))))


def _to_flags(flags: Any) -> Flags:
    return np.asarray(flags.to_numpy(zero_copy_only=False))


def _spread(column: Any, flags: Flags) -> Flags:
    """Flags of levels as flags of rows; those of plain cells as they are."""
    if not is_coded(column):
        return flags
    rows = _to_rows(column)
    return np.append(flags, False)[rows]


def _to_rows(column: Any) -> Ints:
    """The level of each row; -1 where it is missing."""
    indices = column.indices.cast(pa.int64()).fill_null(-1)
    return np.asarray(indices.to_numpy(zero_copy_only=False))


def _to_column(column: Any, cells: Cells, changed: Flags) -> Any:
    """The cells in the type of the column; what no step changed stays as it is to the last bit."""
    if is_coded(column):
        return _encode(column, cells)
    new = cells.array.cast(column.type)
    rows = np.where(changed, np.arange(len(column)), np.arange(len(column)) + len(column))
    return cells_of(pa.concat_arrays([new, column]), pa.array(rows))


def _encode(column: Any, cells: Cells) -> Any:
    """Categories with the levels that are left, in the order of the old ones."""
    left = cells.array.unique().drop_null()
    if column.type.ordered:
        left = cells.levels.filter(pc.is_in(cells.levels, value_set=left))
    indices = pc.index_in(cells.array, value_set=left).take(column.indices)
    return pa.DictionaryArray.from_arrays(
        indices.cast(column.type.index_type),
        left.cast(column.type.value_type),
        ordered=column.type.ordered,
    )


def _list_used(column: Any, cells: Cells) -> Any:
    """The values that rows have, each once."""
    if not is_coded(column):
        return cells.array.unique().drop_null()
    return cells.array.take(column.indices.unique().drop_null()).unique().drop_null()


def _list_some(column: Any, cells: Cells) -> tuple[Any, ...]:
    return tuple(_list_used(column, cells).slice(0, SOME).to_pylist())


def count_values(name: str, column: Any, codes: tuple[Code, ...], *, ordered: bool) -> Any:
    """Count the values of a column: a table of values and counts."""
    used = _blank(Cells.of(name, column, ordered=ordered), codes).array
    if is_coded(column):
        used = used.take(column.indices)
    counts = pc.value_counts(used.drop_null())
    return pa.table({"value": counts.field(0), "count": counts.field(1)})


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
        new = recode_column(name, column, self._steps_of(name), codes, ordered=ordered)
        return count_values(name, new.cells, codes, ordered=ordered)

    def apply(self, table: Table) -> tuple[Any, RecodeTally]:
        """Some rows after the steps, as a frame of the same library, and what was done to them.

        Columns that these rows lack are passed over.
        """
        native = table.native
        tallies: dict[int, StepTally] = {}
        some = {}
        for name in (name for name in self.columns if name in table.names):
            column, ordered = table.recodable(name), table.is_ordered(name)
            new = recode_column(
                name, column, self._steps_of(name), self._codes_of(name), ordered=ordered
            )
            tallies |= dict(zip(self._places_of(name), new.tallies, strict=True))
            some[name] = frozenset(new.before), frozenset(new.after)
            if new.changed.any():
                native = choose_backend(native).recode(native, name, new.cells, new.changed)
        return native, RecodeTally(tuple(tallies[place] for place in sorted(tallies)), some)

    def conclude(self, tally: RecodeTally) -> tuple[StepResult, ...]:
        """Say what the steps did to the whole table; refuse what must not be done."""
        self._refuse_without_place(tally)
        self._refuse_constant(tally)
        return tuple(
            StepResult(
                recode.text, recode.column, recode.sentence, step.changed,
                int(len(step.hits) - np.count_nonzero(step.hits)),
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
        sums = both.group_by("value").aggregate([("count", "sum")])
        total = sums.rename_columns(["value", "count"])
        if len(total) > MOST_LEVELS:
            raise TableError(
                f"recode: a column with 'rare' has more than {MOST_LEVELS:,} distinct values. "
                "GroupValues or round it first, or drop it."
            )
    return total


def _find_rare(counts: Any, recode: Recode) -> Any:
    """The values of too few rows."""
    if counts is None:
        return pa.nulls(0)
    least = recode.step.rare
    return counts.filter(pc.less(counts["count"], least))["value"].combine_chunks()
