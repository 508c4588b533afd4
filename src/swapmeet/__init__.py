"""Publish a table about people: mask it by data swapping, measure what was protected and lost.

>>> import swapmeet as sm
>>> df = sm.datasets.load("fair")
>>> release = sm.mask(df, sm.RWN(k=10, weights=0.2), schema=sm.datasets.schema("fair"), seed=1)
>>> release  # doctest: +ELLIPSIS
<Release of 6366 rows and 9 columns by rwn(k=10, eps=0.0, q=1.0, weights=0.2, scale='unit', ...)>
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from swapmeet import datasets
    from swapmeet.assessing import assess
    from swapmeet.crowds import crowding
    from swapmeet.donors import DonorMap
    from swapmeet.engines import Local, Spark, SparkRelease
    from swapmeet.errors import SwapmeetError, SwapmeetWarning
    from swapmeet.masking import mask
    from swapmeet.methods import (
        MEDS,
        METHODS,
        MEWS,
        NBRS,
        RWN,
        SJPPDS,
        Cart,
        DataShuffle,
        KLTheta,
        Microaggregation,
        Noise,
        PerColumn,
        RankSwap,
    )
    from swapmeet.proposing import propose_widths
    from swapmeet.release import AuditRecord, Release
    from swapmeet.reporting import report
    from swapmeet.schema import Column, Kind, Role, Schema
    from swapmeet.scorecard import Scorecard
    from swapmeet.streaming import assess_file, mask_file
    from swapmeet.tuning import Goal, Grid, Study, apply, tune

__version__ = "0.1.0"

_HOMES = {
    "swapmeet.assessing": ["assess"],
    "swapmeet.crowds": ["crowding"],
    "swapmeet.donors": ["DonorMap"],
    "swapmeet.engines": ["Local", "Spark", "SparkRelease"],
    "swapmeet.errors": ["SwapmeetError", "SwapmeetWarning"],
    "swapmeet.masking": ["mask"],
    "swapmeet.methods": [
        "MEDS",
        "METHODS",
        "MEWS",
        "NBRS",
        "RWN",
        "SJPPDS",
        "Cart",
        "DataShuffle",
        "Microaggregation",
        "KLTheta",
        "Noise",
        "PerColumn",
        "RankSwap",
    ],
    "swapmeet.proposing": ["propose_widths"],
    "swapmeet.release": ["AuditRecord", "Release"],
    "swapmeet.reporting": ["report"],
    "swapmeet.schema": ["Column", "Kind", "Role", "Schema"],
    "swapmeet.scorecard": ["Scorecard"],
    "swapmeet.streaming": ["assess_file", "mask_file"],
    "swapmeet.tuning": ["Goal", "Grid", "Study", "apply", "tune"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "MEDS",
    "METHODS",
    "MEWS",
    "NBRS",
    "RWN",
    "SJPPDS",
    "AuditRecord",
    "Cart",
    "Column",
    "DataShuffle",
    "DonorMap",
    "Goal",
    "Grid",
    "KLTheta",
    "Kind",
    "Local",
    "Microaggregation",
    "Noise",
    "PerColumn",
    "RankSwap",
    "Release",
    "Role",
    "Schema",
    "Scorecard",
    "Spark",
    "SparkRelease",
    "Study",
    "SwapmeetError",
    "SwapmeetWarning",
    "apply",
    "assess",
    "assess_file",
    "crowding",
    "datasets",
    "mask",
    "mask_file",
    "propose_widths",
    "report",
    "tune",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: `import swapmeet` costs next to nothing."""
    if name == "datasets":
        return import_module("swapmeet.datasets")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'swapmeet' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
