"""What each column is (its kind) and what is to be done with it (its role)."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self, Unpack

from swapmeet.core.tables.arrow import Family
from swapmeet.core.tables.frame import Frame, Table
from swapmeet.core.tables.missing_codes import Code, assign_codes, list_codes
from swapmeet.core.tables.role import Role as Role
from swapmeet.core.tables.role_conflicts import list_role_conflicts
from swapmeet.core.tables.role_hints import RoleHint, find_role_hint
from swapmeet.core.tables.roles import Settings, require_known
from swapmeet.core.tables.schema_html import write_schema
from swapmeet.core.tables.ties import Ties
from swapmeet.errors import SchemaError, SwapmeetWarning, UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FEW = 10
"""Integers with at most this many distinct values are taken for categories."""


class Kind(StrEnum):
    """How values of a column compare."""

    NUMERIC = "numeric"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"


_OF_ANY_TYPE = {Role.KEEP, Role.HOUSEHOLD, Role.PERSON, Role.DROP}
_SETTINGS = ("kind", "role", "publish", "missing", "whole")

NUMERIC_FAMILIES = {Family.INTEGER, Family.FLOAT, Family.DECIMAL, Family.TIME}
_ALLOWED = {
    Kind.NUMERIC: NUMERIC_FAMILIES | {Family.BOOLEAN, Family.EMPTY},
    Kind.ORDINAL: NUMERIC_FAMILIES | {Family.BOOLEAN, Family.EMPTY, Family.ORDERED},
    Kind.NOMINAL: set(Family),
}


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
        """Whether it looks like an identifier, and is neither dropped nor knowingly published."""
        named = self.role is Role.DROP or self.role.is_unit or self.publish
        return bool(self.identifier) and not named

    @property
    def lacks_role(self) -> bool:
        """Whether it looks made for a role that it does not have, and is published all the same."""
        if self.hint is None or self.publish:
            return False
        return self.role.masked or (self.role is Role.KEEP and self.hint.role.is_unit)

    @property
    def worry(self) -> str | None:
        """What the curator has yet to decide on, if anything."""
        if self.is_undecided:
            return f"looks like a direct identifier: {self.identifier}."
        if self.lacks_role and self.hint is not None:
            return self.hint.sentence
        return self.concern if self.role.is_compared and self.role is not Role.KEEP else None

    def __post_init__(self) -> None:
        problems: list[str] = []
        object.__setattr__(self, "kind", _member(Kind, self.kind, self.name, problems))
        object.__setattr__(self, "role", _member(Role, self.role, self.name, problems))
        if problems:
            raise SchemaError(problems)


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order.

    >>> import pandas as pd
    >>> df = pd.DataFrame({"age": [31.5, 40.0, 52.5], "sex": ["f", "m", "f"], "region": [1, 1, 2]})
    >>> schema = Schema.infer(df).assign(sensitive=["age"], strata=["region"])
    >>> [(column.name, str(column.kind), str(column.role)) for column in schema]
    [('age', 'numeric', 'sensitive'), ('sex', 'nominal', 'key'), ('region', 'numeric', 'strata')]
    """

    columns: tuple[Column, ...]
    ties: Ties = field(default_factory=Ties)
    recodes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        twice = [name for name, count in Counter(self.names).items() if count > 1]
        if twice:
            raise SchemaError(f"column {name!r} is listed more than once." for name in twice)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def _repr_html_(self) -> str:
        return write_schema(self)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError([_unknown(name, self.names)])

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, in order."""
        return tuple(column.name for column in self.columns)

    def having(self, *roles: Role) -> tuple[str, ...]:
        """Names of the columns with one of the roles."""
        return tuple(column.name for column in self.columns if column.role in roles)

    @property
    def masked(self) -> tuple[str, ...]:
        """Names of the columns that a method perturbs."""
        return tuple(column.name for column in self.columns if column.role.masked)

    @property
    def published(self) -> tuple[str, ...]:
        """Names of the columns of the release: all but the dropped."""
        return tuple(column.name for column in self.columns if column.role is not Role.DROP)

    @property
    def compared(self) -> tuple[str, ...]:
        """Names of the columns whose released values mean something beside the original's."""
        return tuple(column.name for column in self.columns if column.role.is_compared)

    @property
    def whole_households(self) -> bool:
        """Whether households trade as wholes."""
        return any(column.whole for column in self.columns)

    @classmethod
    def infer(cls, data: Frame, *, hints: Mapping[str, str] | None = None) -> Self:
        """Guess each column's kind from its values; `hints` are kinds that a file itself declares.

        Every column starts with the role key. What looks like an identifier is warned of.
        """
        schema = cls.guess(data, hints or {})
        schema.warn_of_concerns(stacklevel=3)
        return schema

    @classmethod
    def guess(cls, data: Frame, hints: Mapping[str, str]) -> Self:
        """As `infer`, but without warnings: for those who ask the curator before they warn."""
        table = Table.of(data)
        return cls(tuple(_infer(table, name, hints) for name in table.names))

    def warn_of_concerns(self, *, stacklevel: int = 2) -> None:
        """Warn of columns that call for a decision, unless they are dropped."""
        for column in self.columns:
            if column.worry:
                warning = f"column {column.name!r}: {column.worry}{_say_how_to_decide(column)}"
                warnings.warn(warning, SwapmeetWarning, stacklevel=stacklevel)

    @property
    def undecided(self) -> tuple[Column, ...]:
        """Columns that look like identifiers, and are neither dropped nor knowingly published."""
        return tuple(column for column in self.columns if column.is_undecided)

    def find_identifiers(self, data: Frame) -> Self:
        """The schema, with what looks like an identifier among columns not yet examined."""
        table = Table.of(data)
        columns = (c if c.examined else _examine(c, table) for c in self.columns)
        return replace(self, columns=tuple(columns))

    def assign(self, **given: Unpack[Settings]) -> Self:
        """A schema with the named columns given these roles and kinds; the rest stays.

        `publish` are columns that look like direct identifiers, and are to be published (masked or
        not, by their role) all the same. `missing` are codes that stand for a missing value: those
        of all columns, or of each column named, in place of what it had. `together`, `derive` and
        `rule` add to what ties columns to each other, and `recode` adds steps that run before the
        table is masked.
        """
        require_known("assign", given, Settings)
        problems: list[str] = []
        roles = _chosen(Role, given, problems)
        kinds = _chosen(Kind, given, problems)
        publish = _listed("publish", given.get("publish", ()), problems)
        recodes, recoded = _parse_recodes(given.get("recode") or ())
        problems += [
            _unknown(name, self.names)
            for name in {**roles, **kinds, **dict.fromkeys((*publish, *recoded))}
            if name not in self.names
        ]
        problems += [
            f"column {name!r} is to be dropped and to be published; choose one."
            for name in publish
            if Role.DROP in roles.get(name, ())
        ]
        problems += [
            f"column {name!r} is given {_and(choices)}; choose one."
            for name, choices in [*roles.items(), *kinds.items()]
            if len(choices) > 1
        ]
        if given.get("whole_households") and not _is_given(roles, Role.HOUSEHOLD, self):
            problems.append(
                "whole households are to trade, and no column numbers households. Give one the "
                "role household."
            )
        problems += _list_derived_twice(self.ties.add(given), roles)
        if problems:
            raise SchemaError(problems)
        codes = assign_codes(given["missing"], self.names) if "missing" in given else {}
        whole = bool(given.get("whole_households", self.whole_households))
        columns = (_assigned(column, roles, kinds) for column in self.columns)
        ties = self.ties.add(given)
        derived = {one.name for one in ties.derivations}
        columns = (_mark_derived(column, derived) for column in columns)
        return replace(
            self,
            columns=tuple(_declare(_publish(c, publish), codes, whole) for c in columns),
            ties=ties,
            recodes=(*self.recodes, *recodes),
        )

    def examine_again(self, data: Frame, names: Iterable[str]) -> Self:
        """The schema, with what looks like an identifier among some columns as they are here."""
        table, some = Table.of(data), set(names)
        columns = (_examine(c, table) if c.name in some else c for c in self.columns)
        return replace(self, columns=tuple(columns))

    def in_order(self, names: Iterable[str]) -> Self:
        """The named columns, in the order of `names`."""
        return replace(self, columns=tuple(self[name] for name in names))

    def check(self, data: Frame) -> None:
        """Raise all that stands between this schema and the table, in one error."""
        table = Table.of(data)
        problems = [_unknown(name, table.names) for name in self.names if name not in table.names]
        problems += [
            f"column {name!r} is in the table but has no role. Add it to the schema."
            for name in table.names
            if name not in self.names
        ]
        problems += list_role_conflicts(self)
        for column in self.columns:
            if column.name not in table.names or column.role in _OF_ANY_TYPE:
                continue
            family = table.family(column.name)
            if family not in _ALLOWED[column.kind]:
                problems.append(
                    f"column {column.name!r} holds {family} and cannot be {column.kind}. "
                    f"{_remedy(column.kind)}"
                )
        problems += self.ties.list_problems(self)
        if problems:
            raise SchemaError(problems)

    def with_settings(self, columns: Mapping[str, Any]) -> Self:
        """A schema with what a run file says of some columns; it may leave out kind or role."""
        own = self.to_dict()
        problems = [_unknown(name, self.names) for name in columns if name not in own]
        facts = {
            name: {**own[name], **given} if isinstance(given, dict) else given
            for name, given in columns.items()
            if name in own
        }
        try:
            told = {column.name: column for column in Schema.from_dict(facts)}
        except SchemaError as error:
            problems += error.problems
        if problems:
            raise SchemaError(problems)
        return replace(self, columns=tuple(_told(c, told.get(c.name)) for c in self.columns))

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """For the run file: by column, kind and role, and what else was said of it."""
        return {
            c.name: {
                "kind": str(c.kind),
                "role": str(c.role),
                **({"publish": True} if c.publish else {}),
                **({"missing": list(c.missing)} if c.missing else {}),
                **({"whole": True} if c.whole else {}),
            }
            for c in self.columns
        }

    @classmethod
    def from_dict(cls, columns: Mapping[str, Any]) -> Self:
        """From the run file; all problems are raised together."""
        problems: list[str] = []
        made = []
        for name, facts in columns.items():
            if not isinstance(facts, dict):
                problems.append(f'column {name!r}: give a table such as {{kind = "numeric"}}.')
                continue
            problems += [
                f"column {name!r}: unknown setting {key!r}{did_you_mean(key, _SETTINGS)}"
                for key in facts.keys() - set(_SETTINGS)
            ]
            publish, whole = facts.get("publish", False), facts.get("whole", False)
            problems += [
                f"column {name!r}: {what} must be true or false."
                for what, value in (("publish", publish), ("whole", whole))
                if not isinstance(value, bool)
            ]
            kind = _member(Kind, facts.get("kind"), name, problems)
            role = _member(Role, facts.get("role", "key"), name, problems)
            missing = _read_codes(facts.get("missing", ()), name, problems)
            if kind and role:
                made.append(Column(name, kind, role, publish=publish, missing=missing, whole=whole))
        if problems:
            raise SchemaError(problems)
        return cls(tuple(made))


