"""Kind of each column (what it is) and its role (what is to be done with it)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, Unpack

from swapmeet.errors import SchemaError, UsageError, did_you_mean, warn
from swapmeet.tables.arrow import CellType
from swapmeet.tables.assignment import Assignment
from swapmeet.tables.column import (
    NUMERIC_FAMILIES,
    ColumnNames,
    examine_column,
    infer_column,
    require_member,
    say_how_to_decide,
)
from swapmeet.tables.column import Column as Column
from swapmeet.tables.column import Kind as Kind
from swapmeet.tables.frame import Frame, Table
from swapmeet.tables.missing_codes import assign_codes, list_codes
from swapmeet.tables.role import Role as Role
from swapmeet.tables.role import list_role_conflicts
from swapmeet.tables.roles import Code, Settings, require_known
from swapmeet.tables.schema_text import describe_size, write_schema, write_schema_html
from swapmeet.tables.ties import Ties

_OF_ANY_TYPE = {Role.KEEP, Role.HOUSEHOLD, Role.PERSON, Role.DROP}
_SETTINGS = ("kind", "role", "publish", "missing", "whole")

_ALLOWED = {
    Kind.NUMERIC: NUMERIC_FAMILIES | {CellType.BOOLEAN, CellType.EMPTY},
    Kind.ORDINAL: NUMERIC_FAMILIES | {CellType.BOOLEAN, CellType.EMPTY, CellType.ORDERED},
    Kind.NOMINAL: set(CellType),
}


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

    def __repr__(self) -> str:
        return f"<Schema of {describe_size(self)}>"

    def __str__(self) -> str:
        return write_schema(self)

    def _repr_html_(self) -> str:
        return write_schema_html(self)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, name: str) -> Column:
        if name not in self.names:
            raise SchemaError(list_unknown([name], self.names))
        return self.columns[self.names.index(name)]

    @cached_property
    def names(self) -> ColumnNames:
        """Column names, in order."""
        return ColumnNames(column.name for column in self.columns)

    def having(self, *roles: Role) -> ColumnNames:
        """Names of the columns with one of the roles."""
        return ColumnNames(column.name for column in self.columns if column.role in roles)

    @cached_property
    def masked(self) -> ColumnNames:
        """Names of the columns that a method perturbs."""
        return ColumnNames(column.name for column in self.columns if column.role.masked)

    @cached_property
    def published(self) -> ColumnNames:
        """Names of the columns of the release: all but the dropped."""
        return ColumnNames(column.name for column in self.columns if column.role is not Role.DROP)

    @cached_property
    def compared(self) -> ColumnNames:
        """Names of the columns whose released values mean something beside the original's."""
        return ColumnNames(column.name for column in self.columns if column.role.is_compared)

    @cached_property
    def coded(self) -> ColumnNames:
        """Names of the columns with codes for missing values."""
        return ColumnNames(column.name for column in self.columns if column.missing)

    @cached_property
    def whole_households(self) -> bool:
        """Return whether households trade as wholes."""
        return any(column.whole for column in self.columns)

    @classmethod
    def infer(cls, data: Frame, *, hints: Mapping[str, str] | None = None) -> Self:
        """Guess each column's kind from its values; `hints` are kinds that a file itself declares.

        Every column starts with the role key. What looks like an identifier is warned of.
        """
        schema = cls.guess(data, hints or {})
        schema.warn_of_concerns()
        return schema

    @classmethod
    def guess(cls, data: Frame, hints: Mapping[str, str]) -> Self:
        """As `infer`, but without warnings: for those who ask the curator before they warn."""
        table = Table.of(data)
        return cls(tuple(infer_column(table, name, hints) for name in table.names))

    def warn_of_concerns(self) -> None:
        """Warn of columns that call for a decision, unless they are dropped."""
        for column in self.columns:
            if column.worry:
                warning = f"column {column.name!r}: {column.worry}{say_how_to_decide(column)}"
                warn(warning)

    @property
    def undecided(self) -> tuple[Column, ...]:
        """Columns that look like identifiers, and are neither dropped nor knowingly published."""
        return tuple(column for column in self.columns if column.is_undecided)

    def find_identifiers(self, data: Frame) -> Self:
        """The schema, with what looks like an identifier among columns not yet examined."""
        table = Table.of(data)
        columns = (c if c.examined else examine_column(c, table) for c in self.columns)
        return replace(self, columns=tuple(columns))

    def assign(self, **given: Unpack[Settings]) -> Self:
        """A schema with the named columns given these roles and kinds; the rest stays.

        `publish` are columns that look like direct identifiers, and are to be published (masked or
        not, by their role) all the same. `missing` are codes that stand for a missing value: those
        of all columns, or of each column named, in place of what it had. `together`, `derive` and
        `rule` add to what ties columns to each other, and `recode` adds steps that run before the
        table is masked.
        """
        require_known("assign", given, Settings.__annotations__)
        return self._assign(given, [])

    def follow(
        self, columns: Mapping[str, Any], codes: Any = (), problems: Sequence[str] = ()
    ) -> Self:
        """A schema with what a plan says of columns by name; `codes` are those of all columns.

        The `problems` that were found before are raised together with those found here.
        """
        problems = [*problems]
        for_all = assign_codes(codes, self.names)
        merged: dict[str, Any] = {"missing": {n: own for n, own in for_all.items() if own}}
        for name, content in columns.items():
            facts = read_facts(name, content, problems)
            for setting in ("kind", "role"):
                if facts.get(setting):
                    merged.setdefault(facts[setting], []).append(name)
            if facts.get("publish"):
                merged.setdefault("publish", []).append(name)
            if "missing" in facts:
                merged["missing"][name] = facts["missing"]
            if facts.get("whole"):
                merged["whole_households"] = True
        return self._assign(merged, problems)

    def tie(self, ties: Ties, *, recode: Sequence[str] = (), whole: bool = False) -> Self:
        """A schema with these ties besides, and steps; what follows from others is derived."""
        given = {**ties.to_dict(), "rule": ties.rules, "recode": recode}
        return self._assign({**given, "whole_households": whole or None}, [])

    def _assign(self, given: Mapping[str, Any], problems: list[str]) -> Self:
        assignment = Assignment.of(given, self.ties)
        problems += [
            *assignment.problems,
            *list_unknown(assignment.named, self.names),
            *assignment.list_conflicts(numbered=bool(self.having(Role.HOUSEHOLD))),
        ]
        if problems:
            raise SchemaError(dict.fromkeys(problems))
        return replace(
            self,
            columns=assignment.apply(self.columns, whole=self.whole_households),
            ties=assignment.ties,
            recodes=(*self.recodes, *assignment.recodes),
        )

    def examine_again(self, data: Frame, names: Iterable[str]) -> Self:
        """The schema, with what looks like an identifier among some columns as they are here."""
        table, some = Table.of(data), set(names)
        columns = (examine_column(c, table) if c.name in some else c for c in self.columns)
        return replace(self, columns=tuple(columns))

    def in_order(self, names: Iterable[str]) -> Self:
        """The named columns, in the order of `names`."""
        return replace(self, columns=tuple(self[name] for name in names))

    def check(self, data: Frame) -> None:
        """Raise all that stands between this schema and the table, in one error."""
        table = Table.of(data)
        problems = list_unknown(self.names, table.names)
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
        for name, content in columns.items():
            facts = read_facts(name, content, problems)
            kind = require_member(Kind, facts.get("kind"), name, problems) if facts else None
            if kind:
                made.append(Column(name, **{"role": Role.KEY, **facts, "kind": kind}))
        if problems:
            raise SchemaError(dict.fromkeys(problems))
        return cls(tuple(made))


