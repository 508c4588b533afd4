"""A column of a table: its kind, its role, and what the curator should look at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from swapmeet.errors import SchemaError
from swapmeet.tables.role import Role

if TYPE_CHECKING:
    from swapmeet.tables.missing_codes import Code
    from swapmeet.tables.role_hints import RoleHint


class Kind(StrEnum):
    """Way in which values of a column compare."""

    NUMERIC = "numeric"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"


@dataclass(frozen=True)
class Column:
    """A column's kind and role, why the kind was chosen, and what the curator should look at.

    `identifier` is why it looks like a direct identifier of people, if its values were `examined`,
    and `publish` that the curator wants it in the release all the same. `missing` are codes that
    stand for a missing value; they move like any other, and count as missing. `whole`, of a column
    with household numbers, tells that households trade as wholes. `hint` is the role that the
    column looks made for.
    """

    name: str
    kind: Kind
    role: Role = Role.KEY
    reason: str = "as given"
    concern: str | None = None
    identifier: str | None = None
    examined: bool = False
    publish: bool = False
    missing: tuple[Code, ...] = ()
    whole: bool = False
    hint: RoleHint | None = None

    @property
    def is_undecided(self) -> bool:
        """Return whether it looks like an identifier, not dropped nor published on purpose."""
        named = self.role is Role.DROP or self.role.is_unit or self.publish
        return bool(self.identifier) and not named

    @property
    def lacks_role(self) -> bool:
        """Return whether it seems to need a role that it does not have, and is published anyway."""
        if self.hint is None or self.publish:
            return False
        return self.role.masked or (self.role is Role.KEEP and self.hint.role.is_unit)

    @property
    def worry(self) -> str | None:
        """Say what the curator has yet to decide on, if anything."""
        if self.is_undecided:
            return f"looks like a direct identifier: {self.identifier}."
        if self.lacks_role and self.hint is not None:
            return self.hint.sentence
        return self.concern if self.role.is_compared and self.role is not Role.KEEP else None

    def __post_init__(self) -> None:
        problems: list[str] = []
        object.__setattr__(self, "kind", require_member(Kind, self.kind, self.name, problems))
        object.__setattr__(self, "role", require_member(Role, self.role, self.name, problems))
        if problems:
            raise SchemaError(problems)


def say_how_to_decide(column: Column) -> str:
    """Say what the curator can do about a column's worry, as the end of a message."""
    role = "" if column.hint is None else column.hint.role
    if not column.is_undecided:
        return f" Say so: {role}=[{column.name!r}], or --{role}." if column.lacks_role else ""
    role = f"Or give its role: schema.assign({role}=[{column.name!r}]). " if role else ""
    return (
        f" Leave it out: schema.assign(drop=[{column.name!r}]). {role}"
        f"Or, if it identifies nobody, publish it: schema.assign(publish=[{column.name!r}])."
    )


def require_member(kind: type[Any], value: object, name: str, problems: list[str]) -> Any:
    """The member of an enumeration that a word stands for; a word that is none is a problem."""
    allowed = [str(member) for member in kind]
    if value in allowed:
        return kind(value)
    what = kind.__name__.lower()
    problems.append(f"column {name!r}: {what} must be one of {', '.join(allowed)}.")
    return None
