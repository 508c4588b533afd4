"""The masking methods, by the name the command line knows them by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.errors import ParameterError, did_you_mean
from swapmeet.methods.base import Method
from swapmeet.methods.cart import Cart
from swapmeet.methods.data_shuffle import DataShuffle
from swapmeet.methods.kl_theta import KLTheta
from swapmeet.methods.meds import MEDS
from swapmeet.methods.mews import MEWS
from swapmeet.methods.microaggregation import Microaggregation
from swapmeet.methods.nbrs import NBRS
from swapmeet.methods.noise import Noise
from swapmeet.methods.per_column import PerColumn
from swapmeet.methods.rank_swap import RankSwap
from swapmeet.methods.rwn import RWN
from swapmeet.methods.sjppds import SJPPDS

if TYPE_CHECKING:
    from collections.abc import Mapping

_TABLE: tuple[type[Method], ...] = (
    RWN,
    NBRS,
    SJPPDS,
    MEWS,
    MEDS,
    Microaggregation,
    KLTheta,
    RankSwap,
    Noise,
    Cart,
    DataShuffle,
    PerColumn,
)
METHODS: dict[str, type[Method]] = {method.name: method for method in _TABLE}

__all__ = [
    "MEDS",
    "METHODS",
    "MEWS",
    "NBRS",
    "RWN",
    "SJPPDS",
    "Cart",
    "DataShuffle",
    "KLTheta",
    "Method",
    "Microaggregation",
    "Noise",
    "PerColumn",
    "RankSwap",
    "find",
    "make",
]


def make(name: str, settings: Mapping[str, Any]) -> Method:
    """The method of this name with these settings."""
    return find(name).from_settings(settings)


def find(name: str) -> type[Method]:
    """The method of this name."""
    if name not in METHODS:
        raise ParameterError(
            f"no method {name!r}{did_you_mean(name, METHODS)} There are {', '.join(METHODS)}."
        )
    return METHODS[name]
