"""Outcome of a method: what it did to the masked columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from swapmeet.errors import UsageError
from swapmeet.release.donors import MADE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.release.donors import DonorMap
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
