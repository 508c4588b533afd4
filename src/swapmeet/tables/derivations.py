"""Columns that follow from others: `bmi = weight / height ** 2`, `total = wages + other`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from swapmeet.errors import SchemaError, did_you_mean
from swapmeet.tables.expressions.functions import Call
from swapmeet.tables.expressions.reader import Reader, hide_texts
from swapmeet.tables.expressions.values import Name, Value

EXAMPLE = "total = wages + other"
REST = "rest"
_ENDS_WITH_REST = re.compile(r"\+\s*rest\s*(\(\s*\))?\s*$")


@dataclass(frozen=True)
class Derivation:
    """Derivation of a column from others; checked for form when it is made.

    One that ends with `+ rest` (or `+ rest()`) holds only nearly: what is left of the column is
    masked in its place, and added again to what follows from the others.

    >>> Derivation("bmi = weight / height ** 2").parents
    ('weight', 'height')
    >>> nearly = Derivation("total = wages + other + rest")
    >>> nearly.parents, nearly.has_rest
    (('wages', 'other'), True)
    """

    text: str
    name: str = field(init=False, compare=False)
    value: Value = field(init=False, repr=False, compare=False)
    has_rest: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        whole = _ENDS_WITH_REST.sub("", self.text)
        name, value = Reader(whole, "derive", EXAMPLE).read_derivation()
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "has_rest", whole != self.text)

    @property
    def shown(self) -> str:
        """As it is written, without the texts in it."""
        return hide_texts(self.text)

    @property
    def parents(self) -> tuple[str, ...]:
        """The columns that it follows from."""
        return tuple(dict.fromkeys(self.value.columns()))

    @property
    def looked_up(self) -> str | None:
        """The column whose values are looked up in the original, if it follows so."""
        value: Any = self.value
        is_lookup = isinstance(value, Call) and value.name == "lookup"
        return str(value.arguments[0].name) if is_lookup else None

    @property
    def unrounded(self) -> Value:
        """The value before it is rounded in the end, if it is."""
        value: Any = self.value
        is_rounded = isinstance(value, Call) and value.name == "round"
        return value.arguments[0] if is_rounded else value

    def list_problems(self, names: Iterable[str]) -> Iterator[str]:
        """List the reasons why it makes no sense in a table with these columns."""
        names = tuple(names)
        if self.has_rest and REST in names and not self.text.rstrip().endswith(")"):
            yield (
                f"derive {self.shown}: the table has a column {REST!r}. Write `{REST}` between "
                f"backquotes for this column, or {REST}() for what is left."
            )
        for name in (self.name, *self.parents):
            if name not in names:
                yield f"derive: there is no column {name!r}{did_you_mean(name, names)}"
        if self.name in self.parents:
            yield f"derive: column {self.name!r} cannot follow from itself."
        if not self.parents:
            yield f"derive: column {self.name!r} must follow from other columns, and names none."
        value: Any = self.value
        if self._calls_lookup and self.has_rest:
            yield f"derive: {self.name!r} is looked up, and nothing is left. Leave out + {REST}."
        if self._calls_lookup and not isinstance(value.arguments[0], Name):
            yield f"derive: {self.name!r} = lookup(...) needs one column, such as lookup(age)."

    @property
    def _calls_lookup(self) -> bool:
        return isinstance(self.value, Call) and self.value.name == "lookup"


def order_derivations(texts: Iterable[str]) -> tuple[Derivation, ...]:
    """Derivations in an order in which each comes after those it follows from; circles are refused.

    >>> [one.name for one in order_derivations(["share = a / total", "total = a + b"])]
    ['total', 'share']
    """
    waiting = [Derivation(text) for text in dict.fromkeys(texts)]
    _refuse_twice(waiting)
    done: list[Derivation] = []
    while waiting:
        pending = {one.name for one in waiting}
        ready = [one for one in waiting if not pending & set(one.parents)]
        if not ready:
            listed = ", ".join(one.name for one in waiting)
            raise SchemaError([f"derive: {listed} follow from each other in a circle. Drop one."])
        done += ready
        waiting = [one for one in waiting if one not in ready]
    return tuple(done)


def _refuse_twice(derivations: list[Derivation]) -> None:
    names = [one.name for one in derivations]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SchemaError(
            f"derive: column {name!r} is derived in two ways; choose one." for name in sorted(twice)
        )
