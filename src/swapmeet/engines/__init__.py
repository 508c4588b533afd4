"""Engines that mask and compare tables: memory, files larger than memory, a Spark cluster."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from swapmeet.base.progress import Progress, silent
from swapmeet.engines.local import Local
from swapmeet.engines.protocol import Engine, is_spark
from swapmeet.io.document import Document

if TYPE_CHECKING:
    from swapmeet.engines.files import Files
    from swapmeet.engines.spark import Spark, SparkRelease

__all__ = ["Engine", "Files", "Local", "Spark", "SparkRelease", "choose_engine"]

_HOMES = {
    "Files": "swapmeet.engines.files",
    "Spark": "swapmeet.engines.spark",
    "SparkRelease": "swapmeet.engines.spark",
}


def choose_engine(data: object, engine: Any = None, progress: Progress = silent) -> Any:
    """The engine given, or else the one for this kind of table; `progress` watches a local one."""
    if engine is None and is_spark(data):
        engine = __getattr__("Spark")()
    chosen = Local() if engine is None else engine
    if not isinstance(chosen, Local):
        return chosen
    kinds = data.kinds if isinstance(data, Document) else chosen.kinds
    listener = chosen.progress if progress is silent else progress
    return replace(chosen, progress=listener, kinds=kinds)


def __getattr__(name: str) -> Any:
    """Load an engine when it is first used: anyone who has pandas frames never loads Spark's."""
    if name not in _HOMES:
        raise AttributeError(f"module 'swapmeet.engines' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
