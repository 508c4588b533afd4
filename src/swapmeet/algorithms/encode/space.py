"""The space in which rows are near or far: how columns are scaled and weighed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from swapmeet.algorithms.encode.encoding import Encoding, Scale
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy.typing as npt

    from swapmeet.algorithms.encode.points import Points
    from swapmeet.base.named_function import NamedFunction
    from swapmeet.tables.microdata import Microdata


@dataclass(frozen=True)
class Space:
    """Space in which distances of rows are taken: the scale of the columns and their weights.

    `near` are columns of the context that count, too, as far as they are there. A `distance` is a
    function of the user's, which takes the place of scale and weights: rows are no points then.
    """

    scale: str
    weights: float | dict[str, float]
    near: tuple[str, ...] = ()
    distance: NamedFunction | None = None

    def points(self, data: Microdata) -> Points:
        """The rows of `data` as points."""
        seen = self._see(data)
        encoding = Encoding.fit(seen, Scale(self.scale), _by_name(seen, self.weights))
        return encoding.points(seen)

    def values(self, data: Microdata) -> dict[str, npt.NDArray[Any]]:
        """The columns that count, by name, as a function of the user's sees them."""
        return {v.name: v.labels() for v in self._see(data).variables}

    def _see(self, data: Microdata) -> Microdata:
        """The masked columns, and those of the context that count."""
        if not self.near:
            return data
        others = tuple(v for v in data.context if v.name in self.near)
        return replace(data, variables=(*data.variables, *others), cache=None)

    def within(self, names: Collection[str]) -> Space:
        """The same space with these columns only."""
        if not isinstance(self.weights, dict):
            return self
        known = {*names, *self.near}
        kept = {name: weight for name, weight in self.weights.items() if name in known}
        return replace(self, weights=kept)

    def key(self, data: Microdata) -> tuple[str, tuple[tuple[str, float], ...]]:
        """Return what distinguishes the points of `data` from those in other spaces."""
        seen = self._see(data)
        weights = _by_name(seen, self.weights)
        return self.scale, tuple((name, weights.get(name, 1.0)) for name in seen.names)


def _by_name(data: Microdata, weights: float | dict[str, float]) -> dict[str, float]:
    """One number is the weight of every nominal column."""
    if not isinstance(weights, dict):
        return {v.name: weights for v in data.variables if v.kind is Kind.NOMINAL}
    data.require_names(weights, "`weights`")
    return weights
