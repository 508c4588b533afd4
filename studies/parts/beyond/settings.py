"""The settings of every method that are tried."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import swapmeet as sm
from parts.beyond.tables import MIXED
from swapmeet.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parts.beyond.tables import Survey

Settings = dict[str, Any]
OURS = "matched-swap"
LIGHT = 0.2
"""A weight of nominal columns that lets them move."""

Grid = dict[str, list[Any]]
"""Values of parameters; every combination is tried."""

NUMBERS: dict[str, list[Grid]] = {
    "rwn": [{"k": [5, 1, 10, 20, 50, 100]}, {"k": [20], "q": [0.5]}],
    "nbrs": [{"eps": [1.0, 2.0, 4.0], "q": [1.0]}],
    "sjppds": [{"bins": [2, 3, 4, 6, 10, 20, 50, 100, 200]}],
    "mews": [{"bins": [2, 4], "rest": ["swap"]}],
    "meds": [{"k": [6, 20, 50], "rest": ["swap"]}],
    "kl-theta": [{"k": [5, 20], "l": [2], "theta": [0.9]}],
    "rank-swap": [{"window": [0.05, 0.1, 0.2, 0.3, 0.5, 1.0]}],
    "data-shuffle": [{}],
    "ipso": [{}],
    "microaggregation": [{"k": [5, 7, 10, 15, 20, 30, 50], "permute": [False, True]}],
    "noise": [{"level": [0.1, 0.3, 0.6, 1.0, 1.5], "correlated": [False, True]}],
    "cart": [{"min_leaf": [1, 5, 10, 20, 50]}],
    OURS: [
        {"k": [5, 7, 10, 15, 20, 30, 50, 100]},
        {"k": [7, 15, 30], "together": [3.0]},
    ],
}
"""What is tried on tables of numbers."""
CATEGORIES: dict[str, list[Grid]] = {
    **NUMBERS,
    "rwn": [{"k": [5, 20, 50, 100], "weights": [1.0, LIGHT]}],
    "nbrs": [{"eps": [1.0, 2.0, 4.0], "q": [1.0], "weights": [LIGHT]}],
    "mews": [{"bins": [2, 4]}],
    "meds": [{"k": [6, 50]}],
    "microaggregation": [
        {"k": [5, 7, 15, 30], "permute": [True], "weights": [0.3]},
        {"k": [5, 7, 15, 30], "permute": [False]},
    ],
    OURS: [{"k": [5, 7, 10, 15, 30, 50]}, {"k": [7, 15, 30], "weights": [0.3]}],
}
"""What is tried on mixed tables."""


def list_settings(survey: Survey, method: str) -> Iterator[Settings]:
    """All settings of a method that are tried on a table; none of a method that is not there."""
    if method not in METHODS:
        return
    for grid in (CATEGORIES if survey.name in MIXED else NUMBERS)[method]:
        for values in product(*grid.values()):
            yield {**dict(zip(grid, values, strict=True)), **choose_columns(survey, method)}


def list_few_settings(survey: Survey, method: str) -> Iterator[Settings]:
    """Every other setting, of which at most three: enough for a first picture."""
    yield from [*list_settings(survey, method)][::2][:3]


def choose_columns(survey: Survey, method: str) -> Settings:
    """Sensitive numbers are the swapping set on tables of numbers, where nothing else divides."""
    if method not in ("mews", "meds") or survey.name in MIXED:
        return {}
    return {"columns": list(survey.schema.having(sm.Role.SENSITIVE))}
