"""inspect(): what is in a table, and what in it could give people away."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from swapmeet.frame import Frame, Table
from swapmeet.schema import Column, Role, Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

WORK = 20_000_000
"""Rows times combinations of keys that are looked at, at the most."""
LARGEST = 3
"""Combinations of up to this many keys are looked at."""
SHOWN = 5
SMALL = 5
"""A combination shared by fewer rows is small."""


@dataclass(frozen=True)
class ColumnFacts:
    """One column: what it is, why, and what is in it."""

    name: str
    kind: str
    role: str
    reason: str
    concern: str | None
    missing: int
    distinct: int


@dataclass(frozen=True)
class Uniqueness:
    """How many rows stand alone with their values of these columns, or are fewer than five."""

    columns: tuple[str, ...]
    unique: int
    small: int


@dataclass(frozen=True)
class Inspection:
    """What was found in a table. It holds names and counts, never values."""

    rows: int
    columns: tuple[ColumnFacts, ...]
    all_keys: Uniqueness | None
    risky: tuple[Uniqueness, ...]
    looked_at: int

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def inspect(data: Frame, schema: Schema | None = None) -> Inspection:
    """Look at each column, and at how many rows a combination of key columns singles out."""
    table = data if isinstance(data, Table) else Table(data)
    schema = Schema.infer(table) if schema is None else schema
    schema.check(table)
    keys = {name: table.codes(name).codes for name in schema.having(Role.KEY)}
    found = [_uniqueness(keys, names) for names in _worth_a_look(keys, len(table))]
    found.sort(key=lambda one: (-one.unique, -one.small, len(one.columns)))
    return Inspection(
        rows=len(table),
        columns=tuple(_facts(table, column) for column in schema),
        all_keys=_uniqueness(keys, tuple(keys)) if keys else None,
        risky=tuple(one for one in found[:SHOWN] if one.small),
        looked_at=len(found),
    )


def _facts(table: Table, column: Column) -> ColumnFacts:
    usable = column.role not in {Role.KEEP, Role.DROP} or column.concern is None
    return ColumnFacts(
        name=column.name,
        kind=str(column.kind),
        role=str(column.role),
        reason=column.reason,
        concern=column.concern,
        missing=table.missing(column.name),
        distinct=table.codes(column.name).levels if usable else 0,
    )


def _worth_a_look(keys: dict[str, npt.NDArray[np.int32]], rows: int) -> Iterator[tuple[str, ...]]:
    """Small combinations first, as many as the bound on the work allows."""
    left = WORK // max(rows, 1)
    for size in range(1, LARGEST + 1):
        for names in combinations(keys, size):
            if left <= 0:
                return
            left -= 1
            yield names


def _uniqueness(keys: dict[str, npt.NDArray[np.int32]], names: tuple[str, ...]) -> Uniqueness:
    combined = np.zeros(len(next(iter(keys.values()))), np.int64)
    for name in names:
        codes = keys[name].astype(np.int64) + 1
        combined = combined * (codes.max(initial=0) + 1) + codes
        combined = np.unique(combined, return_inverse=True)[1]
    sizes = np.bincount(combined)
    return Uniqueness(names, int((sizes == 1).sum()), int(sizes[sizes < SMALL].sum()))
