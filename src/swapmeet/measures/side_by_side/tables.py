"""The counts of a table of categories in both files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, Labels
from swapmeet.comparison.comparison import Comparison
from swapmeet.errors import SchemaError, did_you_mean
from swapmeet.measures.side_by_side.fit import find_weights
from swapmeet.measures.weights import find_weight_name
from swapmeet.tables.microdata import Microdata

WEIGHT = "weight="


@dataclass(frozen=True)
class TableComparison:
    """The counts of a table of categories in both files.

    `misplaced` is the share of records that are in another cell (half the sum of differences);
    `largest` the largest difference of a cell; `appeared` and `vanished` count cells. With a column
    of survey weights, records count by them: `weight` names it, and `largest` is a weighted count.
    """

    columns: tuple[str, ...]
    cells: int
    misplaced: float
    largest: float
    appeared: int
    vanished: int
    weight: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def compare_table(comparison: Comparison, columns: Sequence[str]) -> TableComparison:
    """The counts of all combinations of the columns' values in both tables.

    One of the names may be weight=NAME; where rows have sampling weights, these count unless others
    are named. Weighted counts add up to the number of rows, so that only their places count.
    """
    weight, columns = _take_weight(columns, comparison.original.names)
    weight = weight or find_weight_name(comparison)
    require_columns("table", columns, comparison.original)
    require_columns("table", [weight or columns[0]], comparison.original)
    labels = comparison.combinations(columns)
    count = int(max(part.max() for part in labels)) + 1
    tables = (comparison.original, comparison.released)
    before, after = (
        _count(part, count, data, weight) for part, data in zip(labels, tables, strict=True)
    )
    total = float(before.sum())
    moved = np.abs(after - before)
    largest = float(moved.max())
    return TableComparison(
        tuple(columns),
        count,
        float(moved.sum()) / (2.0 * total),
        largest if weight else int(largest),
        int(((before == 0) & (after > 0)).sum()),
        int(((before > 0) & (after == 0)).sum()),
        weight,
    )


def _take_weight(columns: Sequence[str], known: Sequence[str]) -> tuple[str | None, list[str]]:
    """The column of weights, if one is named, and the others."""
    named = [name for name in columns if name.startswith(WEIGHT) and name not in known]
    weight = named[0].removeprefix(WEIGHT).strip() if named else None
    return weight, [name for name in columns if name not in named]


def _count(labels: Labels, cells: int, data: Microdata, weight: str | None) -> Floats:
    weights = find_weights(data, weight)
    sums = weights * (data.n / weights.sum()) if weight else weights
    return np.bincount(labels, sums, cells).astype(np.float64)


def require_columns(what: str, columns: Sequence[str], data: Microdata) -> None:
    """Refuse names that are none of the columns; `what` opens the message."""
    problems = [
        f"{what}: there is no column {name!r} in both tables{did_you_mean(name, data.names)}"
        for name in columns
        if name not in data.names
    ]
    if problems or not columns:
        raise SchemaError(problems or [f"{what}: name at least one column."])
