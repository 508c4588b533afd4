"""A messy survey (cp1252, semicolons, codes, totals, households) from the terminal."""

from __future__ import annotations

import shlex

import pandas as pd
import pytest
from survey_file import make_survey, write_survey

HOMES = 80


@pytest.fixture
def survey(tmp_path):
    return write_survey(tmp_path / "survey.csv", households=HOMES)


def test_inspect_names_what_is_there_and_shows_no_value(swapmeet, survey):
    run = swapmeet("inspect", survey)
    for option in ("--household haushalt_nr", "--weight gewicht", "--position stellung",
                   "--place region,bezirk", "--derive 'einkommen = lohn + miete + rente'",
                   "--missing zufriedenheit:-9", "--missing stunden:999"):  # fmt: skip
        assert f"\n  {option}\n" in run.out
        assert option in run.out.splitlines()[-1]
    assert "vermoegen: numbers with thousands separators" in " ".join(run.out.split())
    assert "Besançon" not in run.out


def test_findings_are_there_for_machines(swapmeet, survey):
    found = swapmeet("inspect", survey, "--json").json["findings"]
    options = [one["options"] for one in found]
    assert ["--household", "haushalt_nr"] in options
    assert all(0 < one["rows"] <= len(make_survey(HOMES)) for one in found)


@pytest.mark.slow
def test_declared_codes_count_as_missing_and_come_out_again(swapmeet, survey, tmp_path):
    columns = swapmeet("inspect", survey, "--missing", "-9,999", "--json").json["columns"]
    by_name = {column["name"]: column for column in columns}
    people = make_survey(HOMES)
    assert by_name["zufriedenheit"]["missing"] == (people.zufriedenheit == -9).sum()
    assert by_name["stunden"]["distinct"] == people.stunden.nunique() - 1
    out = tmp_path / "out.csv"
    run = swapmeet("mask", survey, out, "--method", "rwn", "--drop",
                   "haushalt_nr,geburtsdatum,vermoegen", "--missing", "zufriedenheit:-9",
                   "--missing", "stunden:999")  # fmt: skip
    assert run.code == 0
    released = pd.read_csv(out, sep=";", decimal=",", encoding="cp1252")
    assert 999 in set(released.stunden)
    assert set(released.stunden) <= set(people.stunden)
    text = (tmp_path / "out.csv.run.toml").read_text()
    assert text.count("missing = [") == 2
    again = swapmeet("mask", survey, tmp_path / "b.csv", "--config", tmp_path / "out.csv.run.toml")
    assert again.code == 0
    assert (tmp_path / "b.csv.run.toml").read_text().count("missing = [") == 2


def test_the_command_that_is_proposed_makes_a_release_that_breaks_nothing(
    swapmeet, survey, tmp_path
):
    command = shlex.split(swapmeet("inspect", survey).out.splitlines()[-1])[1:]
    command[2], command[command.index("matched-swap")] = str(tmp_path / "out.csv"), "rwn"
    [listed] = [at for at, word in enumerate(command) if "vermoegen" in word.split(",")]
    command[listed] = command[listed].replace(",vermoegen", "").replace("vermoegen,", "")
    assert swapmeet(*command, "--drop", "vermoegen").code == 0
    people = pd.read_csv(tmp_path / "out.csv", sep=";", decimal=",", encoding="cp1252")
    assert (people.einkommen == people.lohn + people.miete + people.rente).all()
    assert ((people.bmi - people.kilo / people.groesse**2).abs() < 0.0501).all()
    assert people.groupby("alter").altersgruppe.nunique().max() == 1
    homes = people.groupby("haushalt_nr")[["region", "bezirk", "wasser", "gewicht"]]
    assert homes.nunique().max().max() == 1
    assert people.groupby("bezirk").region.nunique().max() == 1
    assert {-9} < set(people.zufriedenheit)
    assert (people.stunden.max(), people.stunden[people.stunden < 999].max()) == (999, 60)


def test_masking_says_what_follows_from_other_columns(swapmeet, survey, tmp_path):
    run = swapmeet("mask", survey, tmp_path / "out.csv", "--method", "rwn", "--drop",
                   "haushalt_nr,geburtsdatum,vermoegen")  # fmt: skip
    told = " ".join(run.out.split())
    assert "einkommen, bmi and altersgruppe seem to follow from other columns" in told


def test_masking_says_which_column_numbers_households(swapmeet, survey, tmp_path):
    run = swapmeet("mask", survey, tmp_path / "out.csv", "--method", "rwn")
    told = " ".join(run.out.split())
    assert "'haushalt_nr': looks like the number of a household" in told
    assert "Say so: household=['haushalt_nr'], or --household." in told


def test_a_column_that_is_not_there_is_refused(swapmeet, survey):
    run = swapmeet("inspect", survey, "--missing", "stundn:999")
    assert run.code == 3
    assert "no column 'stundn'; did you mean 'stunden'" in " ".join(run.err.split())
