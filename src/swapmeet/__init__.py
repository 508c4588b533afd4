"""Publish a table about people: mask it by data swapping, measure what was protected and lost.

>>> import swapmeet as sm
>>> df = sm.datasets.load("diabetes")
>>> release = sm.mask(df, sm.MatchedSwap(k=10), schema=sm.datasets.schema("diabetes"), seed=1)
>>> release  # doctest: +ELLIPSIS
<Release of 442 rows and 11 columns by matched-swap(k=10, by='near', ...)>
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from swapmeet import methods

if TYPE_CHECKING:
    from swapmeet import datasets, plots
    from swapmeet.base.progress import Progress, Stoppable
    from swapmeet.engines import Local, Spark, SparkRelease
    from swapmeet.errors import Stopped, SwapmeetError, SwapmeetWarning
    from swapmeet.inspecting.neighborhoods import Neighborhoods, crowding, neighborhoods
    from swapmeet.inspecting.table import Inspection
    from swapmeet.inspecting.widths import propose_widths
    from swapmeet.io import Document, read
    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.methods import *  # noqa: F403 (all that its __all__ lists)
    from swapmeet.plan.plan import Plan
    from swapmeet.plan.question import Question
    from swapmeet.release.audit import AuditRecord
    from swapmeet.release.donors import DonorMap
    from swapmeet.release.release import Release
    from swapmeet.reporting import report
    from swapmeet.running.assessing import assess, assess_file
    from swapmeet.running.comparing import compare
    from swapmeet.running.inspecting import inspect
    from swapmeet.running.masking import mask, mask_file
    from swapmeet.running.protecting import ProtectedRelease, protect
    from swapmeet.tables.derived_columns import check_derivation
    from swapmeet.tables.recoding.recode import recode
    from swapmeet.tables.schema import Column, Kind, Role, Schema
    from swapmeet.tuning import Goal, Grid, Study, apply, tune

__version__ = "0.1.0"

_NAMES = {
    "swapmeet.running.assessing": ["assess", "assess_file"],
    "swapmeet.running.comparing": ["compare"],
    "swapmeet.inspecting.neighborhoods": ["Neighborhoods", "crowding", "neighborhoods"],
    "swapmeet.base.progress": ["Progress", "Stoppable"],
    "swapmeet.release.donors": ["DonorMap"],
    "swapmeet.engines": ["Local", "Spark", "SparkRelease"],
    "swapmeet.errors": ["Stopped", "SwapmeetError", "SwapmeetWarning"],
    "swapmeet.running.masking": ["mask", "mask_file"],
    "swapmeet.methods": methods.__all__,
    "swapmeet.inspecting.table": ["Inspection"],
    "swapmeet.running.inspecting": ["inspect"],
    "swapmeet.inspecting.widths": ["propose_widths"],
    "swapmeet.io": ["Document", "read"],
    "swapmeet.plan.plan": ["Plan"],
    "swapmeet.plan.question": ["Question"],
    "swapmeet.release.audit": ["AuditRecord"],
    "swapmeet.release.release": ["Release"],
    "swapmeet.running.protecting": ["ProtectedRelease", "protect"],
    "swapmeet.reporting": ["report"],
    "swapmeet.tables.derived_columns": ["check_derivation"],
    "swapmeet.tables.recoding.recode": ["recode"],
    "swapmeet.tables.schema": ["Column", "Kind", "Role", "Schema"],
    "swapmeet.measures.scorecard": ["Scorecard"],
    "swapmeet.tuning": ["Goal", "Grid", "Study", "apply", "tune"],
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "AuditRecord",
    "Column",
    "Document",
    "DonorMap",
    "Goal",
    "Grid",
    "Inspection",
    "Kind",
    "Local",
    "Neighborhoods",
    "Plan",
    "Progress",
    "ProtectedRelease",
    "Question",
    "Release",
    "Role",
    "Schema",
    "Scorecard",
    "Spark",
    "SparkRelease",
    "Stoppable",
    "Stopped",
    "Study",
    "SwapmeetError",
    "SwapmeetWarning",
    "apply",
    "assess",
    "assess_file",
    "check_derivation",
    "compare",
    "crowding",
    "datasets",
    "inspect",
    "mask",
    "mask_file",
    "neighborhoods",
    "plots",
    "propose_widths",
    "protect",
    "read",
    "recode",
    "report",
    "tune",
]
__all__ += methods.__all__


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: `import swapmeet` costs next to nothing."""
    if name in ("datasets", "plots"):
        return import_module(f"swapmeet.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'swapmeet' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
