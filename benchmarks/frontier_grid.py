"""The settings of every method that the frontier tries."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from frontier_people import MIXED

from swapmeet.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

Settings = dict[str, Any]
OURS = "matched-swap"
SYNTHETIC = "cart"
LIGHT = 0.2
"""A weight of nominal columns that lets them move."""

Grid = dict[str, list[Any]]
"""Values of parameters; every combination is tried."""

NUMBERS: dict[str, list[Grid]] = {
    "rwn": [{"k": [5, 20, 100, 300]}],
    "nbrs": [{"eps": [1.0, 2.0, 4.0], "q": [1.0]}],
    "sjppds": [{"bins": [2, 4, 3, 6, 10]}],
    "mews": [{"bins": [2, 4]}],
    "meds": [{"k": [5, 50]}],
    "kl-theta": [{"k": [5, 50], "l": [2], "theta": [0.9]}],
    "rank-swap": [{"window": [0.3, 1.0, 0.5, 0.1]}],
    "data-shuffle": [{}],
    "microaggregation": [{"k": [3, 5, 6, 7, 10, 12, 15, 20, 30, 50], "permute": [False, True]}],
    "noise": [{"level": [0.1, 0.3, 0.6, 1.0, 1.5], "correlated": [False, True]}],
    "cart": [{"min_leaf": [2, 5, 10, 20, 50]}],
    OURS: [
        {"k": [7, 15, 30, 50, 10, 20, 100, 6, 12, 5, 3]},
        {"k": [7, 15, 30], "order": ["pairs", "squares"]},
        {"k": [7, 15, 30], "by": ["tree"]},
        {"k": [7, 10, 15, 30], "together": [3.0]},
    ],
}
"""What is tried on tables of numbers."""
CATEGORIES: dict[str, list[Grid]] = {
    **NUMBERS,
    "rwn": [{"k": [5, 20, 50, 100], "weights": [1.0, LIGHT]}],
    "nbrs": [{"eps": [1.0, 2.0, 4.0], "q": [1.0], "weights": [LIGHT]}],
    "microaggregation": [
        {"k": [7, 15, 30, 6, 12, 5], "permute": [True], "weights": [0.3]},
        {"k": [7, 15, 30], "permute": [False, True]},
    ],
    OURS: [*NUMBERS[OURS], {"k": [7, 10, 15, 30], "weights": [0.05, 0.3]}],
}
"""What is tried on mixed tables."""
RANDOM_ONLY_IF = {"microaggregation": "permute"}
"""Methods that draw nothing unless this is set."""


def list_settings(table: str, method: str) -> Iterator[Settings]:
    """All settings of a method that are tried on a table; none of a method that is not there."""
    if method not in METHODS:
        return
    for grid in (CATEGORIES if table in MIXED else NUMBERS)[method]:
        for values in product(*grid.values()):
            yield dict(zip(grid, values, strict=True))


def draws_at_random(method: str, settings: Settings) -> bool:
    """Whether another seed makes another release."""
    switch = RANDOM_ONLY_IF.get(method)
    return switch is None or bool(settings.get(switch))
