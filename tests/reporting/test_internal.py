from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.reporting import ReleaseSummary
from swapmeet.reporting.internal import UNFIT, build_internal
from swapmeet.reporting.sources import Sources


@pytest.fixture
def whole(study, card, release):
    return Sources.gather(study, study=None, card=card, release=release)


def test_the_reasons_of_the_choice_are_the_summary(whole, study):
    told = build_internal(whole)["summary"]
    assert [one for one in told if one in study.choice.sentences] == list(study.choice.sentences)
    assert "This is the setting that the search recommends." in told
    assert UNFIT in told


def test_a_release_with_another_setting_than_the_recommended_one_is_told(study, card):
    other = ReleaseSummary("rwn", {"k": 77})
    told = build_internal(Sources(study=study, card=card, release=other))["summary"]
    assert f"The search recommends another setting: {study.best.label}." in told


def test_limits_are_judged_by_the_release(whole, study, card):
    fit = replace(whole, release=replace(whole.release, reproducible=False))
    fit = replace(fit, card=replace(card, reproducible=False))
    told = build_internal(fit)["verdict"]
    assert (told["good"], told["safe"], told["limits"]) == (True, True, {"dbrl": 0.5})
    assert told["words"].startswith("Safe to publish under your limits: dbrl is 0.")
    assert build_internal(whole)["verdict"]["good"] is False
    strict = study.under(limit={"dbrl": card["dbrl"].value / 2})
    missed = build_internal(replace(fit, study=strict))
    assert missed["verdict"]["good"] is False
    assert missed["verdict"]["words"].startswith("Not safe to publish under your limits: dbrl is")
    assert any(one.startswith("The limit on dbrl is not met: dbrl is") for one in missed["summary"])
    assert set(missed["verdict"]["advice"]) <= set(missed["summary"])


def test_limits_on_what_the_goal_makes_of_measures_are_judged_too(canaries, schema, study, release):
    card = sm.assess(canaries, release, schema=schema, measures=study.setup.measures)
    told = build_internal(Sources(study=study.under(limit={"score": 0.0}), card=card))["verdict"]
    assert told["good"] is False
    assert told["words"].startswith("Not safe to publish under your limits: score is 0.")
    loose = study.under(limit={"score": 1.0, "risk": 1.0})
    assert build_internal(Sources(study=loose, card=card))["verdict"]["safe"]


def test_a_study_without_a_release_has_no_verdict_yet(study):
    told = build_internal(Sources(study=study))["verdict"]
    assert told == {
        "good": None,
        "words": "No verdict yet: no release was measured. In the search, this setting kept the "
        "limits.",
    }


def test_without_limits_there_is_no_verdict(card):
    told = build_internal(Sources(card=replace(card, limits={})))["verdict"]
    assert told["good"] is None
    assert told["words"].startswith("No verdict: no limit was set.")


def test_a_study_that_found_nothing_still_makes_a_record(study):
    told = build_internal(Sources(study=study.under(limit={"dbrl": 0.0, "relations": 0.0})))
    assert told["setting"] is None
    assert told["verdict"]["good"] is False
    assert told["summary"][0] == "No setting that was tried keeps the limits."


def test_columns_are_told_with_kind_and_role(whole):
    columns = {column["name"]: column for column in build_internal(whole)["data"]["columns"]}
    assert columns["weight"]["role"] == "keep"
    assert not columns["weight"]["masked"]
    assert columns["income"]["masked"]


def test_columns_that_the_intruder_of_the_verdict_knows_are_marked(whole):
    columns = build_internal(whole)["data"]["columns"]
    assert {column["name"] for column in columns if column["known"]} == set(whole.card.keys)
    assert whole.card.keys


def test_threats_name_the_intruder_and_what_measures_stand_for(whole):
    threats = build_internal(whole)["threats"]
    assert "income" in threats["known"]
    assert "audit record" in threats["owners"]
    assert threats["open"] == ["weight"]
    assert {"measure": "pscr", "family": "Risk", "public": False,
            "better": "lower", "bounds": [0.0, 1.0],
            "question": "How many people does an intruder find, starting from what they know?",
            } in threats["measures"]  # fmt: skip


def test_parameters_come_with_their_meanings(whole):
    parameters = {row["name"]: row for row in build_internal(whole)["setting"]["parameters"]}
    assert parameters["q"]["meaning"].startswith("probability that a value is replaced")
    assert parameters["scale"]["default"] is True
    assert parameters["weights"]["default"] is False


@pytest.mark.parametrize(
    "method",
    [
        sm.RWN(search="partition", parts=4),
        sm.PerColumn(parts=[(sm.MEWS(columns=["weight"]), ["weight", "income"])]),
    ],
)
def test_parameters_of_the_name_parts_are_no_parts(study, method):
    release = ReleaseSummary(method.name, method.settings())
    setting = build_internal(Sources(study=study, release=release))["setting"]
    assert bool(setting["parameters"]) == (method.name == "rwn")
    assert [part["columns"] for part in setting["parts"]] == [
        list(columns) for _, columns in method.submethods
    ]


def test_what_is_not_protected_names_unmasked_columns_and_undefined_measures(
    study, canaries, schema
):
    frame = canaries.drop(columns="name")
    card = sm.assess(canaries, frame, schema=schema, measures=["pscr", "uniqueness"])
    told = build_internal(Sources(study=study, card=card))["not_protected"]
    assert told["unmasked"] == ["weight"]
    assert [row["measure"] for row in told["undefined"]] == ["pscr"]
    assert told["unmeasured"] == ["dbrl"]
    assert any("second release" in one for one in told["general"])


def test_values_that_a_condition_names_are_left_out(whole):
    [rare] = build_internal(whole)["rare"]
    assert rare["condition"] == "a condition on town & region and income"
    assert "people meet the condition" in rare["sentence"]


def test_what_is_unknown_of_a_column_is_left_open(study):
    from swapmeet.release.changes import ColumnChange

    release = ReleaseSummary("rwn", {}, changes=(ColumnChange("income", 0.9, np.nan, 0.0),))
    [row] = build_internal(Sources(study=study, release=release))["changes"]
    assert row["moved"] == 0.9
    assert np.isnan(row["changed"])
