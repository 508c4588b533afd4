"""Tables as derivations and rules look at them: values, with codes for missing ones left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from swapmeet.core.tables.arrow import cells_of, choose_cells
from swapmeet.core.tables.missing_codes import flag_codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from swapmeet.core.tables.derived_columns import FittedDerivation
    from swapmeet.core.tables.expressions.values import Columns
    from swapmeet.core.tables.frame import Table
    from swapmeet.core.tables.schema import Schema

    Rows = npt.NDArray[np.int64]


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
        """What sort of values the column holds."""
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


@dataclass(frozen=True, repr=False, eq=False)
class ProposedRows:
    """Some released rows, if certain columns came from other donors; derived ones follow."""

    origin: Columns
    released: Columns
    rows: Rows
    donors: Rows
    moved: Sequence[str]
    derived: Mapping[str, FittedDerivation]
    _held: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<ProposedRows: {len(self.rows)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return self.released.names

    def family(self, name: str) -> str:
        """What sort of values the column holds."""
        return self.released.family(name)

    def plain(self, name: str) -> Any:
        """The column as one Arrow array."""
        if name not in self._held:
            self._held[name] = self._find(name)
        return self._held[name]

    def _find(self, name: str) -> Any:
        if name in self.moved:
            return cells_of(self.origin.plain(name), pa.array(self.donors))
        if name in self.derived:
            return self.derived[name].compute(self, self.origin.plain(name).type)
        return cells_of(self.released.plain(name), pa.array(self.rows))
