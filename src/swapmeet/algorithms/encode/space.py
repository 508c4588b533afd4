"""The space in which rows are near or far: how columns are scaled and weighed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.algorithms.encode.encoding import Encoding, Scale
from swapmeet.core.tables.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Collection

    from swapmeet.algorithms.encode.points import Points
    from swapmeet.core.tables.microdata import Microdata


@dataclass(frozen=True)
class Space:
    """How far rows are apart: the scale of the columns and their weights."""

    scale: str
    weights: float | dict[str, float]

    def points(self, data: Microdata) -> Points:
        """The rows of `data` as points."""
        encoding = Encoding.fit(data, Scale(self.scale), _by_name(data, self.weights))
        return encoding.points(data)

    def within(self, names: Collection[str]) -> Space:
        """The same space with these columns only."""
        if not isinstance(self.weights, dict):
            return self
        kept = {name: weight for name, weight in self.weights.items() if name in names}
        return Space(self.scale, kept)

    def key(self, data: Microdata) -> tuple[str, tuple[tuple[str, float], ...]]:
        """What tells the points of `data` from those in other spaces."""
        weights = _by_name(data, self.weights)
        return self.scale, tuple((name, weights.get(name, 1.0)) for name in data.names)


def _by_name(data: Microdata, weights: float | dict[str, float]) -> dict[str, float]:
    """One number is the weight of every nominal column."""
    if not isinstance(weights, dict):
        return {v.name: weights for v in data.variables if v.kind is Kind.NOMINAL}
    data.require_names(weights, "`weights`")
    return weights
