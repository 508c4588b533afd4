"""An intruder: what they know, of whom, which columns they go by, and whether a link is right."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.knowledge import Knowledge, list_names
from swapmeet.comparison.score import CONFIDENCE
from swapmeet.release.provenance import Provenance


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Intruder:
    """Somebody who tried to find people; `hits` has how often each of these was found.

    Where households were looked for, or people with several rows, these are their rows, `units` is
    how many there were, and `of_units` says what was known of them. `aware` says what they know
    about protection that was raised for single people; `next_best`, that they leave out the best
    link, which was broken where it was right. `sure` is how sure each link looks to them, in any
    unit, where that was asked for. `also` are columns that are not released, which they know.
    """

    knows: tuple[str, ...]
    level: Knowledge
    knows_method: bool
    way: str
    hits: Floats
    units: int = 0
    of_units: str = ""
    aware: str = ""
    next_best: bool = False
    sure: Floats | None = None
    also: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Intruder: {self.words}>"

    @property
    def share(self) -> float:
        """The share of people they find."""
        return float(self.hits.mean())

    @property
    def chances(self) -> Floats:
        """Return how often links that look as sure as each person's are right, for people found.

        A right link among many wrong ones that look alike reveals nothing. Links that look surer
        are taken to be right at least as often (isotonic regression). Who was not found has 0.
        """
        if self.sure is None or not len(self.hits):
            return np.where(self.hits > 0.0, self.share, 0.0)
        return weigh_links(self.hits, self.sure)

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the share for people like these."""
        drawn = self.units or len(self.hits)
        return of_share(self.share * drawn, drawn, CONFIDENCE)

    @property
    def words(self) -> str:
        """Say who they are, to be followed by what they do."""
        whom = "the person sought" if self.level is Knowledge.TARGET else "everybody"
        if self.units:
            whom = self.of_units
        method = ", and how the table was masked," if self.knows_method else ""
        aware = f" and {self.aware}," if self.aware else ""
        also = f", and {list_names(self.also)} (not released)," if self.also else ""
        return f"an intruder who knows {list_names(self.knows)}{also} of {whom}{method}{aware}"

    def to_dict(self) -> dict[str, Any]:
        """For machines, and for those who want to see the whole family."""
        return {
            "who": self.words.rstrip(","),
            "way": self.way,
            "level": str(self.level),
            "knows": list(self.knows),
            "knows how it was masked": self.knows_method,
            "share": self.share,
            "interval": list(self.interval),
            "people": len(self.hits),
            **({"knows of protection": self.aware} if self.aware else {}),
        }


def weigh_links(hits: Floats, sure: Floats) -> Floats:
    """Return how often links that look as sure as each are right; 0 for those that are wrong.

    >>> weigh_links(np.array([1.0, 0, 0, 0, 1]), np.array([2.0, 2, 2, 2, 7])).tolist()
    [0.25, 0.0, 0.0, 0.0, 1.0]
    """
    from scipy.optimize import isotonic_regression

    order = np.argsort(sure, kind="stable")
    _, level, sizes = np.unique(sure[order], return_inverse=True, return_counts=True)
    means = np.bincount(level, hits[order]) / sizes
    chances = np.empty(len(order))
    chances[order] = isotonic_regression(means, weights=sizes).x[level]
    return np.where(hits > 0.0, chances, 0.0)


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


@dataclass(frozen=True, repr=False, eq=False)
class Truth:
    """Owner of each row's place, and giver of most of what the intruder does not know.

    A link is right by either; so a record that moved as a whole is found wherever it is, and a
    value that moved alone is not mistaken for a person. Negative numbers are nobody.
    """

    place: Ints
    giver: Ints

    @classmethod
    def of(cls, provenance: Provenance, masked: Collection[str], known: Collection[str]) -> Truth:
        """For an intruder who knows some columns; where nothing is left to know, all count."""
        unknown = [name for name in masked if name not in known] or list(masked)
        return cls(provenance.place, provenance.find_givers(unknown))

    def pick(self, rows: Ints) -> Truth:
        """The truth about some rows."""
        return Truth(self.place[rows], self.giver[rows])

    def are_right(self, people: Ints, rows: Ints) -> Flags:
        """Return whether each person is linked correctly with each row; arrays are broadcast."""
        return (self.place[rows] == people) | (self.giver[rows] == people)

    def share_right(self, scores: Floats, people: Ints, offsets: Floats | None = None) -> Floats:
        """Return each person's share of right links, if the best rows are taken, ties by lot."""
        from swapmeet.intruders.evidence.best import share_right

        none = np.zeros(scores.shape[1]) if offsets is None else offsets
        return share_right(scores, none, people, self.place, self.giver)
