"""Options of all commands that read a table."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from swapmeet.core.tables.roles import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

READING = ("delimiter", "encoding", "sheet")
ASSIGNED = tuple(
    name
    for name in Settings.__annotations__
    if name not in {"together", "derive", "rule", "missing", "recode", "whole_households"}
)
TABULATOR = ("tab", "\\t")
"""How people write a tab where a shell would swallow it."""


@dataclass(frozen=True, kw_only=True)
class InputOptions:
    """How to read a file, and the roles and kinds of its columns, as a command was told."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    key: list[str] | None = None
    sensitive: list[str] | None = None
    keep: list[str] | None = None
    place: list[str] | None = None
    weight: list[str] | None = None
    strata: list[str] | None = None
    position: list[str] | None = None
    household: list[str] | None = None
    person: list[str] | None = None
    drop: list[str] | None = None
    numeric: list[str] | None = None
    ordinal: list[str] | None = None
    nominal: list[str] | None = None
    publish: list[str] | None = None
    missing: list[str] | None = None
    whole_households: bool | None = None
    recode: list[str] | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Those among the options of a command."""
        return cls(**{f.name: given[f.name] for f in fields(cls) if f.name in given})

    @property
    def reading(self) -> dict[str, str]:
        """How to read the file, where it was said."""
        given = {name: getattr(self, name) for name in READING if getattr(self, name) is not None}
        if given.get("delimiter") in TABULATOR:
            given["delimiter"] = "\t"
        return given

    @property
    def assigned(self) -> dict[str, list[str]]:
        """The texts that give columns a role or kind, or publish them, where some were given."""
        return {name: getattr(self, name) for name in ASSIGNED if getattr(self, name)}
