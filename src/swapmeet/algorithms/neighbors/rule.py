"""Rule for who is a neighbour: the k nearest, or everyone within eps, whichever is more."""

from __future__ import annotations

from dataclasses import dataclass

TOLERANCE = 2e-12
"""Relative tolerance of squared distances: twice that of distances, 1e-12."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The larger of the `k` nearest rows and the rows at distance at most `eps`, without the row.

    Rows that tie at the k-th distance compete at random for the places that are left, or are all
    taken in (`ties="all"`). With `open_ball`, a row at distance eps exactly is outside.
    """

    k: int = 0
    eps: float = 0.0
    ties: str = "random"
    open_ball: bool = False

    @property
    def ball(self) -> float:
        """The squared radius that members of the ball are nearer than; 0 for no ball."""
        margin = -TOLERANCE if self.open_ball else TOLERANCE
        return self.eps * self.eps * (1.0 + margin)

    @property
    def all_ties(self) -> bool:
        """Return whether all rows tied at the k-th distance are members."""
        return self.ties == "all"
