"""Strokes of methods: each has the same colour and marker in every picture."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from swapmeet.plots.style import Stroke

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.tuning import Study

STROKES = {
    "matched-swap": Stroke("#1b2a49", "o", "-"),
    "rwn": Stroke("#d5762b", "s", "-"),
    "nbrs": Stroke("#1f77a8", "^", "-"),
    "sjppds": Stroke("#8c2d1f", "D", "-"),
    "mews": Stroke("#86b875", "v", "-"),
    "meds": Stroke("#ead06a", "P", "-"),
    "microaggregation": Stroke("#7a4fa3", "X", "-"),
    "kl-theta": Stroke("#c94f7c", "*", "-"),
    "rank-swap": Stroke("#2f9e8f", "<", "-"),
    "noise": Stroke("#8a8a8a", ">", "-"),
    "cart": Stroke("#5c7a1e", "p", "-"),
    "data-shuffle": Stroke("#6fb7e9", "h", "-"),
    "ipso": Stroke("#3d3b8e", "H", "-"),
    "per-column": Stroke("#b08d57", "d", "-"),
    "record-swap": Stroke("#f2a7b8", "8", "-"),
}
"""The one table of them; without colour the marker tells methods apart."""
OTHERS = tuple(
    Stroke(colour, marker, "-")
    for marker in ((4, 1, 0), (6, 1, 0), (3, 1, 0), (8, 1, 0))
    for colour in ("#1b2a49", "#d5762b", "#1f77a8", "#8c2d1f", "#2f9e8f", "#7a4fa3", "#86b875")
)
"""Stars, for methods made elsewhere."""


def assign_strokes(study: Study) -> dict[str, Stroke]:
    """A stroke for each method that was tried."""
    return assign(dict.fromkeys(c.setting.name for c in study.candidates if not c.failure))


def assign(names: Iterable[str]) -> dict[str, Stroke]:
    """The methods' own strokes; those made elsewhere have one by their name, no two the same.

    >>> assign(["rwn"]) == {"rwn": STROKES["rwn"]}
    True
    """
    names = list(names)
    taken: dict[str, Stroke] = {}
    for name in sorted(set(names) - set(STROKES)):
        taken[name] = _pick(name, set(taken.values()))
    return {name: STROKES.get(name) or taken[name] for name in names}


def _pick(name: str, taken: set[Stroke]) -> Stroke:
    """The stroke that the name leads to, or the next that is free."""
    first = int.from_bytes(sha256(name.encode()).digest()[:4]) % len(OTHERS)
    turned = (*OTHERS[first:], *OTHERS[:first])
    return next((stroke for stroke in turned if stroke not in taken), turned[0])
