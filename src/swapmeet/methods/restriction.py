"""Settings that name columns, for a table with other columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from swapmeet.base.params import ByColumn, Names, Optional

if TYPE_CHECKING:
    from swapmeet.base.params import Domain, Parameters

Columns = Mapping[str, tuple[str, ...]]
"""Map each column to those in its place."""


def list_named_columns(settings: Parameters) -> tuple[str, ...]:
    """The columns that settings name, each once."""
    lists = [_names_in(domain, value) for domain, value in _settings_of(settings).values()]
    return tuple(dict.fromkeys(name for names in lists for name in names))


def adapt_settings(settings: Parameters, columns: Columns) -> dict[str, Any]:
    """The settings that name columns, for a table that has others in their place.

    `columns` has the new names of each; those of columns that it does not have are left out. None
    is what is left of names of which none is there.

    >>> import swapmeet as sm
    >>> adapt_settings(sm.RWN(weights={"age": 1.0, "sex": 0.1}), {"age": ("age", "age of 2nd")})
    {'weights': {'age': 1.0, 'age of 2nd': 1.0}}
    """
    return {
        field: _adapt(domain, value, columns)
        for field, (domain, value) in _settings_of(settings).items()
        if _names_in(domain, value)
    }


def _settings_of(settings: Parameters) -> dict[str, tuple[Domain, Any]]:
    """Map the name of each parameter to its domain and value."""
    return {
        p.name: (p.domain.of if isinstance(p.domain, Optional) else p.domain,
                 getattr(settings, p.name))
        for p in settings.parameters()
    }  # fmt: skip


def _names_in(domain: Domain, value: Any) -> tuple[str, ...]:
    if isinstance(domain, Names):
        return tuple(value or ())
    return tuple(value) if isinstance(domain, ByColumn) and isinstance(value, Mapping) else ()


def _adapt(domain: Domain, value: Any, columns: Columns) -> Any:
    if isinstance(domain, ByColumn):
        return {new: one for name, one in value.items() for new in columns.get(name, ())}
    return tuple(new for name in value for new in columns.get(name, ())) or None
