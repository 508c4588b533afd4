"""What reports say of columns that number households: they are neither exact nor anybody's."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.reporting.analysts import NOT_DERIVED, write_to_analysts
from swapmeet.reporting.people import UNITS, WHOLE_HOUSEHOLDS, write_to_people
from swapmeet.reporting.sources import Sources


@pytest.mark.parametrize("audience", ["public", "internal"])
def test_numbers_of_households_are_not_called_exact(tmp_path, audience):
    rng = np.random.default_rng(1)
    homes = np.repeat(np.arange(60), 2)
    people = pd.DataFrame(
        {"hh_id": homes + 700, "rooms": rng.integers(1, 6, 60)[homes], "wage": rng.random(120)}
    )
    release = sm.mask(people, sm.MatchedSwap(k=5), household=["hh_id"])
    card = sm.assess(people, release, measures=["margins"])
    asked = {"audience": audience, "release": release, "schema": release.schema}
    sm.report(card, tmp_path / "r.html", **asked)
    page = (tmp_path / "r.html").read_text()
    assert "hh_id is exact" not in page
    assert "Your values of hh_id" not in page
    if audience == "internal":
        assert page.count("An intruder may know it.") == 1
    if audience == "public":
        assert page.count("replaced at random") == 2
        columns = json.loads((tmp_path / "r.json").read_text())["columns"]
        assert "exact" not in next(c["values"] for c in columns if c["name"] == "hh_id")


def test_the_rule_is_not_said_of_what_was_computed_anew():
    rng = np.random.default_rng(3)
    parts = pd.DataFrame({"rent": rng.integers(1, 90, 80), "food": rng.integers(1, 90, 80)})
    homes = parts.assign(total=parts["rent"] + parts["food"])
    release = sm.mask(homes, sm.MatchedSwap(k=5), derive=["total = rent + food"])
    card = sm.assess(homes, release, measures=["margins"])
    sources = Sources.gather(card, study=None, card=None, release=release, schema=release.schema)
    sentences = list(write_to_analysts(sources))
    (at,) = (n for n, one in enumerate(sentences) if "exactly the values it had" in one)
    assert sentences[at - 1] == NOT_DERIVED.format(columns="total")


@pytest.mark.filterwarnings("ignore::swapmeet.errors.SwapmeetWarning")
@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"household": "hh_id"}, "What all members of a household share moved once"),
        ({"household": "hh_id", "whole_households": True}, "among whole households of the same"),
        ({"person": "hh_id"}, "What is the same in all rows of a person moved once"),
        ({"drop": "hh_id"}, None),
    ],
    ids=["levels", "wholes", "persons", "none"],
)
def test_people_are_told_among_whom_the_rule_held(roles, words):
    rng = np.random.default_rng(5)
    home = np.repeat(np.arange(60), 2)
    people = pd.DataFrame(
        {"hh_id": home, "rent": rng.integers(300, 900, 60)[home], "age": rng.integers(0, 90, 120)}
    )
    release = sm.mask(people, sm.MatchedSwap(k=5), seed=1, **roles)
    card = sm.assess(people, release, measures=["margins"])
    sources = Sources.gather(card, study=None, card=None, release=release, schema=release.schema)
    told = list(write_to_people(sources))
    found = [one for one in (WHOLE_HOUSEHOLDS, *UNITS.values()) if one in told]
    assert len(found) == (words is not None)
    assert all(words in one for one in found)
