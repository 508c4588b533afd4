"""Groups of values that become one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.core.base.sentences import count
from swapmeet.core.tables.arrow import Family
from swapmeet.core.tables.recoding.cells import WITH_LEVELS
from swapmeet.core.tables.recoding.step import NamingStep, RareStep
from swapmeet.errors import SchemaError

if TYPE_CHECKING:
    from swapmeet.core.tables.recoding.cells import Cells

NEEDED = "text, categories or numbers"
FITTING = WITH_LEVELS - {Family.BOOLEAN}


@dataclass(frozen=True)
class Group(NamingStep):
    """The values of each group become one; `groups` has the new value and the old ones of each."""

    groups: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def words(self) -> str:
        members = sum(len(old) for _, old in self.groups)
        return f"grouped: {count(members, 'named value')} became {len(self.groups)}"

    def change(self, cells: Cells) -> Any:
        cells.require(FITTING, "group", NEEDED)
        old, new = self.named(cells), self._read_new(cells)
        found = pc.index_in(cells.array, value_set=old)
        return pc.coalesce(new.take(found), cells.array)

    def named(self, cells: Cells) -> Any:
        return cells.read_all(tuple(value for _, values in self.groups for value in values))

    def _read_new(self, cells: Cells) -> Any:
        """The new value of each of the old ones; ordered levels keep their names and order."""
        new = cells.read_all(tuple(name for name, values in self.groups for _ in values))
        _require_known_order(new, cells)
        return new


@dataclass(frozen=True)
class GroupRare(RareStep):
    """Levels of fewer rows than `least` become one."""

    name: str

    @property
    def words(self) -> str:
        return f"grouped: levels of fewer than {self.least} rows became one"

    def change(self, cells: Cells) -> Any:
        cells.require(FITTING, "group rare", NEEDED)
        new = cells.read(self.name)
        _require_known_order(pa.array([new.as_py()], cells.array.type), cells)
        return pc.if_else(pc.is_in(cells.array, value_set=self.levels), new, cells.array)


def _require_known_order(new: Any, cells: Cells) -> None:
    """Refuse a name whose place among ordered levels nobody knows."""
    if cells.family is Family.ORDERED and not pc.all(pc.is_in(new, value_set=cells.levels)).as_py():
        problem = (
            f"recode: column {cells.name!r} holds ordered categories; a group takes the name "
            "of one of its levels, so that the order stays known."
        )
        raise SchemaError([problem])
