"""A labelled file released in formats without labels: kept as values, or told about."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from swapmeet.io.statistical.file import add_to_dictionary

RWN = ("--method", "rwn", "--k", "5", "--seed", "1")
LABELS = {
    "sex": {1.0: "female", 2.0: "male", 9.0: "refused"},
    "income": {0.0: "none", -9.0: "refused"},
    "Größe": {"k": "klein", "g": "groß"},
}


@pytest.fixture(params=["sav", "dta"])
def survey(request, tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "sex": rng.choice([1.0, 2.0, 9.0], 80),
            "income": np.where(rng.random(80) < 0.1, -9.0, rng.integers(0, 90, 80)),
            "age": rng.integers(18, 90, 80) * 1.0,
        }
    )
    frame.loc[0, ["sex", "income"]] = 1.0
    path = tmp_path / f"survey.{request.param}"
    labels = {name: LABELS[name] for name in ("sex", "income")}
    if request.param == "sav":
        frame["Größe"] = rng.choice(["k", "g"], 80)
        pyreadstat.write_sav(
            frame, path, variable_value_labels=LABELS, column_labels={"sex": "Sex of person"},
            missing_ranges={"sex": [9], "income": [-9]},
        )  # fmt: skip
    else:
        for name, letters in {"sex": {9.0: "a"}, "income": {-9.0: "b"}}.items():
            cells = [letters.get(cell, int(cell)) for cell in frame[name]]
            frame[name] = pd.Series(cells, dtype=object)
            labels[name] = {letters.get(c, int(c)): text for c, text in labels[name].items()}
        pyreadstat.write_dta(
            frame, path, variable_value_labels=labels, column_labels={"sex": "Sex of person"},
            missing_user_values={"sex": ["a"], "income": ["b"]},
        )  # fmt: skip
    return path


def mask(swapmeet, survey, out, *options):
    run = swapmeet("mask", survey, out / "o.csv", *RWN, *options)
    assert run.code == 0, run.err
    return pd.read_csv(out / "o.csv"), " ".join(run.out.split())


def test_without_being_asked_codes_are_written_and_losses_told(swapmeet, survey, out):
    released, said = mask(swapmeet, survey, out)
    assert set(released["sex"].dropna()) == {1, 2}
    assert released["income"].min() >= 0
    assert "o.csv does not keep: labels of columns; labels of values;" in said
    assert "why a value is missing (all such cells are empty)" in said
    assert "--labels text" in said


def test_labels_stand_for_values_that_all_have_one(swapmeet, survey, out):
    released, said = mask(swapmeet, survey, out, "--labels", "text")
    assert set(released["sex"]) == {"female", "male", "refused"}
    assert pd.api.types.is_numeric_dtype(released["income"])
    assert "o.csv does not keep: labels of columns;" in said
    if survey.suffix == ".sav":
        assert set(released["Größe"]) == {"klein", "groß"}


def test_codes_of_missing_values_are_kept_on_demand(swapmeet, survey, out):
    released, _ = mask(swapmeet, survey, out, "--labels", "codes")
    if survey.suffix == ".dta":
        assert set(released["sex"].dropna()) == {1, 2}
        return
    assert set(released["sex"]) == {1, 2, 9}
    assert released["income"].min() == -9
    stored, _ = pyreadstat.read_sav(survey, user_missing=True)
    assert set(released["income"]) <= set(stored["income"])


@pytest.mark.parametrize("how", [(), ("--labels", "text"), ("--labels", "codes")])
def test_however_it_is_written_it_is_assessed_alike(swapmeet, survey, out, how):
    same = out / f"o{survey.suffix}"
    swapmeet("mask", survey, same, out / "o.csv", *RWN, *how, "--audit", out / "a")
    cards = [
        swapmeet("assess", survey, path, "--audit", out / "a", "--measure", "dbrl,margins,pscr",
                 "--json").json
        for path in (same, out / "o.csv")
    ]  # fmt: skip
    assert cards[0]["scores"] == cards[1]["scores"]


def test_the_run_file_repeats_it(swapmeet, survey, out):
    first, _ = mask(swapmeet, survey, out, "--labels", "text")
    run = swapmeet("mask", survey, out / "p.csv", "--config", out / "o.csv.run.toml", "--seed", "1")
    assert run.code == 0, run.err
    pd.testing.assert_frame_equal(pd.read_csv(out / "p.csv"), first)


@pytest.mark.parametrize(
    ("release", "options", "told"),
    [
        ("o.csv", ("--labels", "words"), "must be one of text, codes"),
        ("o.sav", ("--labels", "text"), "keeps its labels"),
    ],
)
def test_what_cannot_be_is_refused(swapmeet, survey, out, release, options, told):
    run = swapmeet("mask", survey, out / release, *RWN, *options)
    assert run.code == 2
    assert told in " ".join(run.err.split())
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("more", [(), ("--memory", "2GB")])
def test_a_file_without_labels_cannot_give_them(swapmeet, people, out, more):
    ask = (*RWN, "--drop", "name", "--labels", "text", *more)
    run = swapmeet("mask", people, out / "o.csv", *ask)
    assert run.code == 2
    assert "has no labels" in " ".join(run.err.split())


def test_a_column_that_was_wholly_suppressed_is_still_a_number(swapmeet, people, out, table):
    released = table.drop(columns="name").assign(income=np.nan)
    released.to_csv(out / "o.csv", index=False)
    run = swapmeet("assess", people, out / "o.csv", "--drop", "name", "--keep", "weight",
                   "--measure", "margins", "--match", "unknown", "--json")  # fmt: skip
    assert run.code == 0, run.err
    assert [score["measure"] for score in run.json["scores"]] == ["margins"]


def test_the_sheet_of_the_original_is_not_asked_of_a_text(swapmeet, out, tmp_path, table):
    table.drop(columns=["name", "weight"]).to_excel(
        tmp_path / "in.xlsx", sheet_name="People", index=False
    )
    source = ("--sheet", "People")
    assert swapmeet("mask", tmp_path / "in.xlsx", out / "o.csv", *RWN, *source).code == 0
    run = swapmeet("assess", tmp_path / "in.xlsx", out / "o.csv", "--measure", "margins", "--json")
    assert run.code == 0, run.err


@pytest.mark.slow
def test_pictures_use_the_words_of_the_file_on_demand(swapmeet, survey, out):
    same = out / f"o{survey.suffix}"
    assert swapmeet("mask", survey, same, *RWN).code == 0
    ask = ("--file", survey, "--release", same, "--measure", "pscr")
    assert swapmeet("report", out / "x.html", *ask).code == 0
    assert "female" not in (out / "x.html").read_text()
    assert swapmeet("report", out / "y.html", *ask, "--labels").code == 0
    assert "female" in (out / "y.html").read_text()


@pytest.mark.parametrize(("role", "told"), [((), True), (("--weight", "weight"), False)])
def test_a_weight_that_the_file_names_is_not_masked_unremarked(swapmeet, tmp_path, out, role, told):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.integers(18, 90, 60) * 1.0, "weight": rng.uniform(1, 3, 60)})
    pyreadstat.write_sav(frame, tmp_path / "survey.sav")
    add_to_dictionary(tmp_path / "survey.sav", "weight", {})
    run = swapmeet("mask", tmp_path / "survey.sav", out / "o.sav", *RWN, *role)
    assert run.code == 0, run.err
    assert ("names 'weight' as its weight" in " ".join(run.out.split())) == told


def test_inspect_proposes_the_weight_that_the_file_names(swapmeet, tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.integers(18, 90, 60) * 1.0, "g2024x": rng.uniform(1, 3, 60)})
    pyreadstat.write_sav(frame, tmp_path / "survey.sav")
    add_to_dictionary(tmp_path / "survey.sav", "g2024x", {})
    run = swapmeet("inspect", tmp_path / "survey.sav", "--json")
    assert ["--weight", "g2024x"] in [one["options"] for one in run.json["findings"]]
    run = swapmeet("inspect", tmp_path / "survey.sav", "--weight", "g2024x", "--json")
    assert not [one for one in run.json["findings"] if "g2024x" in one["columns"]]
