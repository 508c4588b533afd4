"""Ties of columns to each other: sets that move as one, derivations, and rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from swapmeet.errors import SchemaError, UsageError, did_you_mean
from swapmeet.tables.column import Kind
from swapmeet.tables.conditions import Condition
from swapmeet.tables.derivations import REST, Derivation, order_derivations
from swapmeet.tables.role import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from swapmeet.tables.schema import Schema

UNREPAIRED = ("suppress", "leave")
"""Treatments of rows that break a rule and cannot be repaired; the first is the default."""
Sets = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Ties:
    """Sets of columns `together`, how columns `derive` from others, and `rules` that rows obey.

    Values of rows that break a rule and cannot be repaired are `unrepaired`: "suppress" or "leave".

    >>> bool(Ties()), bool(Ties(together=(("height", "weight"),)))
    (False, True)
    """

    together: tuple[tuple[str, ...], ...] = ()
    derive: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    unrepaired: str = UNREPAIRED[0]

    def __post_init__(self) -> None:
        if self.unrepaired not in UNREPAIRED:
            raise UsageError(f"`unrepaired` must be one of {', '.join(UNREPAIRED)}.")

    def __bool__(self) -> bool:
        return bool(self.together or self.derive or self.rules)

    def add(self, given: Mapping[str, Any]) -> Self:
        """These and those `given` as arguments: `together`, `derive` and `rule`; each once."""
        return type(self)(
            together=_merge(self.together, [_split(names) for names in _list(given, "together")]),
            derive=_merge(self.derive, _list(given, "derive")),
            rules=_merge(self.rules, _list(given, "rule")),
            unrepaired=given.get("unrepaired") or self.unrepaired,
        )

    def to_dict(self) -> dict[str, Any]:
        """For the run file; only what there is."""
        lists = {
            "together": [list(names) for names in self.together],
            "derive": list(self.derive),
            "rules": list(self.rules),
        }
        facts: dict[str, Any] = {name: texts for name, texts in lists.items() if texts}
        return facts | ({"unrepaired": self.unrepaired} if self.rules else {})

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """From a run file; all problems are raised together."""
        problems = [*_list_mistakes(content)]
        if problems:
            raise SchemaError(problems)
        return cls().add(
            {("rule" if name == "rules" else name): given for name, given in content.items()}
        )

    @property
    def derivations(self) -> tuple[Derivation, ...]:
        """List derivations, each column after those it follows from."""
        return order_derivations(self.derive)

    @property
    def rests(self) -> tuple[str, ...]:
        """The texts of derivations of which a rest is masked."""
        return tuple(one.text for one in self.derivations if one.has_rest)

    def list_problems(self, schema: Schema) -> Iterator[str]:
        """List the problems between these ties and the columns of a table."""
        for names in self.together:
            yield from _list_problems_of_set(names, schema)
        derived = {one.name: one for one in self.derivations}
        for one in derived.values():
            yield from one.list_problems(schema.names)
            yield from _list_problems_of_rest(one, schema)
            yield from _list_unpublished(one, schema)
        for name in schema.having(Role.DERIVED):
            if name not in derived or derived[name].has_rest:
                yield (
                    f"column {name!r} has the role derived, and nothing says what it follows from. "
                    f"Give `derive`, such as '{name} = a + b'."
                )
        for text in self.rules:
            yield from _list_problems_of_rule(Condition(text), schema)


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


def _list_unpublished(one: Derivation, schema: Schema) -> Iterator[str]:
    for name in one.parents:
        if name in schema.names and not schema[name].role.is_compared:
            yield (
                f"derive: {one.name!r} follows from {name!r}, which has the role "
                f"{schema[name].role} and is not there to follow from. Drop {one.name!r}, too."
            )


def _list_problems_of_rest(one: Derivation, schema: Schema) -> Iterator[str]:
    if not one.has_rest or one.name not in schema.names:
        return
    column = schema[one.name]
    if not column.role.masked:
        yield (
            f"derive {one.shown}: the rest is masked in place of {one.name!r}, which has the role "
            f"{column.role}. Give it the role key or sensitive, or leave out this derivation."
        )
    elif column.kind is Kind.NOMINAL:
        yield (
            f"derive {one.shown}: {one.name!r} is nominal, and of categories nothing is left. Call "
            f"it numeric, or leave out + {REST}."
        )


def _list_problems_of_rule(rule: Condition, schema: Schema) -> Iterator[str]:
    for name in rule.columns:
        if name not in schema.names:
            yield _refuse_unknown(name, schema, "rule")
        elif not schema[name].role.is_compared:
            yield (
                f"rule {rule.shown}: {name!r} has the role {schema[name].role}; a rule speaks of "
                "columns whose values are released."
            )


def _refuse_unknown(name: str, schema: Schema, where: str) -> str:
    return f"{where}: there is no column {name!r}{did_you_mean(name, schema.names)}"


def _list_mistakes(content: Mapping[str, Any]) -> Iterator[str]:
    """List what a run file says about ties in another way than it may."""
    known = ("together", "derive", "rules", "unrepaired")
    for name, given in content.items():
        if name not in known:
            yield f"[ties]: unknown setting {name!r}{did_you_mean(name, known)}"
        elif name == "unrepaired" and given not in UNREPAIRED:
            yield f"[ties]: `unrepaired` must be one of {', '.join(UNREPAIRED)}."
        elif name == "together" and not _is_list(given, lambda one: _is_list(one, _is_text)):
            yield "[ties]: `together` must be a list of lists of column names."
        elif name in ("derive", "rules") and not _is_list(given, _is_text):
            yield f"[ties]: `{name}` must be a list of texts."


def _is_text(thing: object) -> bool:
    return isinstance(thing, str)


def _is_list(thing: object, each: Callable[[object], bool]) -> bool:
    return isinstance(thing, list) and all(map(each, thing))


def _list(given: Mapping[str, Any], name: str) -> list[Any]:
    values = given.get(name) or ()
    return [values] if isinstance(values, str) else list(values)


def _split(names: Iterable[str] | str) -> tuple[str, ...]:
    listed = names.split(",") if isinstance(names, str) else names
    return tuple(name.strip() for name in listed)


def _merge(old: tuple[Any, ...], new: list[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*old, *new)))
