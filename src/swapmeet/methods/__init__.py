"""The masking methods, by the name the command line knows them by; each is loaded when first used.

This is the only list of them: to add a method, name its class in `CLASSES` and `__all__`, and
import it for type checkers. The name of its module is its own with underscores.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from swapmeet.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.methods.base import Method as Method
    from swapmeet.methods.cart import Cart
    from swapmeet.methods.data_shuffle import DataShuffle
    from swapmeet.methods.ipso import IPSO
    from swapmeet.methods.kl_theta import KLTheta
    from swapmeet.methods.matched_swap import MatchedSwap
    from swapmeet.methods.meds import MEDS
    from swapmeet.methods.mews import MEWS
    from swapmeet.methods.microaggregation import Microaggregation
    from swapmeet.methods.nbrs import NBRS
    from swapmeet.methods.noise import Noise
    from swapmeet.methods.per_column import PerColumn
    from swapmeet.methods.rank_swap import RankSwap
    from swapmeet.methods.record_swap import RecordSwap
    from swapmeet.methods.rwn import RWN
    from swapmeet.methods.sjppds import SJPPDS

    METHODS: dict[str, type[Method]]

CLASSES = {
    "matched-swap": "MatchedSwap",
    "rwn": "RWN",
    "nbrs": "NBRS",
    "sjppds": "SJPPDS",
    "mews": "MEWS",
    "meds": "MEDS",
    "microaggregation": "Microaggregation",
    "kl-theta": "KLTheta",
    "record-swap": "RecordSwap",
    "rank-swap": "RankSwap",
    "noise": "Noise",
    "cart": "Cart",
    "data-shuffle": "DataShuffle",
    "ipso": "IPSO",
    "per-column": "PerColumn",
}
"""In the order in which people see them."""

__all__ = [
    "IPSO",
    "MEDS",
    "METHODS",
    "MEWS",
    "NBRS",
    "RWN",
    "SJPPDS",
    "Cart",
    "DataShuffle",
    "KLTheta",
    "MatchedSwap",
    "Microaggregation",
    "Noise",
    "PerColumn",
    "RankSwap",
    "RecordSwap",
]


def make(name: str, settings: Mapping[str, Any]) -> Method:
    """The method of this name with these settings."""
    return find(name).from_settings(settings)


def find(name: str) -> type[Method]:
    """The method of this name."""
    methods = _load_all()
    if name not in methods:
        raise ParameterError(
            f"no method {name!r}{did_you_mean(name, methods)} There are {', '.join(methods)}."
        )
    return methods[name]


@cache
def _load_all() -> dict[str, type[Method]]:
    return {name: _load(name.replace("-", "_"), kind) for name, kind in CLASSES.items()}


def _load(module: str, name: str) -> Any:
    return getattr(import_module(f"{__name__}.{module}"), name)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Load the table, or a class, when it is first used: importing this costs nothing."""
        if name == "METHODS":
            return _load_all()
        modules = {kind: method.replace("-", "_") for method, kind in CLASSES.items()}
        modules["Method"] = "base"
        if name not in modules:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return _load(modules[name], name)
