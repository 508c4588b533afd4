"""Neighbourhoods of rows, and random members of them, without listing the members.

Importing this package is cheap; the compiled searches are loaded when they are used.
"""

from swapmeet.neighbors.ground import Ground
from swapmeet.neighbors.nearness import Nearness
from swapmeet.neighbors.rule import Rule
from swapmeet.neighbors.search import SEARCHES, Search, Task, draw_members

__all__ = ["SEARCHES", "Ground", "Nearness", "Rule", "Search", "Task", "draw_members"]
