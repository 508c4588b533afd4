"""Likelihoods that a released row stands in a person's place, for someone who knows the method.

Each piece speaks of one column, or of several that moved as one, and of the people an intruder
knows. A method joins the pieces that describe it; their sum is the log-likelihood of a row.
"""

from swapmeet.algorithms.likelihood.agreement import Agreement
from swapmeet.algorithms.likelihood.base import Likelihood
from swapmeet.algorithms.likelihood.chosen_rows import ChosenRows
from swapmeet.algorithms.likelihood.codes import SharedCodes, code_both
from swapmeet.algorithms.likelihood.evidence import ATTACK, UNSURE, Evidence
from swapmeet.algorithms.likelihood.gaussian import Gaussian
from swapmeet.algorithms.likelihood.group_shares import GroupShares
from swapmeet.algorithms.likelihood.kept_or_traded import KeptOrTraded
from swapmeet.algorithms.likelihood.mixture import Mixture
from swapmeet.algorithms.likelihood.neighbor_shares import NeighborLists, NeighborShares
from swapmeet.algorithms.likelihood.rank_moves import PeopleRanks, RankMoves
from swapmeet.algorithms.likelihood.suppressed_cells import SuppressedCells
from swapmeet.algorithms.likelihood.unit_likelihood import UnitLikelihood

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
