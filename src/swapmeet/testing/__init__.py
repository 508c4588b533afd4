"""The contracts that every method and every measure must pass; public, for those made elsewhere."""

from swapmeet.testing.examples import Example, examples, only
from swapmeet.testing.measures import check_measure
from swapmeet.testing.methods import CHECKS, SEED, check_method

__all__ = ["CHECKS", "SEED", "Example", "check_measure", "check_method", "examples", "only"]
