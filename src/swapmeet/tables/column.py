"""A column of a table: its kind and role, guesses of them, and names found quickly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, SupportsIndex

from swapmeet.base.sentences import count
from swapmeet.errors import SchemaError
from swapmeet.tables.arrow import CellType
from swapmeet.tables.role import Role
from swapmeet.tables.role_hints import RoleHint, find_role_hint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.tables.frame import Table
    from swapmeet.tables.roles import Code


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


FEW = 10
"""Integers with at most this many distinct values are taken for categories."""
NUMERIC_FAMILIES = {CellType.INTEGER, CellType.FLOAT, CellType.DECIMAL, CellType.TIME}


def infer_column(table: Table, name: str, hints: Mapping[str, str]) -> Column:
    """A column as its values suggest it; `hints` are kinds that the file itself declares."""
    return examine_column(_infer_kind(table, name, hints), table)


def examine_column(column: Column, table: Table) -> Column:
    """The column, with why it looks like an identifier or made for some role, if it does."""
    return replace(
        column,
        identifier=table.find_identifier(column.name),
        hint=find_role_hint(column.name, table),
        examined=True,
    )


def _infer_kind(table: Table, name: str, hints: Mapping[str, str]) -> Column:
    family = table.family(name)
    if family is CellType.MIXED:
        concern = f"holds mixed types ({table.types(name)}); convert it, or keep or drop it."
        return Column(name, Kind.NOMINAL, reason="mixed types", concern=concern)
    if family is CellType.NESTED:
        concern = "holds nested or binary values; give it the role keep or drop."
        return Column(name, Kind.NOMINAL, reason="nested values", concern=concern)
    if name in hints:
        return Column(name, Kind(hints[name]), reason="declared in the file")
    if family is CellType.ORDERED:
        return Column(name, Kind.ORDINAL, reason="ordered categories")
    if family is CellType.INTEGER:
        return _infer_integer(table, name)
    if family in NUMERIC_FAMILIES:
        return Column(name, Kind.NUMERIC, reason=str(family))
    if family is CellType.TEXT:
        distinct = table.codes(name).levels
        return Column(name, Kind.NOMINAL, reason=f"text with {count(distinct, 'distinct value')}")
    reason = "no values" if family is CellType.EMPTY else str(family)
    return Column(name, Kind.NOMINAL, reason=reason)


def _infer_integer(table: Table, name: str) -> Column:
    return guess_integer_kind(Column(name, Kind.NUMERIC), table.codes(name).levels, len(table))


def guess_integer_kind(column: Column, distinct: int, rows: int) -> Column:
    """The column of whole numbers, with the kind that so many distinct ones suggest."""
    kind = Kind.NOMINAL if distinct <= FEW and distinct * 2 <= rows else Kind.NUMERIC
    return replace(column, kind=kind, reason=f"integers with {count(distinct, 'distinct value')}")


class ColumnNames(tuple[str, ...]):
    """A tuple of different names; whether and where one stands in it takes the same time always.

    >>> names = ColumnNames(["age", "sex"])
    >>> "sex" in names, names.index("sex"), names == ("age", "sex")
    (True, 1, True)
    """

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._places

    def index(self, name: Any, *within: SupportsIndex) -> int:
        """The place of a name."""
        if within or name not in self:
            return super().index(name, *within)
        return self._places[name]

    def __reduce__(self) -> tuple[Any, ...]:
        return ColumnNames, (tuple(self),)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self)}
