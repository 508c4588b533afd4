"""A linear model, fitted to both tables."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.measures.side_by_side.linear_fit import Fit, fit

if TYPE_CHECKING:
    from swapmeet.core.tables.formulas import Formula
    from swapmeet.measures.comparison import Comparison


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
    """A linear model fitted to both tables."""

    formula: str
    coefficients: tuple[Coefficient, ...]
    original_r_squared: float
    released_r_squared: float
    original_rows: int
    released_rows: int
    influence: LargestInfluence

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        found = asdict(self)
        for row, coefficient in zip(found["coefficients"], self.coefficients, strict=True):
            row["shift"] = coefficient.shift
        return found


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
        _find_largest(before, after, owners_known=comparison.owners_known),
    )


def _find_largest(before: Fit, after: Fit, *, owners_known: bool) -> LargestInfluence:
    largest = int(np.nanargmax(before.cook))
    kept = float(after.cook[largest]) if owners_known else np.nan
    return LargestInfluence(
        float(before.cook[largest]),
        float(np.nanmax(after.cook)),
        None if np.isnan(kept) else kept,
    )
