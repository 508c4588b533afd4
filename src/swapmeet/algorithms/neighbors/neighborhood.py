"""Definition of a neighbourhood: in which space, and by which rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from swapmeet.algorithms.encode import Space
    from swapmeet.algorithms.neighbors.rule import Rule


@dataclass(frozen=True)
class Neighborhood:
    """Rows are points of `space`; the `rule` decides which rows are neighbours."""

    space: Space
    rule: Rule