def _infer(table: Table, name: str, hints: Mapping[str, str]) -> Column:
    return _examine(_infer_kind(table, name, hints), table)


def _examine(column: Column, table: Table) -> Column:
    """The column, with why it looks like an identifier or made for some role, if it does."""
    return replace(
        column,
        identifier=table.find_identifier(column.name),
        hint=find_role_hint(column.name, table),
        examined=True,
    )


def _say_how_to_decide(column: Column) -> str:
    role = "" if column.hint is None else column.hint.role
    if not column.is_undecided:
        return f" Say so: {role}=[{column.name!r}], or --{role}." if column.lacks_role else ""
    role = f"Or give its role: schema.assign({role}=[{column.name!r}]). " if role else ""
    return (
        f" Leave it out: schema.assign(drop=[{column.name!r}]). {role}"
        f"Or, if it identifies nobody, publish it: schema.assign(publish=[{column.name!r}])."
    )


def _infer_kind(table: Table, name: str, hints: Mapping[str, str]) -> Column:
    family = table.family(name)
    if family is Family.MIXED:
        concern = f"holds mixed types ({table.types(name)}); convert it, or keep or drop it."
        return Column(name, Kind.NOMINAL, reason="mixed types", concern=concern)
    if family is Family.NESTED:
        concern = "holds nested or binary values; give it the role keep or drop."
        return Column(name, Kind.NOMINAL, reason="nested values", concern=concern)
    if name in hints:
        return Column(name, Kind(hints[name]), reason="declared in the file")
    if family is Family.ORDERED:
        return Column(name, Kind.ORDINAL, reason="ordered categories")
    if family is Family.INTEGER:
        return _infer_integer(table, name)
    if family in NUMERIC_FAMILIES:
        return Column(name, Kind.NUMERIC, reason=str(family))
    if family is Family.TEXT:
        distinct = table.codes(name).levels
        return Column(name, Kind.NOMINAL, reason=f"text with {distinct} distinct values")
    reason = "no values" if family is Family.EMPTY else str(family)
    return Column(name, Kind.NOMINAL, reason=reason)


