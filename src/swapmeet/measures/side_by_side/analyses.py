"""Representative analyses: what an analyst finds in both tables, side by side."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.core.tables.schema import Kind
from swapmeet.errors import SchemaError, TableError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from swapmeet.core.tables.frame import Table
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.measures.comparison import Comparison
    from swapmeet.measures.side_by_side.conditions import Condition
    from swapmeet.measures.side_by_side.formulas import Formula

    Floats = npt.NDArray[np.float64]


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
        """How many standard errors the coefficient moved."""
        moved = self.released - self.original
        return moved / self.original_error if self.original_error > 0 else np.nan


@dataclass(frozen=True)
class Influence:
    """The largest Cook's distances, and what became of the record with the original's largest.

    `kept` is the Cook's distance of that person's released row; None where owners are unknown, or
    where the row is not in the model.
    """

    original: float
    released: float
    kept: float | None


@dataclass(frozen=True)
class ModelComparison:
    """A linear model fitted to both tables."""

    formula: str
    coefficients: tuple[Coefficient, ...]
    original_r_squared: float
    released_r_squared: float
    original_rows: int
    released_rows: int
    influence: Influence

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        found = asdict(self)
        for row, coefficient in zip(found["coefficients"], self.coefficients, strict=True):
            row["shift"] = coefficient.shift
        return found


@dataclass(frozen=True)
class Component:
    """A principal component of both tables: its share of the variance, and how far it turned.

    `agreement` is the absolute cosine between the two directions: 1 if they are the same.
    """

    original_share: float
    released_share: float
    agreement: float


@dataclass(frozen=True)
class PCAComparison:
    """Principal components of standardised columns, over complete rows."""

    columns: tuple[str, ...]
    components: tuple[Component, ...]

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


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


@dataclass(frozen=True)
class RareRecords:
    """Rows that meet a condition, before and after, and what became of their owners.

    `stayed` owners meet it in the original and, with their released row, after; `strangers` are
    released rows that meet it though their owner does not. Both are unknown without owners.
    """

    condition: str
    original: int
    released: int
    stayed: int | None
    strangers: int | None

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)

    @property
    def sentence(self) -> str:
        """In words."""
        told = f"{self.original} people meet the condition, and {self.released} released rows do"
        if self.stayed is None:
            return f"{told}; whose they are is not known."
        return f"{told}: {self.stayed} are their own, {self.strangers} are other people's."


def compare_model(comparison: Comparison, formula: Formula) -> ModelComparison:
    """Fit a linear model by least squares to both tables, over their complete rows."""
    formula.check(comparison.original)
    names, before = fit(comparison.original, comparison.original, formula)
    _, after = fit(comparison.released, comparison.original, formula)
    rows = zip(names, before.beta, before.errors, after.beta, after.errors, strict=True)
    return ModelComparison(
        formula.text,
        tuple(Coefficient(name, *map(float, figures)) for name, *figures in rows),
        before.r_squared,
        after.r_squared,
        before.rows,
        after.rows,
        _influence(before, after, owners_known=comparison.owners_known),
    )


def _influence(before: Fit, after: Fit, *, owners_known: bool) -> Influence:
    largest = int(np.nanargmax(before.cook))
    kept = float(after.cook[largest]) if owners_known else np.nan
    return Influence(
        float(before.cook[largest]),
        float(np.nanmax(after.cook)),
        None if np.isnan(kept) else kept,
    )


@dataclass(frozen=True, eq=False)
class Fit:
    """A linear model fitted to one table; `cook` has a Cook's distance for each row, NaN where the
    row is not in the model.
    """

    beta: Floats
    errors: Floats
    r_squared: float
    rows: int
    cook: Floats


def fit(data: Microdata, like: Microdata, formula: Formula) -> tuple[list[str], Fit]:
    """The names of the coefficients, and the fit over complete rows; categories are `like`'s."""
    names, design = formula.design(data, like)
    response = data[formula.response].values
    complete = ~(np.isnan(design).any(axis=1) | np.isnan(response))
    design, response = design[complete], response[complete]
    n, p = design.shape
    scale = np.sqrt((design**2).sum(axis=0))
    scale[scale == 0.0] = 1.0
    q, r = np.linalg.qr(design / scale)
    weak = np.abs(np.diag(r)) < 1e-10
    if n <= p or weak.any():
        culprits = [name for name, is_weak in zip(names, weak, strict=True) if is_weak]
        reason = f"{', '.join(culprits)} repeat the others" if n > p else f"{n} rows for {p} terms"
        raise TableError(f"model: {formula.text} cannot be fitted: {reason}.")
    inverse = np.linalg.inv(r)
    beta = inverse @ (q.T @ response)
    residual = response - q @ (q.T @ response)
    variance = float(residual @ residual) / (n - p)
    errors = np.sqrt(variance * (inverse**2).sum(axis=1))
    total = float(((response - response.mean()) ** 2).sum())
    r_squared = 1.0 - float(residual @ residual) / total if total > 0 else np.nan
    cook = np.full(len(complete), np.nan)
    cook[complete] = _cook(q, residual, variance)
    return names, Fit(beta / scale, errors / scale, r_squared, n, cook)


