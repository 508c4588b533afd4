"""What a table tells of itself: of a messy survey all, and nothing where there is nothing."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from survey_file import make_survey

import swapmeet as sm
from swapmeet.inspecting.columns import Columns
from swapmeet.inspecting.findings import find_all
from swapmeet.tables.frame import Table


def look(frame, **roles):
    table = Table(frame)
    return find_all(Columns(table, sm.Schema.guess(table, {}).assign(**roles)))


def proposals(frame, **roles):
    return {one.command for one in look(frame, **roles) if one.options}


@pytest.fixture(scope="module")
def survey():
    return make_survey()


def test_a_messy_survey_is_understood(survey):
    assert proposals(survey) == {
        "--household haushalt_nr",
        "--position stellung",
        "--weight gewicht",
        "--place region,bezirk",
        "--sensitive lohn,miete,rente,vermoegen",
        "--sensitive zufriedenheit",
        "--derive 'einkommen = lohn + miete + rente'",
        "--derive 'bmi = kilo / groesse ** 2'",
        "--together alter,altersgruppe",
        "--missing zufriedenheit:-9",
        "--missing stunden:999",
        "--drop geburtsdatum",
        "--keep land",
    }
    assert [one.columns for one in look(survey) if not one.options] == [("vermoegen",)]


def test_nothing_is_found_twice_once_it_is_declared(survey):
    told = proposals(
        survey,
        household=["haushalt_nr"], position=["stellung"], weight=["gewicht"],
        place=["region", "bezirk"], keep=["land"], drop=["geburtsdatum"],
        sensitive=["lohn", "miete", "rente", "vermoegen", "zufriedenheit"],
        missing={"zufriedenheit": -9, "stunden": 999},
    )  # fmt: skip
    assert told == {
        "--derive 'einkommen = lohn + miete + rente'",
        "--derive 'bmi = kilo / groesse ** 2'",
        "--together alter,altersgruppe",
    }


def test_columns_at_random_are_nothing():
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({f"c{j}": rng.integers(0, 2 + j**2, 400) for j in range(12)})
    frame = frame.assign(x=rng.normal(size=400), y=rng.normal(70, 10, 400).round(1))
    assert look(frame) == ()


@given(st.integers(0, 60), st.integers(1, 6), st.integers(0, 2**32))
def test_any_table_is_looked_at_without_failing(rows, columns, seed):
    rng = np.random.default_rng(seed)
    names = rng.choice(["hid", "weight", "a,b", "", "region", "x:y", "rel", "`q`", "dob"], columns,
                       replace=False)  # fmt: skip
    frame = pd.DataFrame({name: rng.integers(-2, 4, rows) for name in names})
    frame = frame.astype("Int64").mask(rng.random(frame.shape) < 0.2)
    for one in look(frame):
        assert 0 <= one.rows <= rows
        assert json.dumps(one.to_dict())


def test_few_rows_prove_nothing(survey):
    assert look(survey.head(19)) == ()


def test_no_value_of_a_person_is_told(survey):
    told = str(sm.inspect(survey)) + sm.inspect(survey)._repr_html_()
    for name in ("region", "stellung", "geburtsdatum", "vermoegen", "altersgruppe"):
        assert not any(str(value) in told for value in survey[name].unique())


def test_text_notebook_and_machine_tell_the_same(survey):
    found = sm.inspect(survey)
    assert len(found.to_dict()["findings"]) == len(found.findings)
    for one in found.findings:
        assert one.command in str(found)
        assert one.reason.split(";")[0][:20] in found._repr_html_()


def test_a_sum_is_found_beside_codes_for_missing_parts():
    rng = np.random.default_rng(3)
    pay, rent = rng.integers(0, 900, 400), rng.integers(0, 300, 400)
    gap = rng.random(400) < 0.1
    table = pd.DataFrame({"pay": pay, "rent": rent, "total": pay + rent})
    table.loc[gap] = -9
    assert proposals(table, sensitive=["pay", "rent"]) == {
        "--derive 'total = pay + rent'", "--missing pay:-9", "--missing rent:-9",
        "--missing total:-9",
    }  # fmt: skip


def test_a_date_of_birth_is_proposed_as_a_year():
    days = pd.Timestamp("1950-01-01") + pd.to_timedelta(np.arange(100) * 71, unit="D")
    assert proposals(pd.DataFrame({"born": days})) == {"--recode 'born: year'"}
