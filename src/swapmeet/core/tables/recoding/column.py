"""A column that goes through steps: its new cells, and what each step did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.core.tables.arrow import cells_of
from swapmeet.core.tables.missing_codes import flag_codes
from swapmeet.core.tables.recoding.cells import Cells, is_coded
from swapmeet.core.tables.recoding.step import NamingStep
from swapmeet.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.core.base.arrays import Flags, Ints
    from swapmeet.core.tables.missing_codes import Code
    from swapmeet.core.tables.recoding.step import Step

SOME = 2
"""So many distinct values tell a column from a constant one."""


@dataclass(frozen=True, repr=False)
class StepTally:
    """Numbers of cells a step changed and left without a place, and named values that occurred."""

    changed: int
    without_place: int
    found: tuple[bool, ...]

    def __add__(self, other: StepTally) -> StepTally:
        return StepTally(
            self.changed + other.changed,
            self.without_place + other.without_place,
            tuple(one or two for one, two in zip(self.found, other.found, strict=True)),
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
    found: list[bool] = []
    if isinstance(step, NamingStep):
        found = pc.is_in(step.named(old), value_set=_list_used(column, old)).to_pylist()
    without_place = int(lost.sum()) if step.covers else 0
    return StepTally(int(changed.sum()), without_place, tuple(found))


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
