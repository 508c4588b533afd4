"""Pictures: one module per figure, whose `draw` takes figures and gives a matplotlib figure.

`save` writes one to a file, `to_svg` makes it an element of a page. Nothing is computed here.
Importing this package is cheap; matplotlib is loaded when something is drawn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from swapmeet.plots import (
        boxplots,
        categories,
        component_scores,
        correlations,
        crowding,
        distributions,
        influence,
        loadings,
        risk_utility_map,
        scree,
        selectivity,
        trade_off,
    )
    from swapmeet.plots.svg import save, to_svg

__all__ = [
    "boxplots",
    "categories",
    "component_scores",
    "correlations",
    "crowding",
    "distributions",
    "influence",
    "loadings",
    "risk_utility_map",
    "save",
    "scree",
    "selectivity",
    "to_svg",
    "trade_off",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Load a figure, or what writes one, when it is first used."""
    if name in ("save", "to_svg"):
        return getattr(import_module("swapmeet.plots.svg"), name)
    if name not in __all__:
        raise AttributeError(f"module 'swapmeet.plots' has no attribute {name!r}")
    return import_module(f"swapmeet.plots.{name}")
