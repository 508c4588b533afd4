"""Likelihoods that a released row stands in a person's place, for someone who knows the method.

Each piece speaks of one column, or of several that moved as one, and of the people an intruder
knows. A method joins the pieces that describe it; their sum is the log-likelihood of a row.
"""

from swapmeet.comparison.codes import SharedCodes, code_both
from swapmeet.intruders.evidence.agreement import Agreement
from swapmeet.intruders.evidence.base import Likelihood
from swapmeet.intruders.evidence.chosen_rows import ChosenRows
from swapmeet.intruders.evidence.evidence import ATTACK, UNSURE, Evidence
from swapmeet.intruders.evidence.gaussian import Gaussian
from swapmeet.intruders.evidence.group_shares import GroupShares
from swapmeet.intruders.evidence.kept_or_traded import KeptOrTraded
from swapmeet.intruders.evidence.mixture import Mixture
from swapmeet.intruders.evidence.neighbor_shares import NeighborLists, NeighborShares
from swapmeet.intruders.evidence.rank_moves import PeopleRanks, RankMoves
from swapmeet.intruders.evidence.suppressed_cells import SuppressedCells
from swapmeet.intruders.evidence.unit_likelihood import UnitLikelihood

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
