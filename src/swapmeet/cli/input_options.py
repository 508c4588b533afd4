"""Options of all commands that read a table."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from swapmeet.tables.role import Role
from swapmeet.tables.roles import Settings

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

READING = ("delimiter", "encoding", "sheet", "header")
TIES = ("together", "derive", "rule", "unrepaired")
TABULATOR = ("tab", "\\t")
"""How people write a tab where a shell would swallow it."""


@dataclass(frozen=True, kw_only=True)
class InputOptions:
    """The options of a command on how to read a file and on the roles and kinds of its columns."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    header: bool | None = None
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
    together: list[str] | None = None
    derive: list[str] | None = None
    rule: list[str] | None = None
    unrepaired: str | None = None
    as_inspected: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Pick them from the options of a command."""
        return cls(**{f.name: given[f.name] for f in fields(cls) if f.name in given})

    @property
    def reading(self) -> dict[str, Any]:
        """The way to read the file, where the user said so."""
        given = {name: getattr(self, name) for name in READING if getattr(self, name) is not None}
        if given.get("delimiter") in TABULATOR:
            given["delimiter"] = "\t"
        return given

    @property
    def assigned(self) -> dict[str, Any]:
        """The texts that give columns a role or kind, or publish them, where some were given."""
        return {name: getattr(self, name) for name in ASSIGNED if getattr(self, name)}

    @property
    def ties(self) -> dict[str, Any]:
        """The ties between columns, where the user said so."""
        return {name: getattr(self, name) for name in TIES if getattr(self, name)}

    def list_words(self) -> list[str]:
        """The options as they are typed, for another command."""
        words: list[str] = []
        for field in fields(self):
            given, option = getattr(self, field.name), f"--{field.name.replace('_', '-')}"
            if given is True:
                words.append(option)
            elif given is False and field.default is None:
                words.append(f"--no-{field.name}")
            elif given:
                texts = [given] if isinstance(given, str) else given
                words += [word for text in texts for word in (option, text)]
        return words

    def list_named(self, names: Collection[str]) -> set[str]:
        """The columns that are given a role, or are to be published all the same."""
        texts = [text for role in (*Role, "publish") for text in getattr(self, role, None) or ()]
        return {name for text in texts for name in split_names(text, names)}


def split_names(text: str, names: Collection[str]) -> list[str]:
    """Names separated by commas; a column whose own name has a comma is taken whole."""
    if text in names:
        return [text]
    parts = text.split(",")
    return [
        part if part in names else part.strip() for part in parts if part.strip() or part in names
    ]


ASSIGNED = tuple(
    field.name
    for field in fields(InputOptions)
    if field.name in Settings.__annotations__
    and field.name not in {*TIES, "missing", "whole_households", "recode"}
)
