"""Combinations that a search proposes by itself: one method for numbers, one for categories."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from swapmeet.methods import Method, PerColumn, make
from swapmeet.tables.schema import Kind
from swapmeet.tuning.trial import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from swapmeet.tables.microdata import Microdata

SIZES = (5, 15, 50)
"""How many rows a group, a neighbourhood or a leaf has, for both parts."""
NUMBERS: Mapping[str, str] = {
    "matched-swap": "k",
    "rwn": "k",
    "microaggregation": "k",
    "data-shuffle": "",
}
"""Methods for columns with an order, with the name of their size."""
CATEGORIES: Mapping[str, str] = {"matched-swap": "k", "rwn": "k"}
"""Methods for columns without one."""


@dataclass(frozen=True)
class Combinations:
    """A grid of per-column settings of a table that has both numbers and categories."""

    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    sizes: tuple[int, ...]

    method = PerColumn.name

    @cached_property
    def values(self) -> Mapping[str, Sequence[Any]]:
        """The values that are combined, as a grid lists them."""
        return {
            "numbers": tuple(NUMBERS), "categories": tuple(CATEGORIES), "size": self.sizes,
        }  # fmt: skip

    def __iter__(self) -> Iterator[Setting]:
        return (setting for _, setting in self.points())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def points(self) -> Iterator[tuple[tuple[int, ...], Setting]]:
        """Each setting with the places of its values."""
        for place in product(*(range(len(values)) for values in self.values.values())):
            chosen = [values[at] for values, at in zip(self.values.values(), place, strict=True)]
            yield place, Setting.of(self._combine(*chosen))

    def _combine(self, numbers: str, categories: str, size: int) -> Method:
        return PerColumn(
            parts=(
                (_make(numbers, NUMBERS[numbers], size), self.numbers),
                (_make(categories, CATEGORIES[categories], size), self.categories),
            )
        )


def propose_combinations(data: Microdata) -> list[Combinations]:
    """Combinations for a table with several numbers and some categories; otherwise none."""
    categories = tuple(v.name for v in data.variables if v.kind is Kind.NOMINAL)
    numbers = tuple(name for name in data.names if name not in categories)
    sizes = tuple(size for size in SIZES if size <= data.n // 4)
    if not numbers or not categories or not sizes:
        return []
    return [Combinations(numbers, categories, sizes)]


def _make(name: str, parameter: str, size: int) -> Method:
    return make(name, {parameter: size} if parameter else {})
