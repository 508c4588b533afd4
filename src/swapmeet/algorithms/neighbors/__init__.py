"""Neighbourhoods of rows, and random members of them, without listing the members.

Importing this package is cheap; the compiled searches are loaded when they are used.
"""

from swapmeet.algorithms.neighbors.search import (
    SEARCHES,
    DrawTask,
    NeighborCache,
    Neighborhood,
    NeighborSearch,
    Rule,
    draw_members,
)

__all__ = [
    "SEARCHES",
    "DrawTask",
    "NeighborCache",
    "NeighborSearch",
    "Neighborhood",
    "Rule",
    "draw_members",
]
