"""Outcome of a method: what it did to the masked columns, and the released cells that follow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.errors import UsageError
from swapmeet.release.donors import MADE, DonorMap
from swapmeet.tables.frame import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.base.arrays import Flags, Floats, Ints, Rows
    from swapmeet.methods import Method
    from swapmeet.tables.microdata import Microdata


@dataclass(frozen=True, repr=False, eq=False)
class Outcome:
    """The donor of each cell, and what else there is to know.

    `made` has, for each column in which values were made, a value for every row; it counts where
    the donor is -2. `stuck` has, for each column, the rows whose value found no partner and
    therefore stays; `facts` are sentences for the record, `notes` such as a curator must heed.
    """

    donors: DonorMap
    made: Mapping[str, Floats] = field(default_factory=dict)
    stuck: Mapping[str, Ints] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Outcome: {self.donors!r}>"

    def require_complete(self, method: str, data: Microdata) -> None:
        """Refuse an outcome that leaves a cell of `data` open."""
        if self.donors.matrix.shape != (data.own, len(data.variables)):
            raise UsageError(f"{method}: a method must return one donor for each cell.")
        lowest = self.donors.matrix.min(axis=0, initial=0)
        made = [name for name, low in zip(data.names, lowest, strict=True) if low == MADE]
        bare = [name for name in made if name not in self.made]
        if bare:
            raise UsageError(f"{method}: a method must return the values it made for {bare}.")


def name_columns(columns: list[str]) -> str:
    """Name columns as notes do.

    >>> name_columns(["age"]), name_columns(["age", "sex"])
    ('column age', 'columns age, sex')
    """
    return f"column{'' if len(columns) == 1 else 's'} {', '.join(columns)}"


def is_owned(method: Method, in_place: Flags) -> bool:
    """Return whether released rows belong to people, by the method or by a column left in place."""
    return method.keeps_owners or bool(in_place.any())


def apply_outcome(
    outcome: Outcome,
    table: Table,
    data: Microdata,
    published: tuple[str, ...],
    grains: Mapping[str, int] | None = None,
    numbers: Mapping[str, Rows] | None = None,
) -> Table:
    """The values that moved, then those that were made; `grains` are those of the whole table.

    `numbers` has the donors of columns that are no values of the method: numbers of units.
    """
    donors = dict(zip(data.names, outcome.donors.matrix.T, strict=True))
    moved = {name: _own_if_made(column) if name in outcome.made else column
             for name, column in donors.items()}  # fmt: skip
    moved |= numbers or {}
    if data.own < data.n:
        moved = dict.fromkeys(published, np.arange(data.own)) | moved
    taken = Table(table.take(moved, published))
    if not outcome.made:
        return taken
    cells = {name: donors[name] == MADE for name in outcome.made}
    return Table(taken.put(outcome.made, cells, grains))


def _own_if_made(donors: Ints) -> Ints:
    return np.where(donors == MADE, np.arange(len(donors)), donors)


def extend_to_all_columns(
    part: DonorMap,
    masked: tuple[str, ...],
    published: tuple[str, ...],
    numbers: Mapping[str, Rows] | None = None,
    derived: tuple[str, ...] = (),
) -> DonorMap:
    """The donor map of the release: columns that were not masked stay with their row.

    `numbers` has the donors of columns with numbers of units; `derived` columns are made.
    """
    if masked == published:
        return part
    whole = DonorMap.identity(len(part.matrix), len(published)).matrix
    whole[:, [published.index(name) for name in derived]] = MADE
    whole[:, [published.index(name) for name in masked]] = part.matrix
    for name, donors in (numbers or {}).items():
        whole[:, published.index(name)] = donors
    return DonorMap(whole)
