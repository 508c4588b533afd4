"""Grouping of a method, as far as blocks must know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from swapmeet.algorithms.encode import Space


@dataclass(frozen=True)
class Grouping:
    """Disjoint groups of at least `k` rows that are near in `space`.

    Without a space the strata are the groups.
    """

    space: Space | None
    k: int
