"""Columns of a comparison as conditions look at them: values, in place of arrays of codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from swapmeet.errors import SchemaError
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind


@dataclass(frozen=True, repr=False, eq=False)
class CodedColumns:
    """Columns as arrays, for conditions: a value is read where the original has the same.

    `like` has the original's arrays, and `columns` its values, row by row, as they are in the
    table. Numbers are read as they are.
    """

    data: Microdata
    like: Microdata
    columns: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return self.data.names

    def family(self, name: str) -> str:
        """Return the sort of values that the column holds."""
        return "categories" if self.data[name].kind is Kind.NOMINAL else "numbers"

    def plain(self, name: str) -> Any:
        """The column as one Arrow array."""
        import pyarrow as pa
        import pyarrow.types as pt

        values, known = self.data[name], self.columns.get(name)
        numbers = known is None or pt.is_integer(known.type) or pt.is_floating(known.type)
        if numbers and values.kind is not Kind.NOMINAL:
            return pa.array(values.values, mask=values.missing)
        if known is None:
            raise SchemaError(
                [f"condition: {name!r} has categories, which only a search looks up in the table."]
            )
        codes, rows = np.unique(self.like[name].values, return_index=True)
        at = np.minimum(np.searchsorted(codes, values.values), len(codes) - 1)
        unknown = (codes[at] != values.values) | values.missing
        return known.take(pa.array(rows[at], mask=unknown))
