"""The grids of the papers, by the name the command line knows them by, and their goals."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial, sqrt
from typing import TYPE_CHECKING

from swapmeet.base.seeds import Seed
from swapmeet.errors import ParameterError, did_you_mean
from swapmeet.tuning.goal import Goal
from swapmeet.tuning.grid import Grid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.tables.microdata import Microdata


ORDER = "order"
_STREAMS = Seed(bytes(32)).within("random orders")
"""Orders of columns are no secret: a search that is resumed tries the same ones."""


@dataclass(frozen=True)
class RandomOrders(Grid):
    """A method that takes columns in an `order`, tried with `count` random ones.

    The columns are those of the table that is searched; a table of few columns has fewer orders.
    """

    count: int = 30

    def fit_to(self, data: Microdata) -> Grid:
        """The grid of the orders of this table's columns, each of them once."""
        wanted = min(self.count, factorial(len(data.names)))
        orders: dict[tuple[str, ...], None] = {}
        for order in self._draw(data.names):
            orders[order] = None
            if len(orders) == wanted:
                break
        return Grid(self.method, {**self.values, ORDER: list(orders)})

    def _draw(self, names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        stream = _STREAMS.stream(self.method)
        while True:
            yield tuple(names[place] for place in stream.permutation(len(names)))


GROUPS = range(2, 32)
NOISES = [percent / 100 for percent in range(1, 118, 4)]
WINDOWS = [percent / 100 for percent in range(2, 61, 2)]
BINS = range(10, 301, 10)
RADII = [twentieth / 20 for twentieth in range(25)]
ORDERS = 30

UNBOUNDED = {"whole": ["ignore"], "bounds": ["none"]}
"""Noise as sdcMicro adds it: values are neither rounded nor kept inside the range."""
TAILS = {"top": [0.05], "bottom": [0.05]}
"""sdcMicro's rank swapping replaces the highest and the lowest 5 % by their means by default."""

GRIDS: dict[str, tuple[Grid, ...]] = {
    "sjppds-paper": (
        Grid("sjppds", {"bins": BINS}),
        Grid("microaggregation", {"k": GROUPS, "by": ["mdav", "pca", "pppca"]}),
        Grid("noise", {"level": NOISES, **UNBOUNDED}),
        Grid("noise", {"level": [*map(sqrt, NOISES)], "correlated": [True], **UNBOUNDED}),
        Grid("rank-swap", {"window": WINDOWS, **TAILS}),
        Grid("data-shuffle"),
    ),
    "sjppds-paper-synthetic": (
        Grid("sjppds", {"bins": BINS}),
        RandomOrders("cart", count=ORDERS),
    ),
    "rwn-paper": (Grid("rwn", {"k": range(5, 76, 5), "q": [0.25, 0.5, 0.75, 1.0]}),),
    "rwn-paper-radii": (Grid("rwn", {"k": [5], "eps": RADII}),),
    "rwn-paper-comparison": (
        Grid("rwn", {"k": [5], "eps": RADII[5:20]}),
        Grid("rank-swap", {"window": [hundredth / 100 for hundredth in range(12, 55, 3)], **TAILS}),
        Grid("microaggregation", {"k": range(2, 17)}),
    ),
}
"""SJPPDS, sections 4.1 and 4.2; RWN, Figures 2 to 4, sections 9.3.2 and 9.4 (Table 3).

The percentage of sdcMicro's noise is a standard deviation where it is independent, and a variance
where it is correlated; our `level` is a standard deviation in both cases.
"""

GOALS: dict[str, Goal] = {
    "sjppds-paper": Goal.of_sjppds_paper(),
    "sjppds-paper-synthetic": Goal.of_sjppds_paper(synthetic=True),
}
"""What the papers minimise, where they say so: SJPPDS, equations 4 and 7."""


def find_preset(name: str) -> tuple[Grid, ...]:
    """The grids of this name."""
    if name not in GRIDS:
        raise ParameterError(
            f"grid: no {name!r}{did_you_mean(name, GRIDS)} There are {', '.join(GRIDS)}."
        )
    return GRIDS[name]


def find_goal(name: str | None) -> Goal:
    """The goal that goes with the grid of this name: that of its paper, or the default one."""
    return GOALS.get(name or "", Goal())
