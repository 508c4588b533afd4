"""Two surveys as offices have them, taken through inspect, mask, assess and report by a user.

What inspect proposes is what is asked of mask, word for word; a curator adds the rules that only
people know.
"""

from __future__ import annotations

import shlex
from decimal import Decimal

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from survey_files import AGE_GROUPS, REGIONS, make_businesses, make_households

from swapmeet import io

pytestmark = pytest.mark.slow
GERMAN = {"sep": ";", "encoding": "cp1252", "decimal": ","}
RULES = ("--rule", 'age >= 16 or marital = "single"', "--rule", "age >= 16 or income = 0")
SHARED = ("region", "district", "weight", "water_supply", "rooms", "hh_size")


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with the two files, in which the user works."""
    make_households(600).to_csv(tmp_path / "survey.csv", index=False, **GERMAN)
    make_businesses().to_csv(tmp_path / "business.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def user(swapmeet, desk):
    """Who types commands, and expects them to work."""

    def type_command(*words, codes=(0,)):
        run = swapmeet(*words)
        assert run.code in codes, run.err
        return run

    return type_command


def follow(user, file):
    """The command that inspect ends with."""
    *_, last = user("inspect", file).out.strip().splitlines()
    program, *words = shlex.split(last)
    assert program == "swapmeet"
    return words


def count_broken_rules(people):
    """Rows, or households, that break each rule of the survey."""
    homes, young = people.groupby("hh_id"), people["age"] < 16
    low = people["age_group"].str.split("-").str[0].astype(int)
    bins = np.array(AGE_GROUPS)[np.searchsorted(AGE_GROUPS, people["age"], "right") - 1]
    region = {one: region for region, several in REGIONS.items() for one in several}
    lines = homes["person_no"]
    broken = {
        "size of the household": homes.size() != homes["hh_size"].first(),
        "numbers of members": (lines.nunique() != homes.size()) | (lines.max() != homes.size()),
        "one head": homes["relation"].agg(lambda told: (told == "head").sum()) != 1,
        "district in its region": people["district"].map(region) != people["region"],
        "age group of the age": low != bins,
        "under 16 and not single": young & (people["marital"] != "single"),
        "under 16 with income": young & (people["income"] != 0),
    }
    broken |= {name: homes[name].nunique() > 1 for name in SHARED}
    return {rule: int(rows.sum()) for rule, rows in broken.items()}


def count_broken_sums(businesses):
    """Businesses whose figures do not add up, to the last digit."""
    figures = businesses[["domestic", "export", "turnover", "costs", "profit"]]
    exact = figures.map(Decimal)
    turnover = exact["turnover"] != exact["domestic"] + exact["export"]
    profit = exact["profit"] != exact["turnover"] - exact["costs"]
    return {"turnover": int(turnover.sum()), "profit": int(profit.sum())}


def test_a_household_survey(user, desk):
    original = pd.read_csv("survey.csv", **GERMAN)
    assert set(count_broken_rules(original).values()) == {0}
    command = follow(user, "survey.csv")
    user(*command, "release.sav", *RULES, "--k", "50", "--audit", "secret.audit")
    released = pd.read_csv("release.csv", **GERMAN)
    assert count_broken_rules(released) == dict.fromkeys(count_broken_rules(original), 0)
    assert (released["income"] == -9).sum() == (original["income"] == -9).sum()
    for name in ("age", "income", "district"):
        assert set(released[name]) <= set(original[name])
        assert released[name].tolist() != original[name].tolist()
    other, _ = pyreadstat.read_sav("release.sav")
    assert other["district"].tolist() == released["district"].tolist()

    measures = ("--measure", "household-linkage,margins")
    files = ("survey.csv", "release.csv", "--audit", "secret.audit")
    card = user("assess", *files, *measures, "--json", codes=(0, 4))
    scores = {score["measure"]: score["value"] for score in card.json["scores"]}
    assert scores["household-linkage"] < 0.3
    assert scores["margins"] < 0.05
    for audience in ("internal", "public"):
        page = desk / f"{audience}.html"
        user("report", page, "--file", "survey.csv", "--release", "release.csv", "--audit",
             "secret.audit", "--measure", "margins,pscr", "--audience", audience)  # fmt: skip
        content = page.read_text()
        assert not [word for word in ("Görlitz", "Kötzting", "widowed") if word in content]
        assert "hh_id" in content


def test_a_business_survey(user, desk):
    original = pd.read_csv("business.csv", dtype=str)
    assert count_broken_sums(original) == {"turnover": 0, "profit": 0}
    command = follow(user, "business.csv")
    assert command.count("--derive") == 2
    user(*command, "release.parquet", "--k", "20", "--audit", "secret.audit")
    released = pd.read_csv("release.csv", dtype=str)
    assert count_broken_sums(released) == {"turnover": 0, "profit": 0}
    assert sorted(released["costs"]) == sorted(original["costs"])
    assert released["turnover"].tolist() != original["turnover"].tolist()
    assert sorted(released["design_weight"]) == sorted(original["design_weight"])
    assert pd.read_parquet("release.parquet")["sector"].tolist() == released["sector"].tolist()
    page = desk / "record.html"
    user("report", page, "--file", "business.csv", "--release", "release.csv", "--audit",
         "secret.audit", "--measure", "margins,correlations")  # fmt: skip
    assert "profit" in page.read_text()


@pytest.mark.parametrize("suffix", ["sav", "dta", "xlsx"])
def test_the_household_survey_in_other_formats(user, desk, suffix):
    people = make_households(200).rename(columns={"rooms": "Räume"})
    io.write(desk / f"survey.{suffix}", people)
    user(*follow(user, f"survey.{suffix}"), *RULES)
    frame = io.read(desk / f"release.{suffix}").frame.rename(columns={"Räume": "rooms"})
    assert list(count_broken_rules(frame).values()) == [0] * len(count_broken_rules(frame))
    assert frame["income"].fillna(-9).eq(-9).sum() == (people["income"] == -9).sum()
