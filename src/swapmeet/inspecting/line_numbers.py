"""The number of each row in its household: the first member, the second, and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.tables.role import Role
from swapmeet.ties.finding import Finding, write_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.inspecting.columns import Columns


def find_line_numbers(
    columns: Columns, household: str | None, positions: tuple[str, ...]
) -> Iterator[Finding]:
    """Columns that count the rows of each household from 1 up; moved, they would repeat or skip.

    They stand for the position in the household where no column in `positions` does.
    """
    if household is None or columns.distinct(household) == columns.rows:
        return
    for name in columns.names:
        asked = columns.has_numbers(name) and columns.has_role(name, Role.KEY, Role.SENSITIVE)
        if asked and name != household and _counts_rows(columns, household, name):
            yield Finding(
                about="the number of the row in its household",
                columns=(name,),
                reason="it counts from 1 in each household, and moved numbers would not",
                rows=columns.rows,
                options=write_option("--keep" if positions else "--position", [name]),
            )
            positions = (*positions, name)


def _counts_rows(columns: Columns, household: str, name: str) -> bool:
    homes, numbers = columns.codes(household), columns.numbers(name)
    order = np.lexsort((numbers, homes))
    sizes = np.bincount(homes)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    return bool((numbers[order] == np.arange(len(order)) - first + 1).all())
