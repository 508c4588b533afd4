from __future__ import annotations

import hashlib
import json
import os
import shutil

import pytest

import swapmeet as sm
from swapmeet import io
from swapmeet.tuning import Grid, tune

SEED = 731_928_465_019_283_745


@pytest.fixture
def released(swapmeet, people, out):
    """A release, its run file and its audit record."""
    run = swapmeet(
        "mask", people, out / "r.csv", "--method", "rwn", "--k", "5", "--weights", "0.1",
        "--drop", "name", "--keep", "weight", "--audit", out / "a.audit", "--seed", SEED,
    )  # fmt: skip
    assert run.code == 0, run.err
    return out / "r.csv"


@pytest.fixture(scope="module")
def search(people_file, tmp_path_factory):
    """The journal of a search over the same table."""
    path = tmp_path_factory.mktemp("search") / "s.jsonl"
    frame = io.read(people_file).frame
    schema = sm.Schema.guess(frame, {}).assign(drop=["name"], keep=["weight"])
    grid = Grid("rwn", {"k": [3, 5], "weights": [0.1]})
    tune(frame, [grid], limit={"dbrl": 0.9}, repeats=2, schema=schema, workers=1,
         measures=["pscr"], journal=path)  # fmt: skip
    return path


@pytest.fixture
def journal(search, out):
    return shutil.copy(search, out / "s.jsonl")


@pytest.fixture
def whole(people, released, out):
    return ("--file", people, "--release", released, "--audit", out / "a.audit")


@pytest.mark.slow
def test_study_and_release_make_one_report(swapmeet, journal, whole, out, released):
    more = ("--model", "income ~ age + C(sex)", "--rare", 'sex = "female" and age < 40')
    run = swapmeet("report", out / "x.html", "--study", journal, *whole, *more)
    assert run.code == 0, run.err
    assert f"report    {out / 'x.html'}  (internal)" in run.out
    told = json.loads((out / "x.json").read_text())
    assert told["search"]["settings"] == 2
    assert told["setting"]["method"] == "rwn"
    assert told["provenance"]["checksum"] == hashlib.sha256(released.read_bytes()).hexdigest()
    assert told["analyses"]["models"][0]["formula"] == "income ~ age + C(sex)"
    assert [row["condition"] for row in told["rare"]] == ["a condition on sex and age"]
    measured = {row["measure"] for family in told["scores"] for row in family["scores"]}
    assert {"linkage", "pscr", "relations", "spread"} <= measured
    assert "ties" not in measured
    assert {row["name"]: row["role"] for row in told["data"]["columns"]}["weight"] == "keep"


@pytest.mark.slow
def test_what_the_audit_record_tells_of_columns_is_told(swapmeet, whole, out):
    run = swapmeet("report", out / "x.html", *whole, "--measure", "pscr", "--json")
    assert run.code == 0, run.err
    told = json.loads((out / "x.json").read_text())
    *masked, kept = told["changes"]
    assert [row["name"] for row in masked] == ["age", "sex", "income", "region"]
    assert all(row["moved"] > 0.9 for row in masked)
    assert all(0 < row["changed"] <= 1 for row in masked)
    assert (kept["name"], kept["changed"], kept["extent"]) == ("weight", 0, "exact")
    assert "seed was chosen" in told["verdict"]["words"]
    printed = run.json
    card = printed.pop("assessment")
    assert [score["measure"] for score in card["scores"]] == ["pscr"]
    assert (card["rows"], card["profile"], card["verdict"]["safe"]) == (60, None, False)
    assert printed == {
        "report": str(out / "x.html"), "contents": str(out / "x.json"), "audience": "internal",
        "public": None, "pictures": None, "notes": [],
    }  # fmt: skip


@pytest.mark.slow
def test_both_reports_come_of_one_measurement(swapmeet, whole, out):
    ask = (*whole, "--measure", "margins,pscr", "--reason", "Because.")
    run = swapmeet("report", out / "in.html", "--public", out / "out.html", *ask)
    assert run.code == 0, run.err
    inside, outside = (json.loads((out / f"{n}.json").read_text()) for n in ("in", "out"))
    assert (inside["audience"], outside["audience"]) == ("internal", "public")
    assert (inside["reason"], "reason" in outside) == ("Because.", False)
    assert "Because." not in (out / "out.html").read_text()
    modes = [(out / name).stat().st_mode & 0o777 for name in ("in.html", "out.html")]
    assert modes[0] == 0o600
    assert modes[1] != 0o600


