"""Import paths that were documented once: they still work, and warn of the new path."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

MOVED = {
    "swapmeet.facts": {"Gathering": "swapmeet.core.tables.statistics.PartialStatistics"},
    "swapmeet.groups.privacy": {
        "equi_depth_privacy": "swapmeet.algorithms.groups.privacy.equi_depth_privacy",
        "equi_width_privacy": "swapmeet.algorithms.groups.privacy.equi_width_privacy",
    },
    "swapmeet.schema": {
        "Column": "swapmeet.Column",
        "Kind": "swapmeet.Kind",
        "Role": "swapmeet.Role",
        "Schema": "swapmeet.Schema",
    },
    "swapmeet.streaming": {
        "assess_file": "swapmeet.assess_file",
        "guess_schema": "swapmeet.engines.files.opening.guess_schema",
        "mask_file": "swapmeet.mask_file",
    },
    "swapmeet.utility.queries": {"Queries": "swapmeet.measures.utility.queries.Queries"},
}
"""By old module and name: the new path."""
_PACKAGES = {module.rpartition(".")[0] for module in MOVED}


class MovedModules:
    """Finds the old modules; `sys.meta_path` asks it after all others."""

    @classmethod
    def install(cls) -> None:
        """Let the interpreter ask."""
        if cls not in sys.meta_path:
            sys.meta_path.append(cls)

    @classmethod
    def find_spec(cls, name: str, *_: Any) -> ModuleSpec | None:
        """How to load an old module, or a package that such a module was in."""
        if name not in MOVED and name not in _PACKAGES:
            return None
        loader: Any = cls
        return ModuleSpec(name, loader, is_package=name in _PACKAGES)

    @staticmethod
    def create_module(_: ModuleSpec) -> None:
        """A module as usual."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Let the module look its names up where they are now."""
        names = MOVED.get(module.__name__, {})
        module.__dict__["__getattr__"] = lambda name: _find(module.__name__, name, names)


def _find(module: str, name: str, names: dict[str, str]) -> Any:
    if name not in names:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    warnings.warn(
        f"{module}.{name} has moved: use {names[name]}.", DeprecationWarning, stacklevel=3
    )
    home, _, new = names[name].rpartition(".")
    return getattr(import_module(home), new)
