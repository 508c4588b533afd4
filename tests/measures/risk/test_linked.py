from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.risk.rid import RIDLinked
from swapmeet.measures.risk.sdid import SDIDLinked

BOTH = pytest.mark.parametrize("measure", [RIDLinked(), SDIDLinked()], ids=lambda m: m.name)


def score(measure, original, released, **options):
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    return sm.assess(original, released, schema=schema, measures=[measure], **options)[measure.name]


@BOTH
def test_moving_whole_records_hides_nobody(measure):
    rng = np.random.default_rng(0)
    people = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("xyz"))
    moved = people.sample(frac=1.0, random_state=1).reset_index(drop=True)
    assert score(measure, people, moved, match="rows").value == 1.0
    assert score(measure, people, moved).value == 1.0


@BOTH
def test_shuffled_columns_leave_few_similar_records(measure):
    rng = np.random.default_rng(0)
    people = pd.DataFrame(rng.normal(size=(500, 5)), columns=list("vwxyz"))
    blind = people.apply(lambda column: rng.permutation(column.to_numpy()))
    assert score(measure, people, blind).value < 0.05


def test_hand_worked():
    """Nearest by x and y together: 0 finds the record at 1, 10 the one at 8, 20 its own."""
    original = pd.DataFrame({"x": [0.0, 10.0, 20.0], "y": [0.0, 10.0, 20.0]})
    released = pd.DataFrame({"x": [20.0, 8.0, 1.0], "y": [20.0, 8.0, 1.0]})
    found = score(SDIDLinked(), original, released)
    unit = released["x"].std()
    steps = np.ceil(100 * np.array([1.0, 2.0, 0.0]) / unit)
    assert found.value == pytest.approx(np.clip((11 - steps) / 10, 0, 1).mean())


@BOTH
def test_a_sample_of_people_is_looked_for(measure):
    rng = np.random.default_rng(0)
    people = pd.DataFrame(rng.normal(size=(300, 2)), columns=list("xy"))
    found = score(measure, people, people, at_most=50)
    assert found.details["people looked for"] == 50
    assert found.value == 1.0


@BOTH
def test_the_sentence_says_whose_record_it_may_be(measure):
    people = pd.DataFrame({"x": np.arange(10.0)})
    assert "be it theirs or another's" in score(measure, people, people).sentence
