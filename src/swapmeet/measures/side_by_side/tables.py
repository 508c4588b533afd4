"""The counts of a table of categories in both files."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.measures.side_by_side.chosen_columns import require_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.measures.comparison import Comparison


@dataclass(frozen=True)
class TableComparison:
    """The counts of a table of categories in both files.

    `misplaced` is the share of records that stand in another cell (half the sum of differences);
    `largest` the largest difference of a cell; `appeared` and `vanished` count cells.
    """

    columns: tuple[str, ...]
    cells: int
    misplaced: float
    largest: int
    appeared: int
    vanished: int

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def compare_table(comparison: Comparison, columns: Sequence[str]) -> TableComparison:
    """The counts of all combinations of the columns' values in both tables."""
    require_columns("table", columns, comparison.original)
    labels = comparison.combinations(columns)
    n, count = comparison.n, int(max(part.max() for part in labels)) + 1
    before, after = (np.bincount(part, minlength=count) for part in labels)
    moved = np.abs(after - before)
    return TableComparison(
        tuple(columns),
        count,
        float(moved.sum()) / (2.0 * n),
        int(moved.max()),
        int(((before == 0) & (after > 0)).sum()),
        int(((before > 0) & (after == 0)).sum()),
    )
