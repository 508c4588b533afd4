"""What a notebook shows of each public object: escaped, without scripts, values and secrets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.base.sentences import percent

SEED = 8_713_554_021
ODD = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 90, 80),
            ODD: rng.choice(["secretvalue-a", "secretvalue-b", "secretvalue-c"], 80),
            "income": np.round(rng.gamma(2, 1000, 80), 2),
            "weight": rng.random(80),
        }
    )


@pytest.fixture(scope="module")
def schema(people):
    return sm.Schema.infer(people).assign(sensitive=["income"], keep=["weight"])


@pytest.fixture(scope="module")
def release(people, schema):
    return sm.mask(people, sm.RWN(k=5, weights=0.1), schema=schema, seed=SEED)


@pytest.fixture(scope="module")
def card(people, release):
    return sm.assess(people, release, measures=["pscr", "margins"], limits={"pscr": 0.5})


@pytest.fixture(scope="module")
def study(people, schema):
    return sm.tune(
        people, ["rwn:k=3|10:weights=0.1", "sjppds:bins=2|5"], limit={"pscr": 0.4}, schema=schema,
        goal=sm.Goal(risk={"pscr": 1}, loss={"margins": 1}), measures=["pscr", "margins"],
        repeats=2, seed=SEED, workers=1,
    )  # fmt: skip


@pytest.fixture(scope="module")
def shown(people, schema, release, card, study):
    """Each object as a notebook shows it, by its class."""
    objects = (schema, release, card, study, sm.inspect(people))
    return {type(one).__name__: one._repr_html_() for one in objects}


NAMES = ["Schema", "Release", "Scorecard", "Study", "Inspection"]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_executed_and_nothing_is_fetched(shown, name):
    html = shown[name].lower()
    assert "<script" not in html
    assert "<style" not in html
    assert "src=" not in html
    assert "href=" not in html
    assert "url(" not in html


@pytest.mark.parametrize("name", NAMES)
def test_no_cell_and_no_seed_is_shown(shown, name, people, release):
    html = shown[name]
    assert "secretvalue" not in html
    assert str(SEED) not in html
    assert not any(str(cell) in html for cell in people["income"])
    assert not any(str(cell) in html for cell in people["weight"])
    assert str(release.audit.donors[:5].tolist()) not in html


@pytest.mark.parametrize("name", NAMES)
def test_colours_are_those_of_the_notebook(shown, name):
    """Neither a white nor a black ground, and text in the colour around it."""
    html = shown[name]
    assert "color:inherit" in html
    assert "background:#" not in html
    assert "background-color" not in html


def test_a_column_with_an_odd_name_is_shown_as_it_is_called(shown):
    for name in ("Schema", "Release", "Inspection"):
        assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;" in shown[name]


def test_the_verdict_comes_first_and_the_measures_stand_below(shown, card):
    html = shown["Scorecard"]
    assert html.index("to publish under your limits") < html.index("pscr")
    assert card["margins"].sentence.split(" ")[0] in html
    assert "seed was chosen" in html


def test_a_release_tells_what_happened_to_each_column(shown, release):
    html = shown["Release"]
    assert "The seed was chosen" in html
    for change in release.changes:
        assert percent(change.changed) in html


def test_a_study_has_a_point_for_each_candidate_on_its_map(shown, study):
    html = shown["Study"]
    assert html.count("<circle") == len(study.candidates)
    assert study.choice.sentences[0].split(":")[0] in html
    assert study.choice.best is not None
    assert "Red: the choice." in html


def test_a_study_in_which_all_failed_has_no_map(people, schema):
    study = sm.tune(
        people.head(4), ["rwn:k=30"], schema=schema, limit={}, measures=["margins"], workers=1,
        goal=sm.Goal(risk={"pscr": 1}, loss={"margins": 1}), repeats=1, seed=1,
    )  # fmt: skip
    html = study._repr_html_()
    assert "<svg" not in html
    assert "Settings that failed" in html
