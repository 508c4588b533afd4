"""Neighbourhoods of rows, and random members of them, without listing the members.

Importing this package is cheap; the compiled searches are loaded when they are used.
"""

from swapmeet.algorithms.neighbors.neighbor_cache import NeighborCache
from swapmeet.algorithms.neighbors.neighborhood import Neighborhood
from swapmeet.algorithms.neighbors.rule import Rule
from swapmeet.algorithms.neighbors.search import SEARCHES, DrawTask, NeighborSearch, draw_members

__all__ = [
    "SEARCHES",
    "DrawTask",
    "NeighborCache",
    "NeighborSearch",
    "Neighborhood",
    "Rule",
    "draw_members",
]
