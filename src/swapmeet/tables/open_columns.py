"""Tables as derivations and rules look at them: values, with codes for missing ones left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from swapmeet.tables.arrow import choose_cells
from swapmeet.tables.missing_codes import flag_codes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.tables.frame import Table
    from swapmeet.tables.schema import Schema


@dataclass(frozen=True, repr=False, eq=False)
class OpenColumns:
    """A table whose categories may be packed as numbers of `levels`."""

    table: Table
    schema: Schema
    levels: Mapping[str, Any] = field(default_factory=dict)
    _held: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<OpenColumns of {len(self.table)} rows>"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return self.table.names

    def family(self, name: str) -> str:
        """Return the sort of values that the column holds."""
        return "categories" if name in self.levels else self.table.family(name)

    def plain(self, name: str) -> Any:
        """The column as one Arrow array, codes for missing values as missing."""
        if name not in self._held:
            self._held[name] = self._blank(name, self._unpack(name))
        return self._held[name]

    def _unpack(self, name: str) -> Any:
        cells = self.table.plain(name)
        if name not in self.levels or pa.types.is_dictionary(cells.type):
            return cells
        return self.levels[name].take(cells)

    def _blank(self, name: str, cells: Any) -> Any:
        codes = self.schema[name].missing if name in self.schema.names else ()
        if not codes:
            return cells
        flags = pa.array(flag_codes(cells, codes))
        return choose_cells(flags, pa.scalar(None, cells.type), cells)
