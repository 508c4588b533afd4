from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.comparison.score import Family
from swapmeet.errors import UsageError
from swapmeet.measures.base import Measure
from swapmeet.measures.registry import MEASURES
from swapmeet.measures.risk import RISKS
from swapmeet.measures.utility import UTILITIES

RNG = np.random.default_rng(21)
PEOPLE = pd.DataFrame({"age": RNG.integers(18, 90, 60), "wage": RNG.normal(size=60)})


class Foreign(Measure):
    """A measure of risk that is in no table of ours."""

    name = "foreign"
    family = Family.RISK
    question = "Is somebody found?"

    def score(self, comparison):
        return self.make_score(0.25, "Somebody is found.")


@pytest.fixture(scope="module")
def card():
    return sm.assess(PEOPLE, PEOPLE, match="rows", measures=["margins", Foreign(), "pscr"])


def test_a_measure_of_risk_from_elsewhere_counts_as_risk(card):
    families = {name: [s.measure for s in scores] for name, scores in card.families().items()}
    assert families == {"Risk": ["foreign", "pscr"], "Utility": ["margins"]}
    assert card.to_frame().family.to_dict() == {
        "margins": "utility", "foreign": "risk", "pscr": "risk",
    }  # fmt: skip


def test_scores_know_whether_they_may_be_published(card):
    assert {score.measure: score.public for score in card} == {
        "margins": True, "foreign": False, "pscr": False,
    }  # fmt: skip


def test_a_measure_stands_in_the_table_of_its_family():
    assert {m.family for m in RISKS.values()} == {Family.RISK}
    assert {m.family for m in UTILITIES.values()} == {Family.UTILITY}
    assert MEASURES == RISKS | UTILITIES


def test_a_measure_without_a_family_is_refused():
    stray = type("Stray", (Measure,), {"name": "stray", "score": Foreign.score})
    with pytest.raises(UsageError, match="'stray' does not say what it measures"):
        sm.assess(PEOPLE, PEOPLE, match="rows", measures=[stray()])
