"""All grids as one space to search: first a grid, then the place of each value in its list."""

from __future__ import annotations

from itertools import product
from numbers import Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.tuning.combinations import Combinations
    from swapmeet.tuning.grid import Grid
    from swapmeet.tuning.trial import Setting

    Place = tuple[int, ...]

GRID = "grid"


class SearchSpace:
    """The points of some grids.

    Optuna moves on places in lists, not on values, so that a setting that comes up again is the
    same setting, and steps are as even as the lists are.
    """

    def __init__(self, grids: Sequence[Grid | Combinations]) -> None:
        self._grids = {f"{number} {grid.method}": grid for number, grid in enumerate(grids)}
        self._points: dict[tuple[str, Place], Setting] = {}
        self._places: dict[str, tuple[str, Place]] = {}
        for name, grid in self._grids.items():
            for place, setting in grid.points():
                self._points[name, place] = setting
                self._places.setdefault(setting.key, (name, place))

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Setting]:
        return (self._points[at] for at in self._places.values())

    def __contains__(self, setting: Setting) -> bool:
        return setting.key in self._places

    def suggest(self, asked: Any) -> Setting | None:
        """The setting that an Optuna trial proposes, if the method has it."""
        name = asked.suggest_categorical(GRID, list(self._grids))
        place = []
        for parameter, values in self._grids[name].values.items():
            label = f"{name} {parameter}"
            if _in_order(values):
                place.append(asked.suggest_int(label, 0, len(values) - 1))
            else:
                place.append(asked.suggest_categorical(label, list(range(len(values)))))
        return self._points.get((name, tuple(place)))

    def to_optuna(self, setting: Setting) -> tuple[dict[str, Any], dict[str, Any]]:
        """A setting as Optuna's parameters and their distributions."""
        from optuna.distributions import CategoricalDistribution, IntDistribution

        name, place = self._places[setting.key]
        parameters: dict[str, Any] = {GRID: name}
        distributions: dict[str, Any] = {GRID: CategoricalDistribution(list(self._grids))}
        for (parameter, values), at in zip(self._grids[name].values.items(), place, strict=True):
            label, n = f"{name} {parameter}", len(values)
            parameters[label] = at
            distributions[label] = (
                IntDistribution(0, n - 1) if _in_order(values)
                else CategoricalDistribution(list(range(n)))
            )  # fmt: skip
        return parameters, distributions

    def spread(self) -> Iterator[Setting]:
        """Of each grid its middle, then of each its ends: a first look at everything."""
        for share in (0.5, 0.0, 1.0):
            for name, grid in self._grids.items():
                place = tuple(round(share * (len(v) - 1)) for v in grid.values.values())
                if (name, place) in self._points:
                    yield self._points[name, place]

    def neighbours(self, setting: Setting) -> Iterator[Setting]:
        """The settings one step away."""
        name, place = self._places[setting.key]
        for at, step in product(range(len(place)), (1, -1)):
            near = (*place[:at], place[at] + step, *place[at + 1 :])
            if (name, near) in self._points:
                yield self._points[name, near]


def _in_order(values: Sequence[Any]) -> bool:
    return all(isinstance(v, Real) and not isinstance(v, bool) for v in values)
