"""Settings that name columns, for a part of the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from swapmeet.core.base.params import ByColumn, Names, Optional

if TYPE_CHECKING:
    from collections.abc import Collection

    from swapmeet.core.base.params import Domain, Parameters


def list_named_columns(settings: Parameters) -> tuple[str, ...]:
    """The columns that settings name, each once."""
    found = [_names_in(domain, value) for domain, value in _settings_of(settings).values()]
    return tuple(dict.fromkeys(name for names in found for name in names))


def restrict_settings(settings: Parameters, names: Collection[str]) -> dict[str, Any]:
    """The settings that name columns, with no others than these; None where none are left.

    >>> import swapmeet as sm
    >>> restrict_settings(sm.RWN(weights={"age": 1.0, "sex": 0.1}), ["age"])
    {'weights': {'age': 1.0}}
    """
    return {
        field: _restrict(domain, value, names)
        for field, (domain, value) in _settings_of(settings).items()
        if _names_in(domain, value)
    }


def _settings_of(settings: Parameters) -> dict[str, tuple[Domain, Any]]:
    """By name, the domain and value of each parameter."""
    return {
        p.name: (p.domain.of if isinstance(p.domain, Optional) else p.domain,
                 getattr(settings, p.name))
        for p in settings.parameters()
    }  # fmt: skip


def _names_in(domain: Domain, value: Any) -> tuple[str, ...]:
    if isinstance(domain, Names):
        return tuple(value or ())
    return tuple(value) if isinstance(domain, ByColumn) and isinstance(value, Mapping) else ()


def _restrict(domain: Domain, value: Any, names: Collection[str]) -> Any:
    if isinstance(domain, ByColumn):
        return {name: one for name, one in value.items() if name in names}
    return tuple(name for name in value if name in names) or None
