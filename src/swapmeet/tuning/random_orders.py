"""A method in random orders of the columns, as the SJPPDS paper tries CART."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import TYPE_CHECKING

from swapmeet.core.base.seeds import Seed
from swapmeet.tuning.grid import Grid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.core.tables.microdata import Microdata

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
