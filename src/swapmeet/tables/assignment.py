"""Roles, kinds and settings that are given to the columns of a schema: `schema.assign(...)`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from swapmeet.tables.column import Column, Kind
from swapmeet.tables.missing_codes import assign_codes
from swapmeet.tables.role import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from swapmeet.tables.roles import Code
    from swapmeet.tables.ties import Ties


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """Roles and kinds given to columns by name; `problems` are those of the arguments themselves.

    `recodes` are the texts of steps and `recoded` their columns; `whole` tells whether households
    trade as wholes, None that nothing was said of it. `ties` are those of before and those given.
    """

    roles: Mapping[str, list[Role]]
    kinds: Mapping[str, list[Kind]]
    publish: list[str]
    recodes: tuple[str, ...]
    recoded: tuple[str, ...]
    missing: Any
    whole: bool | None
    ties: Ties
    problems: list[str]

    @classmethod
    def of(cls, given: Mapping[str, Any], ties: Ties) -> Self:
        """The arguments of `Schema.assign`, read."""
        problems: list[str] = []
        recodes, recoded = _parse_recodes(given.get("recode") or ())
        return cls(
            roles=_choose(Role, given, problems),
            kinds=_choose(Kind, given, problems),
            publish=_list_names("publish", given.get("publish", ()), problems),
            recodes=recodes,
            recoded=recoded,
            missing=given.get("missing"),
            whole=given.get("whole_households"),
            ties=ties.add(given),
            problems=problems,
        )

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that something is said of."""
        return tuple({**self.roles, **self.kinds, **dict.fromkeys((*self.publish, *self.recoded))})

    def list_conflicts(self, *, numbered: bool) -> Iterator[str]:
        """List what excludes each other; `numbered` says whether a column numbers households."""
        for name in self.publish:
            if Role.DROP in self.roles.get(name, ()):
                yield f"column {name!r} is to be dropped and to be published; choose one."
        given: list[tuple[str, list[Any]]] = [*self.roles.items(), *self.kinds.items()]
        for name, choices in given:
            if len(choices) > 1:
                yield f"column {name!r} is given {_join(choices)}; choose one."
        numbered |= any(Role.HOUSEHOLD in choices for choices in self.roles.values())
        if self.whole and not numbered:
            yield (
                "whole households are to trade, and no column numbers households. Give one the "
                "role household."
            )
        yield from _list_derived_twice(self.ties, self.roles)

    def apply(self, columns: Iterable[Column], *, whole: bool) -> tuple[Column, ...]:
        """The columns with what they are given; `whole` is what was said of households before."""
        columns = tuple(columns)
        names = tuple(column.name for column in columns)
        codes = {} if self.missing is None else assign_codes(self.missing, names)
        trade = whole if self.whole is None else bool(self.whole)
        return tuple(self._change(column, codes, whole=trade) for column in columns)

    def _change(
        self, column: Column, codes: Mapping[str, tuple[Code, ...]], *, whole: bool
    ) -> Column:
        name = column.name
        derived = name in {one.name for one in self.ties.derivations if not one.has_rest}
        role = Role.DERIVED if derived else self.roles.get(name, [column.role])[0]
        return replace(
            column,
            role=role,
            kind=self.kinds.get(name, [column.kind])[0],
            reason="as given" if name in self.kinds else column.reason,
            publish=column.publish or name in self.publish,
            missing=codes.get(name, column.missing),
            whole=whole and role is Role.HOUSEHOLD,
        )


def _choose(
    choices: type[Any], given: Mapping[str, Any], problems: list[str]
) -> dict[str, list[Any]]:
    """Collect by column the roles or kinds that it is given."""
    chosen: dict[str, list[Any]] = {}
    for choice in choices:
        for name in _list_names(choice, given.get(choice, ()), problems):
            chosen.setdefault(name, []).append(choice)
    return chosen


def _list_names(choice: str, names: Iterable[str], problems: list[str]) -> list[str]:
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
    from swapmeet.tables.recoding.recode import parse_recodes

    steps = parse_recodes(texts)
    return tuple(step.text for step in steps), tuple(step.column for step in steps)


def _list_derived_twice(ties: Ties, roles: Mapping[str, list[Role]]) -> list[str]:
    """List the columns that follow from others and were given another role."""
    return [
        f"column {one.name!r} follows from {', '.join(one.parents)} and cannot be "
        f"{_join(roles[one.name])}. Give this role to what it follows from."
        for one in ties.derivations
        if not one.has_rest and roles.get(one.name, [Role.DERIVED]) != [Role.DERIVED]
    ]


def _join(choices: list[Any]) -> str:
    return " and ".join(map(str, choices))
