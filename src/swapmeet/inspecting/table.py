"""What is in a table, and what in it could give people away."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations, islice
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.parallel import with_progress
from swapmeet.base.progress import Progress, silent
from swapmeet.inspecting.columns import Columns
from swapmeet.inspecting.findings import find_all
from swapmeet.inspecting.inspection_text import (
    describe_size,
    write_inspection,
    write_inspection_html,
)
from swapmeet.inspecting.proposal import add_weight
from swapmeet.tables.arrow import CellType, Codes
from swapmeet.tables.schema import Column, Role, Schema
from swapmeet.ties import dependencies, ratios, sums

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from swapmeet.base.arrays import Ints
    from swapmeet.io.document import Document
    from swapmeet.tables.frame import Table
    from swapmeet.ties.finding import Finding


WORK = 60_000_000
"""The most rows times combinations of keys that are examined."""
FEWEST_ROWS = 30_000
"""A smaller table counts as one of this many rows: a combination has a cost of its own."""
LARGEST = 3
"""Combinations of up to this many keys are examined."""
SHOWN = 3
"""The number of combinations of each size that are shown."""
SMALL = 5
"""A combination shared by fewer rows is small."""
ROOM = 2**62


@dataclass(frozen=True)
class InspectedColumn:
    """One column: what it is, why, and what is in it; `distinct` is None if values don't compare.

    A missing value, or a code that stands for one, is not counted among the distinct ones.
    """

    name: str
    kind: str
    role: str
    reason: str
    concern: str | None
    missing: int
    distinct: int | None


@dataclass(frozen=True)
class KeyUniqueness:
    """The numbers of rows that are unique in these columns, or in groups below five."""

    columns: tuple[str, ...]
    unique: int
    small: int

    def says_more_than(self, other: KeyUniqueness) -> bool:
        """Return whether it singles out other rows than a part of its own columns does."""
        part = set(other.columns) < set(self.columns)
        return not part or (self.unique, self.small) != (other.unique, other.small)


@dataclass(frozen=True, repr=False)
class Inspection:
    """The findings about a table: names and counts, never values.

    `looked_at` of the possible `combinations` of up to three keys were examined; `risky` are the
    worst of each size. `findings` are what columns seem to be, with the options that say so, and
    `notes` tell what was not looked for in all columns of a wide table.
    """

    rows: int
    columns: tuple[InspectedColumn, ...]
    all_keys: KeyUniqueness | None
    risky: tuple[KeyUniqueness, ...]
    looked_at: int
    combinations: int
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Inspection of {describe_size(self)}>"

    def __str__(self) -> str:
        return write_inspection(self)

    def _repr_html_(self) -> str:
        return write_inspection_html(self)

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {**asdict(self), "findings": [one.to_dict() for one in self.findings]}


def look_at(
    table: Table,
    schema: Schema,
    *,
    document: Document | None = None,
    labels: Mapping[str, Mapping[Any, str]] | None = None,
    titles: Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> Inspection:
    """Look at each column, and at how many rows a combination of key columns singles out.

    `labels` are those of values, by column, and `titles` those of columns; a document has its own.
    """
    if document is not None:
        labels = document.labels if labels is None else labels
        titles = document.column_labels if titles is None else titles
    keys = {
        name: table.codes(name) for name in schema.having(Role.KEY) if _is_comparable(table, name)
    }
    possible = sum(comb(len(keys), size) for size in range(1, LARGEST + 1))
    looked_at = min(possible, WORK // max(len(table), FEWEST_ROWS))
    key_sets = []
    for names in islice(_order_combinations(keys), looked_at):
        key_sets.append(_count_unique(keys, names))
        progress("combinations of keys", len(key_sets), looked_at)
    seen = Columns(table, schema, labels or {}, titles or {})
    findings = add_weight(find_all(seen), document or table, schema)
    units = {name for one in findings if one.is_unit for name in one.columns}
    return Inspection(
        rows=len(table),
        columns=tuple(
            _describe_column(seen, column, is_unit=column.name in units)
            for column in with_progress(schema, len(schema.names), progress, "columns")
        ),
        all_keys=_count_unique(keys, tuple(keys)) if keys else None,
        risky=tuple(_select_worst(key_sets)),
        looked_at=looked_at,
        combinations=possible,
        findings=findings,
        notes=describe_extent(seen),
    )


def _is_comparable(table: Table, name: str) -> bool:
    return table.family(name) not in {CellType.MIXED, CellType.NESTED}


def _describe_column(seen: Columns, column: Column, *, is_unit: bool) -> InspectedColumn:
    """Describe a column; numbers of households or persons are no concern, but a finding."""
    is_comparable = _is_comparable(seen.table, column.name)
    return InspectedColumn(
        name=column.name,
        kind=str(column.kind),
        role=str(column.role),
        reason=column.reason,
        concern=None if is_unit else _find_concern(column),
        missing=(seen if is_comparable else seen.table).missing(column.name),
        distinct=seen.distinct(column.name) if is_comparable else None,
    )


def _find_concern(column: Column) -> str | None:
    """Find what has to be decided; a role that it seems made for is among the findings."""
    worry = column.worry if column.is_undecided or not column.lacks_role else None
    return worry or column.concern


def _order_combinations(keys: Mapping[str, Codes]) -> Iterator[tuple[str, ...]]:
    """Small combinations first, those of columns with many values before others."""
    place = {name: at for at, name in enumerate(keys)}
    telling = sorted(keys, key=lambda name: -keys[name].levels)
    for size in range(1, LARGEST + 1):
        for names in combinations(telling, size):
            yield tuple(sorted(names, key=place.__getitem__))


def _select_worst(key_sets: list[KeyUniqueness]) -> Iterator[KeyUniqueness]:
    """The worst of each size, without those that single out no other rows than fewer columns do."""
    worst: list[KeyUniqueness] = []
    for size in range(1, LARGEST + 1):
        same = [one for one in key_sets if len(one.columns) == size and one.small]
        same.sort(key=lambda one: (-one.unique, -one.small))
        new = (one for one in same if all(one.says_more_than(other) for other in worst))
        worst += islice(new, SHOWN)
    return iter(worst)


def _count_unique(keys: Mapping[str, Codes], names: tuple[str, ...]) -> KeyUniqueness:
    sizes = _count_groups([keys[name] for name in names])
    return KeyUniqueness(names, int((sizes == 1).sum()), int(sizes[sizes < SMALL].sum()))


def _count_groups(columns: Iterable[Codes]) -> Ints:
    """Count the rows that share each combination of values; missing counts as a value."""
    combined, room = np.zeros(1, np.int64), 1
    for column in columns:
        if room * (column.levels + 1) > ROOM:
            distinct, combined = np.unique(combined, return_inverse=True)
            room = len(distinct)
            if room == len(combined):
                break
        combined = combined * (column.levels + 1) + (column.codes + 1)
        room *= column.levels + 1
    if room <= 4 * len(combined):
        return np.bincount(combined)
    combined.sort()
    ends = np.flatnonzero(np.diff(combined)) + 1
    return np.diff(ends, prepend=0, append=len(combined))


def describe_extent(columns: Columns) -> tuple[str, ...]:
    """Describe what was sought among the first columns only, if anything."""
    numbers = len(columns.list_quantities(()))
    dates = len(columns.list_dates())
    masked = sum(columns.has_role(name, Role.KEY, Role.SENSITIVE) for name in columns.names)
    looked_for = (
        ("sums", numbers + dates, sums.MOST_COLUMNS, f" with numbers{' or dates' * bool(dates)}"),
        ("products and quotients", numbers, ratios.MOST_COLUMNS, " with numbers"),
        ("dates in order", dates, dependencies.MOST_DATES, " with dates"),
        ("columns that follow from another", masked, dependencies.MOST_COLUMNS, ""),
    )
    clauses = [
        f"{what} were looked for among the first {most:,} of {count:,} columns{which}"
        for what, count, most, which in looked_for
        if count > most
    ]
    return (f"The table is wide: {'; '.join(clauses)}.",) if clauses else ()
