from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.base.sentences import align
from swapmeet.comparison.comparison import Ownership
from swapmeet.comparison.score import Direction, Family, Score
from swapmeet.errors import UsageError
from swapmeet.measures.base import Measure
from swapmeet.measures.registry import MEASURES, RISKS, UTILITIES
from swapmeet.measures.scorecard import Scorecard

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


def make_card(limits, *scores):
    return Scorecard(
        scores={score.measure: score for score in scores}, rows=60, known=("age",),
        ownership=Ownership.TRUE, limits=limits,
    )  # fmt: skip


def make_score(name, value, family=Family.RISK, **more):
    return Score(name, value, "A sentence.", Direction.LOWER, (0.0, 1.0), family, **more)


@pytest.fixture
def card_of_two():
    return make_card(
        {"dbrl": 0.2, "pscr": 0.5},
        make_score("dbrl", 0.25, interval=(0.2, 0.3)),
        make_score("pscr", np.nan, undefined="owners are unknown"),
        make_score("margins", 0.03864123, Family.UTILITY),
    )


def test_a_printed_card_has_the_verdict_first_then_values_below_each_other(card_of_two):
    lines = str(card_of_two).splitlines()
    assert lines[0].startswith("Not safe to publish under your limits: dbrl is 0.25")
    at = lines.index("Risk     value             interval    limit")
    assert lines[at + 1] == "dbrl     0.25              [0.2, 0.3]  0.2    NOT MET"
    assert lines[at + 2] == "pscr     not defined here              0.5    NOT DECIDED"
    assert lines[-1] == "margins  0.03864"


def test_lines_of_words_fit_a_terminal(card_of_two):
    assert max(map(len, str(card_of_two).splitlines())) <= 80


@given(st.lists(st.lists(st.text("ab é", max_size=6), min_size=1, max_size=4), max_size=6))
def test_cells_of_a_column_begin_at_the_same_place(rows):
    width = max((len(row) for row in rows), default=0)
    full = [(row + [""] * width)[:width] for row in rows]
    lines = align(full)
    assert len(lines) == len(rows)
    for line, row in zip(lines, full, strict=True):
        starts = [2 * at + sum(max(len(r[i]) for r in full) for i in range(at))
                  for at in range(width)]  # fmt: skip
        assert all(line[s:].startswith(cell.rstrip()) or not cell.strip()
                   for s, cell in zip(starts, row, strict=True))  # fmt: skip
