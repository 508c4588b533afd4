"""Trials have a first look at dear measures; the best are then measured in full."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.measures.base import Measure
from swapmeet.measures.score import Family
from swapmeet.tuning.study import Study


@dataclass(frozen=True, kw_only=True)
class Exposure(Measure):
    """Flatters at first look: the smaller k, the worse it is in truth."""

    name: ClassVar[str] = "pscr"
    family: ClassVar[Family] = Family.RISK
    question: ClassVar[str] = "how many?"
    quick: bool = False

    @classmethod
    def parameters(cls):
        return ()

    @property
    def first_look(self):
        return Exposure(quick=True)

    def score(self, comparison):
        k = comparison.provenance.method.k
        return self.make_score(0.01 if self.quick else 1 / k, "so many.")


@pytest.fixture(scope="module")
def journal(tmp_path_factory):
    return tmp_path_factory.mktemp("study") / "study.jsonl"


@pytest.fixture(scope="module")
def study(journal):
    return sm.tune(
        sm.datasets.load("diabetes"), ["rwn:k=2|3|20:weights=0.1"], limit={"pscr": 0.1},
        goal=sm.Goal(risk={"pscr": 1.0}, loss={"correlations": 1.0}, balance=0.0),
        measures=[Exposure()], repeats=2, seed=1, workers=1, journal=journal,
    )  # fmt: skip


def test_what_only_seemed_safe_is_not_taken(study):
    assert study.best.method.k == 20
    assert study.trials.is_checked(study.best.setting)


def test_figures_are_never_better_than_those_in_full(study):
    for candidate in study.candidates:
        if study.trials.is_checked(candidate.setting):
            assert candidate.median("pscr") == pytest.approx(1 / candidate.method.k)


def test_the_journal_remembers_what_was_checked(study, journal):
    again = Study.load(journal)
    assert again.best.label == study.best.label
    assert again.trials.is_checked(again.best.setting)
    assert np.isclose(again.best.median("pscr"), 0.05)
