"""What ties columns of a table to each other: sets that move as one, derivations, and rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from swapmeet.core.tables.role import Role
from swapmeet.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from swapmeet.core.tables.schema import Schema

Sets = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Ties:
    """Sets of columns `together`, how columns `derive` from others, and `rules` that rows obey.

    >>> bool(Ties()), bool(Ties(together=(("height", "weight"),)))
    (False, True)
    """

    together: tuple[tuple[str, ...], ...] = ()
    derive: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.together or self.derive or self.rules)

    def add(self, given: Mapping[str, Any]) -> Self:
        """These and those `given` as arguments: `together`, `derive` and `rule`; each once."""
        return type(self)(
            together=_merge(self.together, [_split(names) for names in _list(given, "together")]),
            derive=_merge(self.derive, _list(given, "derive")),
            rules=_merge(self.rules, _list(given, "rule")),
        )

    def list_problems(self, schema: Schema) -> Iterator[str]:
        """What stands between these ties and the columns of a table."""
        for names in self.together:
            yield from _list_problems_of_set(names, schema)


def find_sets(schema: Schema) -> Sets:
    """The sets of masked columns that move as one: those named, merged where they have columns in
    common, and the levels of a hierarchy of places.

    The first column of a set leads it: a method that moves columns one by one moves the set as it
    moves this one.
    """
    places = schema.having(Role.PLACE)
    return merge_sets([*schema.ties.together, *([places] if len(places) > 1 else [])])


def merge_sets(sets: Iterable[Iterable[str]]) -> Sets:
    """Sets without columns in common.

    >>> merge_sets([("a", "b"), ("c", "d"), ("e", "b", "f")])
    (('a', 'b', 'e', 'f'), ('c', 'd'))
    """
    merged: list[dict[str, None]] = []
    for names in sets:
        new = dict.fromkeys(names)
        touched = [one for one in merged if one.keys() & new.keys()]
        if not touched:
            merged.append(new)
            continue
        for other in (*touched[1:], new):
            touched[0].update(other)
        merged = [one for one in merged if one not in touched[1:]]
    return tuple(tuple(one) for one in merged)


def _list_problems_of_set(names: tuple[str, ...], schema: Schema) -> Iterator[str]:
    listed = ", ".join(names)
    if len(set(names)) < 2:
        yield f"together: name at least two columns that move as one; got {listed or 'none'}."
    yield from (_refuse_unknown(name, schema, "together") for name in names
                if name not in schema.names)  # fmt: skip
    still = [name for name in names if name in schema.names and not schema[name].role.masked]
    if still:
        roles = ", ".join(f"{name!r} has the role {schema[name].role}" for name in still)
        yield (
            f"together ({listed}): all columns of a set must be masked; {roles}. Give it the role "
            "key or sensitive, or leave it out of the set."
        )


def _refuse_unknown(name: str, schema: Schema, where: str) -> str:
    return f"{where}: there is no column {name!r}{did_you_mean(name, schema.names)}"


def _list(given: Mapping[str, Any], name: str) -> list[Any]:
    values = given.get(name) or ()
    return [values] if isinstance(values, str) else list(values)


def _split(names: Iterable[str] | str) -> tuple[str, ...]:
    listed = names.split(",") if isinstance(names, str) else names
    return tuple(name.strip() for name in listed)


def _merge(old: tuple[Any, ...], new: list[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*old, *new)))
