"""What a method that seeks neighbours tells of them: in which space, and by which rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from swapmeet.algorithms.encode import Space
    from swapmeet.algorithms.neighbors.rule import Rule


@dataclass(frozen=True)
class Neighborhood:
    """Rows are points of `space`; who is a neighbour is told by the `rule`."""

    space: Space
    rule: Rule
