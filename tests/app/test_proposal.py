"""What `inspect` finds in messy tables becomes roles and ties, and never overrides the curator."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from command_line import run_words
from hypothesis import given
from hypothesis import strategies as st
from survey_file import write_survey

from swapmeet.app import commands
from swapmeet.app.case import TEXTS, Case
from swapmeet.app.proposal import describe_example, propose
from swapmeet.datasets import DATASETS
from swapmeet.plan.plan import split_names

CASE = Case(name="a.csv", source="/a.csv")


def column(name, role="key", concern=None, kind="numeric"):
    return {"name": name, "role": role, "concern": concern, "kind": kind}


def finding(columns, *options):
    return {"columns": columns, "options": list(options), "about": "", "reason": ""}


def found(columns, *findings):
    return {"columns": [column(name) for name in columns], "findings": list(findings)}


def look(path, case):
    """What the app's first look finds in a file."""
    done = run_words(commands.inspect(case, {}).args, path.parent)
    assert done.code == 0, done.err
    return json.loads(done.out)


# by hand


def test_what_looks_identifying_is_dropped():
    seen = {"columns": [column("id", concern="looks like an identifier."), column("age")],
            "findings": []}  # fmt: skip
    case = propose(CASE, seen)
    assert dict(case.roles) == {"id": "drop"}
    assert case.proposed


def test_what_has_a_finding_is_not_dropped_for_its_looks():
    seen = {"columns": [column("house", concern="looks like a number.")],
            "findings": [finding(["house"], "--household", "house")]}  # fmt: skip
    assert dict(propose(CASE, seen).roles) == {"house": "household"}


def test_findings_become_roles():
    seen = found(
        ["w", "region", "district", "land"],
        finding(["w"], "--weight", "w"),
        finding(["region", "district"], "--place", "region,district"),
        finding(["land"], "--keep", "land"),
        finding(["w"]),
    )
    assert dict(propose(CASE, seen).roles) == {
        "w": "weight", "region": "place", "district": "place", "land": "keep",
    }  # fmt: skip


def test_findings_become_ties():
    seen = found(
        ["a", "b", "c", "d"],
        finding(["a", "b", "c"], "--derive", "a = b + c"),
        finding(["c", "d"], "--together", "c,d"),
        finding(["b"], "--missing", "b:-9"),
        finding(["c"], "--missing", "c:99,98"),
    )
    case = propose(CASE, seen)
    assert (case.derive, case.together) == (("a = b + c",), ("c,d",))
    assert case.missing == ("b:-9", "c:99,98")
    assert dict(case.roles) == {"a": "derived"}


def test_a_name_with_a_comma_is_one_name():
    seen = found(["a,b", "a"], finding(["a,b"], "--keep", "a,b"))
    assert dict(propose(CASE, seen).roles) == {"a,b": "keep"}


@given(st.lists(st.text(min_size=1), min_size=1, unique=True), st.data())
def test_a_column_of_any_name_gets_its_role(names, data):
    name = data.draw(st.sampled_from(names))
    seen = found(names, finding([name], "--keep", name))
    assert dict(propose(CASE, seen).roles) == {name: "keep"}


def test_names_are_split_at_commas_unless_they_have_one():
    assert list(split_names(" a , b", ["a", "b"])) == ["a", "b"]
    assert list(split_names("a,b", ["a", "a,b"])) == ["a,b"]


# what the curator said


def test_a_role_that_was_chosen_stays():
    seen = found(["w", "age"], finding(["w"], "--weight", "w"))
    case = propose(CASE.change(roles={"w": "drop", "age": "sensitive"}), seen)
    assert dict(case.roles) == {"w": "drop", "age": "sensitive"}


def test_a_key_that_was_chosen_stays():
    seen = found(["w"], finding(["w"], "--weight", "w"))
    assert dict(propose(CASE.change(roles={"w": "key"}), seen).roles) == {"w": "key"}


@pytest.mark.parametrize("name", TEXTS)
def test_lines_that_were_written_stay(name):
    case = propose(CASE.change(**{name: ("as the curator wrote it",)}), found(["a"]))
    assert getattr(case, name) == ("as the curator wrote it",)


