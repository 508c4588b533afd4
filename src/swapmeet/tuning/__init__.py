"""Search methods and settings for the best protection, and choose under limits."""

from swapmeet.tuning.candidate import Candidate
from swapmeet.tuning.chosen_release import ChosenRelease, apply
from swapmeet.tuning.goal import Goal
from swapmeet.tuning.grid import Grid
from swapmeet.tuning.presets import GRIDS
from swapmeet.tuning.study import Study
from swapmeet.tuning.tuner import tune

__all__ = ["GRIDS", "Candidate", "ChosenRelease", "Goal", "Grid", "Study", "apply", "tune"]
