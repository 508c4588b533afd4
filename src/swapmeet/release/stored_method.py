"""The method of a release, as its audit record has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class StoredMethod:
    """The name and the settings of a method, which make it again."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, facts: Mapping[str, Any] | None) -> StoredMethod | None:
        """From a file; None from older files, which do not tell."""
        return None if facts is None else cls(str(facts["name"]), dict(facts["settings"]))


def describe_method(method: Any) -> dict[str, Any] | None:
    """Describe a method for a file, so that it can be made again."""
    if method is None:
        return None
    settings = method.settings if isinstance(method, StoredMethod) else method.settings()
    return {"name": method.name, "settings": dict(settings)}
