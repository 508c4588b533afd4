"""Models, and tables of categories, in both files, and the influence of single rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, Labels
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.comparison.weights import find_weight_name
from swapmeet.errors import SchemaError, did_you_mean
from swapmeet.measures.side_by_side.bins import (
    LEAST,
    count_in_bins,
    even_ratios,
    is_small,
    join_small_bins,
)
from swapmeet.measures.side_by_side.fit import fit, read_weights
from swapmeet.measures.side_by_side.model import Model, ModelKind
from swapmeet.tables.formula_reader import UndefinedTermError
from swapmeet.tables.formulas import Formula
from swapmeet.tables.microdata import Microdata


@dataclass(frozen=True)
class Coefficient:
    """A coefficient in both tables; `shift` is its change in standard errors of the original."""

    name: str
    original: float
    original_error: float
    released: float
    released_error: float

    @property
    def shift(self) -> float:
        """Return by how many standard errors the coefficient moved."""
        moved = self.released - self.original
        return moved / self.original_error if self.original_error > 0 else np.nan


@dataclass(frozen=True)
class LargestInfluence:
    """The largest Cook's distances, and what became of the record with the original's largest.

    `kept` is the Cook's distance of that person's released row; None where owners are unknown, or
    where the row is not in the model.
    """

    original: float
    released: float
    kept: float | None


@dataclass(frozen=True)
class ModelComparison:
    """A model fitted to both tables; `undefined` says why there are no coefficients.

    Only linear models have shares of variance explained, and only those without weights figures of
    influence.
    """

    formula: str
    coefficients: tuple[Coefficient, ...]
    original_r_squared: float | None
    released_r_squared: float | None
    original_rows: int
    released_rows: int
    influence: LargestInfluence | None
    kind: str = ModelKind.LINEAR.value
    undefined: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        fields = asdict(self)
        for row, coefficient in zip(fields["coefficients"], self.coefficients, strict=True):
            row["shift"] = coefficient.shift
        return {**fields, "undefined": self.undefined or None}


def compare_model(comparison: Comparison, model: Model | Formula) -> ModelComparison:
    """Fit a model to both tables, over their complete rows; a formula is a linear model.

    Where rows have sampling weights, it is weighted by them unless it names others.
    """
    model = model if isinstance(model, Model) else Model.of(model)
    model = model.weigh_by(find_weight_name(comparison))
    model.check(comparison.original)
    estimates = []
    for data, where in ((comparison.original, "original"), (comparison.released, "release")):
        try:
            estimates.append(model.estimate(data, comparison.original))
        except (Undefined, UndefinedTermError) as reason:
            problem = f"in the {where}, {str(reason).removeprefix('model: ').rstrip('.')}"
            return ModelComparison(
                model.text, (), None, None, 0, 0, None, model.kind.value, problem
            )
    before, after = estimates
    rows = zip(before.names, before.beta, before.errors, after.beta, after.errors, strict=True)
    return ModelComparison(
        model.text,
        tuple(Coefficient(name, *map(float, figures)) for name, *figures in rows),
        before.r_squared,
        after.r_squared,
        before.rows,
        after.rows,
        _find_largest(comparison, model.formula) if model.is_plain else None,
        model.kind.value,
    )


def _find_largest(comparison: Comparison, formula: Formula) -> LargestInfluence:
    original = comparison.original
    before, after = (fit(data, original, formula)[1] for data in (original, comparison.released))
    largest = int(np.nanargmax(before.cook))
    kept = float(after.cook[largest]) if comparison.owners_known else np.nan
    return LargestInfluence(
        float(before.cook[largest]), float(np.nanmax(after.cook)), None if np.isnan(kept) else kept
    )


@dataclass(frozen=True)
class Influence:
    """Cook's distances of a linear model, counted in bins, and the largest of each table.

    `edges` are the inner ones; the outermost bins are open. No count is from 1 to `least` - 1; a
    model of fewer rows has no counts at all.
    """

    formula: str
    edges: tuple[float, ...]
    original: tuple[int, ...]
    released: tuple[int, ...]
    largest_original: float
    largest_released: float
    least: int = LEAST

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def compare_influence(comparison: Comparison, formula: Formula, *, least: int = LEAST) -> Influence:
    """The influence of rows on a model fitted to both tables."""
    formula.check(comparison.original)
    tables = comparison.original, comparison.released
    cook = [fit(data, comparison.original, formula)[1].cook for data in tables]
    cook = [distances[~np.isnan(distances)] for distances in cook]
    every = even_ratios(np.concatenate(cook))
    counts = np.stack([count_in_bins(distances, every) for distances in cook], axis=1)
    starts = join_small_bins(counts, least)
    counts = np.add.reduceat(counts, starts)
    if is_small(counts, least):
        starts, counts = [0], counts[:0]
    original, released = (tuple(column.tolist()) for column in counts.T)
    edges = tuple(every[start - 1] for start in starts[1:])
    first, second = (float(distances.max()) for distances in cook)
    return Influence(formula.text, edges, original, released, first, second, least)


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
    tables = comparison.tables
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
    weights = read_weights(data, weight)
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
