from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from survey_file import make_survey

import swapmeet as sm
from swapmeet.inspecting.proposal import propose
from swapmeet.tables.frame import Table

METHOD = sm.MatchedSwap(k=4)


@pytest.fixture(scope="module")
def survey():
    return make_survey(60)


@pytest.fixture
def totals():
    rng = np.random.default_rng(6)
    one, other = rng.integers(0, 900, (2, 80))
    return pd.DataFrame({"one": one, "other": other, "all": one + other})


def suggest(frame, said=(), **roles):
    schema = sm.Schema.guess(frame, {}).assign(**roles)
    return propose(frame, schema, said)


def test_options_of_all_findings_make_one_command(survey):
    words = suggest(survey.assign(id=[f"a{n}@b.org" for n in range(len(survey))])).options
    assert words[:4] == ["--drop", "id,geburtsdatum", "--keep", "land"]
    assert words.count("--missing") == 2


def test_options_and_schema_say_the_same(survey):
    proposal, guessed = suggest(survey), sm.Schema.guess(survey, {})
    schema = proposal.apply(guessed, Table.of(survey))
    assert schema.having(sm.Role.HOUSEHOLD) == ("haushalt_nr",)
    assert schema.having(sm.Role.PLACE) == ("region", "bezirk")
    assert schema["zufriedenheit"].missing == (-9,)
    for option, names in zip(proposal.options[::2], proposal.options[1::2], strict=True):
        if option.removeprefix("--") in set(sm.Role):
            assert {str(schema[name].role) for name in names.split(",")} == {option[2:]}
    assert set(schema.ties.together) == {
        tuple(one.columns) for one in proposal.findings if one.options[0] == "--together"
    }


def test_what_is_said_of_a_column_wins(survey):
    said = suggest(survey, {"einkommen", "lohn"}, key=["lohn"], drop=["region"])
    assert not [one for one in said.findings if {"lohn"} & set(one.columns)
                and one.options[0] == "--sensitive"]  # fmt: skip
    assert (
        said.apply(sm.Schema.guess(survey, {}).assign(drop=["region"]), Table.of(survey))[
            "region"
        ].role
        is sm.Role.DROP
    )
    codes = suggest(survey, missing={"stunden": 5})
    assert [one.columns for one in codes.findings if one.codes] == [("zufriedenheit",)]


def test_a_total_whose_role_was_said_keeps_it_and_still_adds_up(totals):
    release = sm.mask(totals, METHOD, as_inspected=True, sensitive="all", seed=1)
    assert release.schema["all"].role is sm.Role.SENSITIVE
    assert release.schema.ties.derive == ("all = one + other + rest",)
    assert (release.data["all"] == release.data["one"] + release.data["other"]).all()
    assert not release.data["all"].equals(totals["all"])


def test_ties_that_stand_are_not_proposed_again(totals):
    frame = totals.assign(group=totals["one"] // 100)
    said = suggest(frame, together=[["one", "group"]], derive=["all = one + other"])
    assert not said.findings


def test_notes_list_what_was_done(totals):
    notes = sm.mask(totals, METHOD, as_inspected=True, seed=1).notes
    told = [note for note in notes if "as inspected" in note]
    option, _, why = told[0].partition(", as inspected: ")
    assert (option, len(told)) == ("--derive 'all = one + other'", 1)
    assert why == "all = one + other; in all 80 rows that have them."
    assert not [n for n in sm.mask(totals, METHOD, seed=1).notes if "as inspected" in n]


def test_a_document_brings_its_labels_and_its_weight(tmp_path):
    path = tmp_path / "people.csv"
    make_survey(40).to_csv(path, index=False)
    document = sm.read(path)
    release = sm.mask(document, METHOD, as_inspected=True, seed=1)
    assert release.schema.having(sm.Role.WEIGHT) == ("gewicht",)


@pytest.mark.slow
def test_a_search_follows_what_was_inspected(survey):
    with pytest.warns(sm.SwapmeetWarning, match="--household haushalt_nr, as inspected"):
        study = sm.tune(survey, ["matched-swap:k=4"], as_inspected=True, limit={}, workers=1,
                        repeats=1, final_repeats=1)  # fmt: skip
    assert study.setup.schema.having(sm.Role.HOUSEHOLD) == ("haushalt_nr",)
    assert study.best is not None
