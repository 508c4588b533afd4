"""Rows whose neighbours are sought again and again: what was found once is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.algorithms.neighbors.draw_summary import DrawSummary
from swapmeet.algorithms.neighbors.search import require_rows
from swapmeet.base.cache import count_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from swapmeet.algorithms.encode import Points
    from swapmeet.algorithms.neighbors.lists import Lists
    from swapmeet.algorithms.neighbors.rule import Rule
    from swapmeet.algorithms.neighbors.tree import Tree
    from swapmeet.base.arrays import Groups, Ints
    from swapmeet.base.cache import Cache
    from swapmeet.base.parallel import Workers

MARGIN = 8
"""Lists are a quarter longer than the largest k, at least by this: few ties reach beyond them."""


@dataclass(frozen=True, repr=False)
class NeighborCache:
    """Rows as `points` among which neighbours are sought exactly, inside their stratum.

    By `key`, `shared` keeps their tree and the lists of their nearest rows. Rows, strata and points
    must be the same whenever the key is.
    """

    cache: Cache
    key: Hashable
    points: Callable[[], Points]
    strata: Groups
    workers: Workers

    def draw(self, rule: Rule, words: Ints) -> DrawSummary:
        """Replace each word by a random member of its row's neighbourhood, as `Task` tells."""
        from swapmeet.algorithms.neighbors.exact_draws import draw_with
        from swapmeet.algorithms.neighbors.lists import draw_from_lists

        tree = self.tree()
        require_rows(self.strata, rule.k)
        if not self._are_listed(rule, tree):
            return draw_with(tree, rule, words, self.workers)
        lists = self._lists(tree)
        return DrawSummary(draw_from_lists(tree, lists, rule, words, self.workers))

    def list_nearest(self, length: int) -> tuple[Tree, Lists]:
        """The tree, and lists of at least the nearest `length` rows of every row."""
        from swapmeet.algorithms.neighbors.lists import nearest_lists

        tree = self.tree()
        if length <= self.cache.neighbours:
            return tree, self._lists(tree)
        return tree, nearest_lists(tree, length, self.workers)

    def tree(self) -> Tree:
        """The tree, made once."""
        from swapmeet.algorithms.neighbors.exact_draws import tree_of

        return self.cache.once(("tree", self.key), lambda: tree_of(self.points(), self.strata))

    def _lists(self, tree: Tree) -> Lists:
        from swapmeet.algorithms.neighbors.lists import nearest_lists

        return self.cache.once(
            ("lists", self.key), lambda: nearest_lists(tree, self._length, self.workers)
        )

    def _are_listed(self, rule: Rule, tree: Tree) -> bool:
        """Return whether lists serve the rule and have room beside the tree."""
        from swapmeet.algorithms.neighbors.lists import bytes_needed

        if rule.eps > 0.0 or not 0 < rule.k <= self.cache.neighbours:
            return False
        needed = count_bytes(tree) + bytes_needed(len(self.strata), self._length)
        return needed <= self.cache.memory

    @property
    def _length(self) -> int:
        most = self.cache.neighbours
        return most + 1 + max(most // 4, MARGIN)
