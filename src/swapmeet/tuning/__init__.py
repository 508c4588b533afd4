"""Search methods and settings for the best protection, and choose under limits."""

from swapmeet.tuning.applying import Applied, apply
from swapmeet.tuning.candidate import Candidate
from swapmeet.tuning.goal import Goal
from swapmeet.tuning.grid import Grid
from swapmeet.tuning.presets import GRIDS
from swapmeet.tuning.study import Study
from swapmeet.tuning.studying import tune

__all__ = ["GRIDS", "Applied", "Candidate", "Goal", "Grid", "Study", "apply", "tune"]
