"""Neighbourhoods of rows, and random members of them, without listing the members.

Importing this package is cheap; the compiled searches are loaded when they are used.
"""

from swapmeet.algorithms.neighbors.ground import Ground
from swapmeet.algorithms.neighbors.nearness import Nearness
from swapmeet.algorithms.neighbors.rule import Rule
from swapmeet.algorithms.neighbors.search import SEARCHES, Search, Task, draw_members

__all__ = ["SEARCHES", "Ground", "Nearness", "Rule", "Search", "Task", "draw_members"]
