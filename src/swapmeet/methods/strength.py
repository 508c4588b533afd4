"""Settings that let values travel farther, for people whom a method did not hide well enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.core.base.params import Parameters

WHOLE = 1.0
"""A share that would be more than all is all."""


def scale_settings(settings: Parameters, names: Iterable[str], factor: float) -> dict[str, Any]:
    """Scale the named settings that can be so many times as large, and return their new values.

    Settings that are not given, and those that stay as they are, are left out.

    >>> import swapmeet as sm
    >>> scale_settings(sm.RWN(k=5, eps=0.0, q=0.7), ["k", "eps", "q"], 2)
    {'k': 10, 'q': 1.0}
    """
    domains = {parameter.name: parameter.domain for parameter in settings.parameters()}
    scaled = {}
    for name in names:
        old = getattr(settings, name)
        new = _convert(domains[name], _scale(old, factor))
        if new is not None and new != old:
            scaled[name] = new
    return scaled


def _scale(value: Any, factor: float) -> Any:
    if isinstance(value, Mapping):
        return {name: _scale(one, factor) for name, one in value.items()}
    if value is None or isinstance(value, bool):
        return None
    return max(round(value * factor), 1) if isinstance(value, int) else value * factor


def _convert(domain: Any, value: Any) -> Any:
    """The value as the setting takes it, or all of a share; None where neither is legal."""
    if value is None:
        return None
    whole = dict.fromkeys(value, WHOLE) if isinstance(value, Mapping) else WHOLE
    for one in (value, whole):
        try:
            return domain.convert(one)
        except (ValueError, TypeError):
            continue
    return None