@pytest.mark.parametrize("more", [("--audience", "public", "--public", "y.html"),
                                  ("--public", "x.html"), ("--public", "y.txt")])  # fmt: skip
def test_a_second_page_that_cannot_be_is_refused_before_any_work(swapmeet, whole, out, more):
    more = [out / word if "." in word else word for word in more]
    run = swapmeet("report", out / "x.html", *whole, *more)
    assert run.code == 2, run.err
    assert not list(out.glob("*.html"))


@pytest.mark.slow
@pytest.mark.parametrize("audience", ["internal", "public"])
def test_a_release_without_its_run_file_makes_a_report(swapmeet, whole, out, audience):
    (out / "r.csv.run.toml").unlink()
    ask = ("--audience", audience, *whole, "--measure", "margins")
    run = swapmeet("report", out / "x.html", *ask)
    assert run.code == 0, run.err
    told = json.loads((out / "x.json").read_text())
    if audience == "public":
        assert (told["method"]["name"], len(told["columns"])) == ("rwn", 5)
        return
    assert told["setting"]["method"] == "rwn"
    roles = {row["name"]: (row["role"], row["masked"]) for row in told["data"]["columns"]}
    assert (roles["name"], roles["weight"][1]) == (("drop", False), False)
    moved = [row["name"] for row in told["changes"] if row["moved"]]
    assert moved == ["age", "sex", "income", "region"]


def test_what_is_for_insiders_is_its_owners_alone(swapmeet, journal, out):
    pages = {name: (out / f"{name}.html", out / name) for name in ("internal", "public")}
    before = os.umask(0o022)
    try:
        for audience, (page, folder) in pages.items():
            ask = ("--study", journal, "--audience", audience, "--pictures", folder)
            assert swapmeet("report", page, *ask).code == 0
    finally:
        os.umask(before)
    modes = {
        name: [path.stat().st_mode & 0o777 for path in (page, page.with_suffix(".json"), folder)]
        for name, (page, folder) in pages.items()
    }
    assert modes == {"internal": [0o600, 0o600, 0o700], "public": [0o644, 0o644, 0o755]}
    assert journal.stat().st_mode & 0o777 == 0o600


def test_a_study_alone_makes_a_report(swapmeet, journal, out):
    ask = ("--study", journal, "--audience", "public", "--title", "Wages", "--json")
    run = swapmeet("report", out / "x.html", *ask)
    assert run.code == 0, run.err
    assert run.json["assessment"] is None
    assert "<h1>Wages</h1>" in (out / "x.html").read_text()


@pytest.mark.slow
def test_the_public_report_of_a_chosen_seed_is_warned_of(swapmeet, whole, out):
    run = swapmeet("report", out / "x.html", "--audience", "public", *whole, "--measure", "pscr")
    assert run.code == 0, run.err
    assert "not for publication" in " ".join(run.out.split())


@pytest.mark.slow
@pytest.mark.parametrize("audience", [pytest.param("internal", marks=pytest.mark.slow), "public"])
def test_no_value_and_no_seed_is_told(swapmeet, table, journal, whole, out, audience):
    ask = ("--audience", audience, "--rare", 'region = "north-4711"', "--debug")
    run = swapmeet("report", out / "x.html", "--study", journal, *whole, *ask)
    assert run.code == 0, run.err
    secrets = [str(SEED), "person-", "north-4711", "south-4712", *map(str, table["income"])]
    for text in (run.said, (out / "x.html").read_text(), (out / "x.json").read_text()):
        assert not [secret for secret in secrets if secret in text]


@pytest.mark.slow
def test_names_of_categories_are_for_insiders_who_ask(swapmeet, whole, out):
    ask = (*whole, "--measure", "pscr", "--labels")
    run = swapmeet("report", out / "x.html", *ask)
    assert run.code == 0, run.err
    assert "north-4711" in (out / "x.html").read_text()
    assert "north-4711" not in run.said + (out / "x.json").read_text()


def test_names_of_categories_are_not_for_the_public(swapmeet, journal, out):
    run = swapmeet("report", out / "x.html", "--study", journal, "--audience", "public", "--labels")
    assert (run.code, "for insiders" in run.err) == (2, True)


