"""An intruder: what they know, of whom, how they look for people, and how many they find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.knowledge import Knowledge, list_names
from swapmeet.comparison.score import CONFIDENCE

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats


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
