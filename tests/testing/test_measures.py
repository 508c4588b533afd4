from __future__ import annotations

import numpy as np
import pytest

from swapmeet.comparison.score import Family, Undefined
from swapmeet.measures.base import Measure
from swapmeet.measures.registry import MEASURES
from swapmeet.testing import check_measure

RNG = np.random.default_rng(5)
DEAR = {"prediction", "queries", "outliers", "interval-rmd", "inference", "linkage", "membership"}
"""These take seconds: they have tests of their own for every day."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in DEAR else ()) for name in MEASURES],
)
def test_every_measure_keeps_the_contract(name):
    check_measure(MEASURES[name]())


class Broken(Measure):
    name = "broken"
    family = Family.UTILITY
    question = "What goes wrong?"

    def score(self, comparison):
        return self.make_score(*self.given(comparison))


@pytest.mark.parametrize(
    ("given", "failure"),
    [
        (lambda c: (0.5, "no sentence"), "says no whole sentence"),
        (lambda c: (np.nan, "So it is."), "neither a value nor a reason"),
        (lambda c: (1.5, "So it is."), "value outside"),
        (lambda c: (RNG.random(), "So it is."), "two values for the same tables"),
    ],
)
def test_a_bad_measure_fails_with_a_reason(given, failure):
    broken = type("Bad", (Broken,), {"given": staticmethod(given)})
    with pytest.raises(AssertionError, match=failure):
        check_measure(broken())


def test_a_constant_measure_is_refused():
    constant = type("Constant", (Broken,), {"given": lambda self, c: (0.5, "So it is.")})
    with pytest.raises(AssertionError, match="unchanged release and a blind one"):
        check_measure(constant())


def test_a_measure_that_is_never_defined_is_refused():
    def refuse(self, comparison):
        raise Undefined("nobody can")

    silent = type("Silent", (Broken,), {"given": refuse})
    with pytest.raises(AssertionError, match="unchanged release and a blind one"):
        check_measure(silent())


def test_a_measure_without_a_family_is_refused():
    stray = type("Stray", (Measure,), {"name": "stray", "score": lambda self, c: None})
    with pytest.raises(AssertionError, match="has no family"):
        check_measure(stray())
