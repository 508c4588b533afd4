"""The columns that an intruder does best to look at: knowing more must not help the curator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.intruders.links.truth import Truth


def choose_subset(scores: Sequence[Floats], truth: Truth, people: Ints) -> tuple[int, ...]:
    """The pieces of evidence that find most people, chosen greedily from none and from all.

    `scores` has, for each piece, a line per person with every row. Of subsets that find as many,
    the smaller one is taken.
    """
    search = _Search(scores, truth, people)
    choices = [search.grow(), search.shrink()]
    return max(choices, key=lambda pair: (pair[1], -len(pair[0])))[0]


class _Search:
    """Adds or leaves out one piece of evidence at a time, as long as that finds more people."""

    def __init__(self, scores: Sequence[Floats], truth: Truth, people: Ints) -> None:
        self._scores, self._truth, self._people = scores, truth, people

    def grow(self) -> tuple[tuple[int, ...], float]:
        """Begin with nothing, and add what helps most."""
        chosen: tuple[int, ...] = ()
        total, best = np.zeros_like(self._scores[0]), -1.0
        while len(chosen) < len(self._scores):
            others = [j for j in range(len(self._scores)) if j not in chosen]
            shares = [self._share(total + self._scores[j]) for j in others]
            if max(shares) <= best:
                break
            best, added = max(shares), others[int(np.argmax(shares))]
            chosen, total = (*chosen, added), total + self._scores[added]
        return tuple(sorted(chosen)), best

    def shrink(self) -> tuple[tuple[int, ...], float]:
        """Begin with everything, and leave out what harms most."""
        chosen = tuple(range(len(self._scores)))
        total = np.sum(self._scores, axis=0)
        best = self._share(total)
        while len(chosen) > 1:
            shares = [self._share(total - self._scores[j]) for j in chosen]
            if max(shares) <= best:
                break
            best, left = max(shares), chosen[int(np.argmax(shares))]
            chosen, total = tuple(j for j in chosen if j != left), total - self._scores[left]
        return chosen, best

    def _share(self, total: Floats) -> float:
        return float(self._truth.share_right(total, self._people).mean())