def _cook(q: Floats, residual: Floats, variance: float) -> Floats:
    """Cook's distances: how far all fitted values move when a row is left out."""
    leverage = np.minimum((q**2).sum(axis=1), 1.0 - 1e-12)
    if variance == 0.0:
        return np.zeros(len(residual))
    return residual**2 / (q.shape[1] * variance) * leverage / (1.0 - leverage) ** 2


def compare_pca(comparison: Comparison, columns: Sequence[str]) -> PCAComparison:
    """Principal components of the same columns in both tables."""
    require_columns("pca", columns, comparison.original)
    nominal = [name for name in columns if comparison.original[name].kind is Kind.NOMINAL]
    if nominal or len(columns) < 2:
        culprit = f"not {', '.join(nominal)}" if nominal else f"got {len(columns)}"
        raise SchemaError([f"pca: give two or more columns with numbers; {culprit}."])
    shares, axes = _components(comparison.original.select(columns))
    new_shares, new_axes = _components(comparison.released.select(columns))
    agreement = np.abs((axes * new_axes).sum(axis=0))
    rows = zip(shares, new_shares, np.minimum(agreement, 1.0), strict=True)
    return PCAComparison(tuple(columns), tuple(Component(*map(float, row)) for row in rows))


def _components(data: Microdata) -> tuple[Floats, Floats]:
    values = np.stack([v.values for v in data.variables], axis=1)
    values = values[~np.isnan(values).any(axis=1)]
    spread = values.std(axis=0) if len(values) else np.zeros(values.shape[1])
    if len(values) < 2 or (spread == 0).any():
        still = [v.name for v, s in zip(data.variables, spread, strict=True) if s == 0]
        raise TableError(
            f"pca: {', '.join(still) or 'the columns'} do not vary over complete rows."
        )
    weights, axes = np.linalg.eigh(np.corrcoef(values.T))
    return weights[::-1] / weights.sum(), axes[:, ::-1]


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


def require_columns(what: str, columns: Sequence[str], data: Microdata) -> None:
    """Refuse names that are none of the columns; `what` opens the message."""
    problems = [
        f"{what}: there is no column {name!r} in both tables{did_you_mean(name, data.names)}"
        for name in columns
        if name not in data.names
    ]
    if problems or not columns:
        raise SchemaError(problems or [f"{what}: name at least one column."])


def rare_records(
    original: Table,
    released: Table,
    condition: Condition,
    rows: npt.NDArray[np.int64] | None,
    *,
    owners_known: bool,
) -> RareRecords:
    """Count the rows that meet a condition; `rows` puts released rows in their owners' order."""
    before, after = condition.holds(original), condition.holds(released)
    if not owners_known:
        return RareRecords(condition.text, int(before.sum()), int(after.sum()), None, None)
    after = after if rows is None else after[rows]
    return RareRecords(
        condition.text,
        int(before.sum()),
        int(after.sum()),
        int((before & after).sum()),
        int((after & ~before).sum()),
    )
