"""A model, fitted to both tables."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.comparison.score import Undefined
from swapmeet.measures.side_by_side.linear_fit import fit
from swapmeet.measures.side_by_side.model import Model, ModelKind
from swapmeet.measures.weights import find_weight_name
from swapmeet.tables.formula_numbers import UndefinedTermError

if TYPE_CHECKING:
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.tables.formulas import Formula


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
        float(before.cook[largest]),
        float(np.nanmax(after.cook)),
        None if np.isnan(kept) else kept,
    )
