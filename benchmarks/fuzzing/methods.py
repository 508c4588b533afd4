"""Methods and measures with settings drawn from the domains of their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fuzzing.odd import FLOATS, INTEGERS, draw_number
from swapmeet.base import params
from swapmeet.measures.registry import MEASURES
from swapmeet.methods import METHODS, PerColumn

if TYPE_CHECKING:
    from random import Random

OFTEN = ("k", "l", "min_leaf", "window")
"""Parameters whose defaults are too large for small tables."""
WILD = 0.01
"""How often a setting is any number at all."""


def draw_method(rng: Random, names: list[str]) -> Any:
    """A method of any kind; its settings are mostly ones that may be meant."""
    name = rng.choice(list(METHODS))
    if METHODS[name] is PerColumn:
        return _draw_parts(rng, names)
    return METHODS[name](**draw_settings(rng, METHODS[name], names))


def draw_measure(rng: Random, names: list[str]) -> Any:
    """A measure, as often as not with settings of its own."""
    kind = MEASURES[rng.choice(list(MEASURES))]
    return kind(**(draw_settings(rng, kind, names) if rng.random() < 0.3 else {}))


def draw_settings(rng: Random, kind: Any, names: list[str]) -> dict[str, Any]:
    """Settings of something that has parameters; those with defaults are left out at times."""
    chosen = [
        p for p in kind.parameters()
        if not p.in_python_only
        if p.required or rng.random() < (0.9 if p.name in OFTEN else 0.2)
    ]  # fmt: skip
    return {p.name: draw_value(rng, p.domain, p.tries, names) for p in chosen}


def draw_value(rng: Random, domain: Any, tries: tuple[Any, ...], names: list[str]) -> Any:
    """A value of a domain, or now and then anything."""
    if rng.random() < WILD:
        return draw_number(rng)
    if tries and rng.random() < 0.2:
        return rng.choice(tries)
    if isinstance(domain, params.Optional):
        return draw_value(rng, domain.of, (), names)
    if isinstance(domain, params.ByColumn):
        one = draw_value(rng, domain.of, (), names)
        return {rng.choice(names): one} if names and rng.random() < 0.3 else one
    if isinstance(domain, params.Count):
        few = [domain.minimum, domain.minimum + 1, 2, 3, 5]
        return rng.choice(few if rng.random() < 0.93 else INTEGERS)
    if isinstance(domain, params.Number):
        few = [domain.low, min(domain.high, 1.0), 0.1, 0.5, 0.9]
        return rng.choice(few if rng.random() < 0.9 else FLOATS)
    if isinstance(domain, params.OneOf):
        return rng.choice(domain.choices)
    if isinstance(domain, params.Switch):
        return rng.random() < 0.5
    if isinstance(domain, params.ColumnName):
        return rng.choice(names) if names else "a"
    return rng.sample(names, rng.randint(min(1, len(names)), len(names)))


def _draw_parts(rng: Random, names: list[str]) -> Any:
    one = draw_method(rng, names)
    cut = rng.randint(0, len(names))
    parts = [(one, names[:cut]), (draw_method(rng, names), names[cut:])]
    return PerColumn(parts=[part for part in parts if part[1]])
