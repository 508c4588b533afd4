"""What pictures of a release show: aggregates of both tables in which no person can be seen."""

from swapmeet.profiles.bins import LEAST
from swapmeet.profiles.components import Components
from swapmeet.profiles.correlations import Correlations
from swapmeet.profiles.distribution import Distribution
from swapmeet.profiles.influence import Influence
from swapmeet.profiles.profile import Profile, profile
from swapmeet.profiles.selectivity import Selectivity, SelectivityPoint

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
