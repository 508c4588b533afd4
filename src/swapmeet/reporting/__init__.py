"""Reports: results to a plain dict to one self-contained HTML file. A report never computes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from swapmeet.reporting.sources import ReleaseSummary
    from swapmeet.reporting.writing import report

__all__ = ["ReleaseSummary", "report"]

if not TYPE_CHECKING:
    MODULES = {"ReleaseSummary": "sources", "report": "writing"}

    def __getattr__(name: str) -> Any:
        """Load what is asked for when it is first used: the app only needs how figures are told."""
        if name not in MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