def _infer_integer(table: Table, name: str) -> Column:
    return guess_integer_kind(Column(name, Kind.NUMERIC), table.codes(name).levels, len(table))


def guess_integer_kind(column: Column, distinct: int, rows: int) -> Column:
    """The column of whole numbers, with the kind that so many distinct ones suggest."""
    kind = Kind.NOMINAL if distinct <= FEW and distinct * 2 <= rows else Kind.NUMERIC
    return replace(column, kind=kind, reason=f"integers with {distinct} distinct values")


def _chosen(
    choices: type[Any], given: Mapping[str, Any], problems: list[str]
) -> dict[str, list[Any]]:
    """By column, the roles or kinds that it is given."""
    chosen: dict[str, list[Any]] = {}
    for choice in choices:
        for name in _listed(choice, given.get(choice, ()), problems):
            chosen.setdefault(name, []).append(choice)
    return chosen


def _listed(choice: str, names: Iterable[str], problems: list[str]) -> list[str]:
    """The names, each once; a column given in place of its name is refused unread."""
    if type(names).__name__ == "Series":
        problems.append(f"`{choice}` must be column names; got a column. Give its name.")
        return []
    listed = list(dict.fromkeys([names] if isinstance(names, str) else names))
    if not all(isinstance(name, str) for name in listed):
        problems.append(f"`{choice}` must be column names; got something that is not text.")
        return []
    return listed


