"""What pictures of a release show: aggregates of both tables in which no person can be seen."""

from swapmeet.measures.side_by_side.profiles.bins import LEAST
from swapmeet.measures.side_by_side.profiles.components import Components
from swapmeet.measures.side_by_side.profiles.correlations import Correlations
from swapmeet.measures.side_by_side.profiles.distribution import Distribution
from swapmeet.measures.side_by_side.profiles.influence import Influence
from swapmeet.measures.side_by_side.profiles.profile import Profile, profile
from swapmeet.measures.side_by_side.profiles.selectivity import Selectivity, SelectivityPoint

__all__ = [
    "LEAST",
    "Components",
    "Correlations",
    "Distribution",
    "Influence",
    "Profile",
    "Selectivity",
    "SelectivityPoint",
    "profile",
]
