"""All that pictures of a release show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from swapmeet.base.arrays import Flags, Floats
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.errors import UsageError
from swapmeet.measures.side_by_side.bins import LEAST, PUBLIC_DIGITS
from swapmeet.measures.side_by_side.components import (
    Components,
    ComponentScores,
    compare_component_scores,
    compare_components,
)
from swapmeet.measures.side_by_side.distribution import Distribution, compare_distribution
from swapmeet.measures.side_by_side.models import Influence, compare_influence
from swapmeet.measures.side_by_side.selectivity import Selectivity, compare_selectivity
from swapmeet.measures.utility.pearson import correlations_of
from swapmeet.tables.formula_reader import UndefinedTermError
from swapmeet.tables.formulas import Formula

Matrix = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class CorrelationMatrices:
    """Correlation matrices of the columns with numbers, as the measure `correlations` has them.

    A correlation is over the rows in which both columns have a value, and None where these are
    fewer than `least`. Columns that are constant in the original are left out.
    """

    columns: tuple[str, ...]
    original: Matrix
    released: Matrix
    least: int = LEAST

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)

    def coarse(self) -> CorrelationMatrices:
        """For the public: to two digits."""
        both = (_rounded(self.original), _rounded(self.released))
        return CorrelationMatrices(self.columns, *both, self.least)


def _rounded(matrix: Matrix) -> Matrix:
    return tuple(
        tuple(None if value is None else round(value, PUBLIC_DIGITS) for value in row)
        for row in matrix
    )


def compare_correlations(
    comparison: Comparison, *, least: int = LEAST
) -> CorrelationMatrices | None:
    """The correlations of both tables; None where there are no two columns to correlate."""
    try:
        matrices = comparison.once(correlations_of)
    except Undefined:
        return None
    if len(matrices.numbers.names) < 2:
        return None
    few = matrices.rows < least
    original, released = (_hide(matrix, few) for matrix in (matrices.original, matrices.released))
    return CorrelationMatrices(matrices.numbers.names, original, released, least)


def _hide(matrix: Floats, few: Flags) -> Matrix:
    """The matrix without correlations of few rows."""
    blank = few | np.isnan(matrix)
    return tuple(
        tuple(None if hidden else float(value) for value, hidden in zip(*row, strict=True))
        for row in zip(matrix, blank, strict=True)
    )


@dataclass(frozen=True)
class Profile:
    """Aggregates of an original and its release, side by side."""

    correlations: CorrelationMatrices | None
    components: Components | None
    distributions: tuple[Distribution, ...]
    influences: tuple[Influence, ...] = ()
    selectivities: tuple[Selectivity, ...] = ()
    component_scores: ComponentScores | None = None

    def rename_categories(self, labels: Mapping[str, Mapping[str, str]]) -> Profile:
        """With the labels of values, by column, instead of the values."""
        named = tuple(each.rename(labels.get(each.column, {})) for each in self.distributions)
        return replace(self, distributions=named)

    def coarse(self) -> Profile:
        """For the public: figures in few digits, and nothing of single records.

        An exact figure lets someone who knows all but one of the people test a guess about the
        last.
        """
        return Profile(
            None if self.correlations is None else self.correlations.coarse(),
            None if self.components is None else self.components.coarse(),
            tuple(one.coarse() for one in self.distributions),
        )

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "correlations": None if self.correlations is None else self.correlations.to_dict(),
            "components": None if self.components is None else self.components.to_dict(),
            "distributions": [one.to_dict() for one in self.distributions],
            "influences": [one.to_dict() for one in self.influences],
            "selectivities": [one.to_dict() for one in self.selectivities],
            "component_scores": self.component_scores and self.component_scores.to_dict(),
        }


def make_profile(
    comparison: Comparison,
    *,
    formulas: Iterable[Formula] = (),
    selectivities: Iterable[tuple[Any, ...]] = (),
) -> Profile:
    """The profile of a release: its masked columns, models, and pairs of columns for queries.

    A pair is the column whose values are counted, and the one that is selected by; a third entry
    says which others are, and how much of them (see `compare_selectivity`).
    """
    return Profile(
        compare_correlations(comparison),
        compare_components(comparison),
        tuple(compare_distribution(comparison, name) for name in comparison.masked),
        tuple(_compare_influences(comparison, formulas)),
        tuple(compare_selectivity(comparison, *_check(pair)) for pair in selectivities),
        compare_component_scores(comparison),
    )


def _compare_influences(comparison: Comparison, formulas: Iterable[Formula]) -> Iterator[Influence]:
    """The influence of rows on each model that has values in all rows of the release."""
    for formula in formulas:
        with suppress(UndefinedTermError):
            yield compare_influence(comparison, formula)


def _check(pair: Any) -> tuple[Any, ...]:
    wanted = 3 if isinstance(pair[-1], Mapping) else 2
    if isinstance(pair, str) or len(pair) != wanted:
        raise UsageError(
            "selectivity: give pairs of columns, the one that is counted and the one that is "
            "selected by, such as [('occupation', 'age')]."
        )
    return tuple(pair)