def test_lines_that_are_found_again_stand_once():
    seen = found(
        ["a", "b"], finding(["a"], "--missing", "a:-9"), finding(["b"], "--missing", "b:1")
    )
    case = propose(CASE.change(missing=("a:-9", "b:7")), seen)
    assert case.missing == ("a:-9", "b:7", "b:1")


def test_columns_that_are_gone_take_what_was_said_of_them_along():
    """A file read with the wrong delimiter has one column of all names; nobody can unsay it."""
    case = CASE.change(
        roles={"id;age": "drop", "age": "sensitive"}, kinds={"id;age": "nominal", "age": "ordinal"},
        publish=("id;age",), known=("id;age", "age"),
    )  # fmt: skip
    case = propose(case, found(["id", "age"]))
    assert dict(case.roles) == {"age": "sensitive"}
    assert dict(case.kinds) == {"age": "ordinal"}
    assert (case.publish, case.known) == ((), ("age",))


def test_an_intruder_whose_columns_are_all_gone_knows_the_usual_ones():
    assert propose(CASE.change(known=("id;age",)), found(["id", "age"])).known is None


# a file that is read again


FIRST = found(["id", "a", "b"], finding(["a"], "--missing", "a:-9"), finding(["b"], "--keep", "b"))


def test_the_same_columns_read_again_leave_all_as_the_curator_left_it():
    case = propose(CASE, FIRST).change(missing=(), roles={"b": "sensitive"})
    again = propose(case.change(proposed=False), FIRST, FIRST)
    assert again.proposed
    assert (again.missing, dict(again.roles)) == ((), {"b": "sensitive"})


def test_other_columns_read_again_take_back_what_was_proposed_before():
    second = found(["id", "c"], finding(["c"], "--missing", "c:-9"))
    case = propose(propose(CASE, FIRST), second, FIRST)
    assert (case.missing, dict(case.roles)) == (("c:-9",), {})


def test_other_columns_read_again_leave_what_the_curator_wrote():
    written = propose(CASE, FIRST).change(
        missing=("a:-9", "id:0"), roles={"b": "keep", "id": "drop"}
    )
    case = propose(written, found(["id", "b"]), FIRST)
    assert (case.missing, dict(case.roles)) == (("id:0",), {"id": "drop"})


# real tables


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    path = write_survey(tmp_path_factory.mktemp("survey") / "survey.csv")
    case = Case(name=path.name, source=str(path))
    return propose(case, look(path, case))


def test_a_messy_survey_gets_its_roles(survey):
    roles = dict(survey.roles)
    expected = {
        "haushalt_nr": "household", "gewicht": "weight", "region": "place", "bezirk": "place",
        "stellung": "position", "einkommen": "derived", "land": "keep",
    }  # fmt: skip
    assert {name: roles.get(name) for name in expected} == expected


def test_a_messy_survey_gets_its_codes_and_ties(survey):
    assert "zufriedenheit:-9" in survey.missing
    assert "stunden:999" in survey.missing
    assert any(text.startswith("einkommen =") for text in survey.derive)
    assert any("alter" in text and "altersgruppe" in text for text in survey.together)


def test_what_is_proposed_for_a_messy_survey_can_be_masked(survey, tmp_path):
    command = commands.mask(survey, {}, "rank-swap", {}, releases=["release.csv"])
    done = run_words(command.args, tmp_path)
    assert done.code == 0, done.err


def test_identifiers_of_people_are_dropped(tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "clients.csv"
    pd.DataFrame(
        {
            "client_id": rng.permutation(90_000)[:50] + 10_000,
            "email": [f"p{at}@example.org" for at in range(50)],
            "name": [f"Ann {at}" for at in range(50)],
            "age": rng.integers(18, 90, 50),
        }
    ).to_csv(path, index=False)
    case = Case(name=path.name, source=str(path))
    case = propose(case, look(path, case))
    assert dict(case.roles) == dict.fromkeys(["client_id", "email", "name"], "drop")


# examples


@pytest.mark.parametrize("name", DATASETS)
def test_an_example_is_known_already(name):
    told = describe_example(DATASETS[name])
    assert set(told["roles"].values()) <= {"sensitive"}
    assert set(told["kinds"].values()) <= set(commands.KINDS)
    assert Case(name="a", source="a", **told)