def _parse_recodes(texts: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts of steps, which must be right, and the columns that they are about."""
    if not texts:
        return (), ()
    from swapmeet.core.tables.recoding.recode import parse_recodes

    steps = parse_recodes(texts)
    return tuple(step.text for step in steps), tuple(step.column for step in steps)


def _is_given(roles: Mapping[str, list[Role]], role: Role, schema: Schema) -> bool:
    """Whether a column has a role, or is given it."""
    return any(role in choices for choices in roles.values()) or bool(schema.having(role))


def _assigned(
    column: Column, roles: Mapping[str, list[Role]], kinds: Mapping[str, list[Kind]]
) -> Column:
    if column.name in roles:
        column = replace(column, role=roles[column.name][0])
    if column.name in kinds:
        column = replace(column, kind=kinds[column.name][0], reason="as given")
    return column


def _mark_derived(column: Column, derived: Iterable[str]) -> Column:
    return replace(column, role=Role.DERIVED) if column.name in derived else column


def _list_derived_twice(ties: Ties, roles: Mapping[str, list[Role]]) -> list[str]:
    """What is said of columns that follow from others and were given another role."""
    return [
        f"column {one.name!r} follows from {', '.join(one.parents)} and cannot be "
        f"{_and(roles[one.name])}. Give this role to what it follows from."
        for one in ties.derivations
        if roles.get(one.name, [Role.DERIVED]) != [Role.DERIVED]
    ]


def _publish(column: Column, names: Iterable[str]) -> Column:
    return replace(column, publish=True) if column.name in names else column


def _declare(column: Column, codes: Mapping[str, tuple[Code, ...]], whole: bool) -> Column:  # noqa: FBT001
    trades = whole and column.role is Role.HOUSEHOLD
    return replace(column, missing=codes.get(column.name, column.missing), whole=trades)


def _told(column: Column, told: Column | None) -> Column:
    if told is None:
        return column
    reason = column.reason if told.kind is column.kind else "as given"
    return replace(
        column,
        kind=told.kind, role=told.role, reason=reason, publish=told.publish, missing=told.missing,
        whole=told.whole,
    )  # fmt: skip


def _read_codes(codes: object, name: str, problems: list[str]) -> tuple[Code, ...]:
    try:
        return list_codes(codes)
    except SchemaError as error:
        problems += [f"column {name!r}: {problem}" for problem in error.problems]
        return ()


def _member(kind: type[Any], value: object, name: str, problems: list[str]) -> Any:
    allowed = [str(member) for member in kind]
    if value in allowed:
        return kind(value)
    what = kind.__name__.lower()
    problems.append(f"column {name!r}: {what} must be one of {', '.join(allowed)}.")
    return None


def fit_schema(schema: object, table: Table, asked_by: str) -> Schema:
    """The schema given, or else inferred, when it fits the table; columns in the table's order."""
    found = Schema.infer(table) if schema is None else require_schema(schema, asked_by)
    found.check(table)
    return found.in_order(table.names)


def require_schema(schema: object, asked_by: str) -> Schema:
    """The schema, unless it is something else."""
    if not isinstance(schema, Schema):
        raise UsageError(
            f"{asked_by}: `schema` must be a Schema; got a {type(schema).__name__}. "
            "Make one with Schema.infer(data).assign(...)."
        )
    return schema


def _unknown(name: str, names: Iterable[str]) -> str:
    names = list(names)
    listed = ", ".join(names[:12]) + (" …" if len(names) > 12 else "")
    return f"no column {name!r}{did_you_mean(name, names)} This table has {listed}."


def _remedy(kind: Kind) -> str:
    if kind is Kind.ORDINAL:
        return "Use ordered categories or numbers, or call it nominal."
    return "Call it nominal."


def _and(choices: list[Any]) -> str:
    return " and ".join(map(str, choices))
