"""What ties columns of a table to each other: sets that move as one, derivations, and rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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


def _list(given: Mapping[str, Any], name: str) -> list[Any]:
    values = given.get(name) or ()
    return [values] if isinstance(values, str) else list(values)


def _split(names: Iterable[str] | str) -> tuple[str, ...]:
    listed = names.split(",") if isinstance(names, str) else names
    return tuple(name.strip() for name in listed)


def _merge(old: tuple[Any, ...], new: list[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*old, *new)))
