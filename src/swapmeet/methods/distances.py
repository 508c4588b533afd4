"""What methods on neighbourhoods share: weights by column name, and points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.encode import Encoding, Points, Scale
from swapmeet.errors import SchemaError, did_you_mean
from swapmeet.schema import Kind

if TYPE_CHECKING:
    from swapmeet.microdata import Microdata


def points_of(data: Microdata, scale: str, weights: float | dict[str, float]) -> Points:
    """The rows of `data` as points."""
    encoding = Encoding.fit(data, Scale(scale), _by_name(data, weights))
    return encoding.points(data)


def _by_name(data: Microdata, weights: float | dict[str, float]) -> dict[str, float]:
    """One number is the weight of every nominal column."""
    if not isinstance(weights, dict):
        return {v.name: weights for v in data.variables if v.kind is Kind.NOMINAL}
    unknown = [name for name in weights if name not in data.names]
    if unknown:
        raise SchemaError(
            f"`weights`: {name!r} is not a masked column{did_you_mean(name, data.names)}"
            for name in unknown
        )
    return weights