def read_facts(name: str, content: Any, problems: list[str]) -> dict[str, Any]:
    """Read what a run file says of a column; what is wrong with it is added to the problems."""
    if not isinstance(content, dict):
        problems.append(f'column {name!r}: give a table such as {{kind = "numeric"}}.')
        return {}
    problems += [
        f"column {name!r}: unknown setting {key!r}{did_you_mean(key, _SETTINGS)}"
        for key in content.keys() - set(_SETTINGS)
    ]
    problems += [
        f"column {name!r}: {what} must be true or false."
        for what in ("publish", "whole")
        if not isinstance(content.get(what, False), bool)
    ]
    facts = {what: content[what] for what in ("publish", "whole") if what in content}
    for what, members in (("kind", Kind), ("role", Role)):
        if content.get(what) is not None:
            member = require_member(members, content[what], name, problems)
            facts |= {what: member} if member else {}
    if "missing" in content:
        facts["missing"] = _read_codes(content["missing"], name, problems)
    return facts


def _read_codes(codes: object, name: str, problems: list[str]) -> tuple[Code, ...]:
    try:
        return list_codes(codes)
    except SchemaError as error:
        problems += [f"column {name!r}: {problem}" for problem in error.problems]
        return ()


def fit_schema(schema: object, table: Table, asked_by: str) -> Schema:
    """The schema given, or else inferred, when it fits the table; columns in the table's order."""
    columns = Schema.infer(table) if schema is None else require_schema(schema, asked_by)
    columns.check(table)
    return columns.in_order(table.names)


def require_schema(schema: object, asked_by: str) -> Schema:
    """The schema, unless it is something else."""
    if not isinstance(schema, Schema):
        raise UsageError(
            f"{asked_by}: `schema` must be a Schema; got a {type(schema).__name__}. "
            "Make one with Schema.infer(data).assign(...)."
        )
    return schema


def list_unknown(columns: Iterable[str], names: Collection[str], where: str = "") -> list[str]:
    """Say which of the columns asked for a table does not have, what was meant, and what it has.

    >>> list_unknown(["nmae", "size"], ["name", "age"])
    ["no column 'nmae'; did you mean 'name'?", "no column 'size'. This table has name, age."]
    """
    unknown = [f"no column {name!r}{where}{did_you_mean(name, names)}" for name in columns
               if name not in names]  # fmt: skip
    if unknown:
        listed = ", ".join(list(names)[:12]) + (" …" if len(names) > 12 else "")
        unknown[-1] += f" This table has {listed}."
    return unknown


def _remedy(kind: Kind) -> str:
    if kind is Kind.ORDINAL:
        return "Use ordered categories or numbers, or call it nominal."
    return "Call it nominal."
