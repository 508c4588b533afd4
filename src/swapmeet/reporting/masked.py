"""Which columns a method touches at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.core.tables.schema import Kind, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from swapmeet.core.tables.schema import Column

    Settings = Mapping[str, Any]


def touches(method: str, settings: Settings, column: Column) -> bool:
    """Whether a method masks a column, by what it declares; the role decides where it says nothing.

    >>> from swapmeet.core.tables.schema import Column
    >>> touches("kl-theta", {}, Column("age", Kind.NUMERIC, Role.KEY))
    False
    """
    rule = _RULES.get(method)
    return column.role.masked and (rule is None or rule(settings, column))


def _block(settings: Settings, column: Column) -> bool:
    if settings.get("rest") == "swap":
        return True
    names = settings.get("columns")
    return column.kind is not Kind.NOMINAL if names is None else column.name in names


def _predicted(settings: Settings, column: Column) -> bool:
    return column.name not in (settings.get("predictors") or ())


def _sensitive(_: Settings, column: Column) -> bool:
    return column.role is Role.SENSITIVE


def _parts(settings: Settings, column: Column) -> bool:
    return any(
        column.name in part["columns"] and touches(part["name"], part, column)
        for part in settings.get("parts", ())
    )


_RULES: dict[str, Callable[[Settings, Column], bool]] = {
    "mews": _block,
    "meds": _block,
    "data-shuffle": _predicted,
    "kl-theta": _sensitive,
    "per-column": _parts,
}
