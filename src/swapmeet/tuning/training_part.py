"""A release for `prediction`: only the rows that a model learns from are masked.

A release of all rows holds values of the people on whom the model is tested, and would flatter it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Rows
    from swapmeet.core.base.seeds import Seed
    from swapmeet.core.tables.microdata import Microdata, Variable
    from swapmeet.engines.local.trial import TrialData
    from swapmeet.measures.comparison import Comparison
    from swapmeet.measures.utility.prediction import Prediction
    from swapmeet.methods import Method


def mask_training_part(
    data: TrialData, method: Method, seed: Seed, measure: Prediction, whole: Comparison
) -> Comparison:
    """The comparison of a table whose training rows were masked, and no others."""
    train, _ = measure.split(whole)
    part = data.take(train).compare(method, seed)
    released = _put(whole.original, train, part.released)
    return replace(whole, released=released, provenance=None, _done={}, _locks={})


def _put(original: Microdata, rows: Rows, released: Microdata) -> Microdata:
    """The original with some rows as they were released."""

    def put(variable: Variable) -> Variable:
        values = variable.values.copy()
        values[rows] = released[variable.name].values
        return replace(variable, values=values, whole=None)

    return replace(original, variables=tuple(map(put, original.variables)), cache=None)
