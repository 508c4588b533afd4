"""Intruders who might attack a release, in words, and what they mean for the measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from swapmeet.comparison.knowledge import Knowledge
from swapmeet.tables.role import Role


@dataclass(frozen=True)
class Persona:
    """An intruder that a curator can imagine; `level` is what they know of whom."""

    key: str
    title: str
    story: str
    level: Knowledge


PERSONAS = (
    Persona(
        "acquaintance",
        "Somebody who knows a person in the file",
        "A neighbour, a colleague or a relative looks for one person, and knows that person's key "
        "columns: what can be seen or heard in daily life.",
        Knowledge.TARGET,
    ),
    Persona(
        "register",
        "Somebody with another list of the same people",
        "An insurer, a company or a voters' list has names and the key columns of everybody, and "
        "looks for as many people as possible.",
        Knowledge.KEYS,
    ),
    Persona(
        "insider",
        "Somebody who has seen the original",
        "A former employee or a partner knows every value of everybody, and wants to know which "
        "released row is whose. This is the worst case.",
        Knowledge.EVERYTHING,
    ),
)
USUAL = "register"


def find_persona(key: str) -> Persona:
    """The intruder of this key; the usual one if there is none."""
    known = {persona.key: persona for persona in PERSONAS}
    return known.get(key, known[USUAL])


def find_level(key: str) -> Knowledge:
    """Find what the intruder with this key knows, and about whom."""
    return find_persona(key).level


def usually_known(persona: Persona, roles: Mapping[str, str]) -> list[str]:
    """The columns that an intruder knows unless the curator says otherwise, given their roles.

    >>> usually_known(find_persona("register"), {"age": "key", "income": "sensitive"})
    ['age']
    """
    masked = [name for name, role in roles.items() if Role(role).masked]
    if persona.level is Knowledge.EVERYTHING:
        return [name for name, role in roles.items() if Role(role).is_compared]
    keys = [name for name, role in roles.items() if role in {Role.KEY, Role.PLACE}]
    return keys or masked