@pytest.mark.slow
def test_the_decision_is_quoted_for_insiders_only(swapmeet, journal, out):
    ask = ("report", out / "x.html", "--study", journal, "--reason", "We wait.")
    assert swapmeet(*ask).code == 0
    assert "<p>We wait.</p>" in (out / "x.html").read_text()
    assert json.loads((out / "x.json").read_text())["reason"] == "We wait."
    run = swapmeet(*ask, "--overwrite", "--audience", "public")
    assert run.code == 2
    assert run.err.startswith("error: report: --reason is the decision in the curator's words")
    assert "<p>We wait.</p>" in (out / "x.html").read_text()


def test_nothing_to_report_is_refused(swapmeet, out, people, released):
    assert "give --study, or --file and --release" in swapmeet("report", out / "x.html").err
    run = swapmeet("report", out / "x.html", "--file", people)
    assert (run.code, "go together" in run.err) == (2, True)
    run = swapmeet("report", out / "x.html", "--study", "s", "--audit", "a")
    assert (run.code, "--audit belongs to a release" in run.err) == (2, True)


def test_wrong_audiences_and_endings_are_refused(swapmeet, journal, out):
    run = swapmeet("report", out / "x.html", "--study", journal, "--audience", "press")
    assert (run.code, "no audience 'press'" in run.err) == (2, True)
    run = swapmeet("report", out / "x.pdf", "--study", journal)
    assert (run.code, "ends in .html" in run.err) == (2, True)


def test_a_report_overwrites_neither_inputs_nor_unawares(swapmeet, journal, out):
    twin = journal.rename(out / "x.json")
    run = swapmeet("report", out / "x.html", "--study", twin, "--overwrite")
    assert (run.code, "is an input of this run" in run.err) == (2, True)
    assert twin.read_text().startswith('{"format"')
    (out / "y.html").write_text("mine")
    run = swapmeet("report", out / "y.html", "--study", twin)
    assert (run.code, "exists already" in run.err) == (2, True)
    ask = ("--study", twin, "--audience", "public", "--overwrite")
    assert swapmeet("report", out / "y.html", *ask).code == 0


def test_a_study_of_another_table_is_refused(swapmeet, journal, out, people, released):
    lines = people.read_text().splitlines()
    people.write_text("\n".join(lines[:-1]) + "\n")
    run = swapmeet("report", out / "x.html", "--study", journal, "--file", people,
                   "--release", released)  # fmt: skip
    assert (run.code, "the study was made with another table" in run.err) == (3, True)
    assert not (out / "x.html").exists()


@pytest.mark.slow
def test_help_needs_no_heavy_library():
    code = (
        "import sys, typer; from swapmeet.cli import report; app = typer.Typer(); "
        "report.add_to(app); heavy = ('matplotlib', 'jinja2', 'scipy', 'pandas', 'optuna'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_queries_are_drawn_on_demand(swapmeet, whole, out):
    ask = ("report", out / "x.html", *whole, "--measure", "pscr", "--quiet")
    assert swapmeet(*ask, "--selectivity", "sex:age").code == 0
    titles = [one["title"] for one in json.loads((out / "x.json").read_text())["pictures"]]
    assert any(title.startswith("Error of counting queries") for title in titles)
    run = swapmeet(*ask, "--overwrite", "--selectivity", "sex")
    assert run.code == 2
    assert "--selectivity: write COUNTED:SELECTED" in run.err


@pytest.mark.slow
def test_pictures_are_written_beside_the_page_on_demand(swapmeet, journal, out):
    ask = ("report", out / "x.html", "--study", journal, "--pictures", out / "pictures")
    run = swapmeet(*ask)
    assert run.code == 0, run.err
    assert f"pictures  {out / 'pictures'}  (each as SVG)" in run.out
    listed = json.loads((out / "pictures" / "index.json").read_text())["pictures"]
    assert listed[0]["file"] == "01-risk-and-loss-of-all-settings.svg"
    assert {one["file"] for one in listed} < {path.name for path in (out / "pictures").iterdir()}
    (out / "x.html").unlink()
    (out / "x.json").unlink()
    run = swapmeet(*ask)
    assert (run.code, "give --overwrite to replace it" in run.err) == (2, True)
    assert not (out / "x.html").exists()
    run = swapmeet(*ask, "--overwrite", "--json")
    assert (run.code, run.json["pictures"]) == (0, str(out / "pictures"))


def test_pictures_never_replace_other_things(swapmeet, journal, out):
    for folder in (out, journal):
        run = swapmeet("report", out / "x.html", "--study", journal, "--pictures", folder,
                       "--overwrite")  # fmt: skip
        assert run.code == 2
        assert not (out / "x.html").exists()
    assert journal.exists()
