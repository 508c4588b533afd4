"""Likelihoods that a released row stands in a person's place, for someone who knows the method.

Each piece speaks of one column, or of several that moved as one, and of the people an intruder
knows. A method joins the pieces that describe it; their sum is the log-likelihood of a row.
"""

from swapmeet.comparison.values import SharedCodes, code_both
from swapmeet.intruders.evidence.base import Likelihood
from swapmeet.intruders.evidence.columns import (
    Agreement,
    Gaussian,
    KeptOrTraded,
    PeopleRanks,
    RankMoves,
    SuppressedCells,
)
from swapmeet.intruders.evidence.rows import (
    ATTACK,
    UNSURE,
    ChosenRows,
    Evidence,
    Mixture,
    UnitLikelihood,
)
from swapmeet.intruders.evidence.shares import GroupShares, NeighborLists, NeighborShares

__all__ = [
    "ATTACK",
    "UNSURE",
    "Agreement",
    "ChosenRows",
    "Evidence",
    "Gaussian",
    "GroupShares",
    "KeptOrTraded",
    "Likelihood",
    "Mixture",
    "NeighborLists",
    "NeighborShares",
    "PeopleRanks",
    "RankMoves",
    "SharedCodes",
    "SuppressedCells",
    "UnitLikelihood",
    "code_both",
]
