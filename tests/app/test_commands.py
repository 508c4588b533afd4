"""What pages show of the command line is what the app runs: the same words, the same release."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import run_words, type_command
from finished_case import SEED as FINISHED_SEED
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.app import commands
from swapmeet.app.case import Case
from swapmeet.app.fields import list_methods
from swapmeet.app.run import Command, Run, RunKind
from swapmeet.tables.role import Role

SEED = "918273645546372819"
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
ODD = [
    "-dash", "--drop", "a,b", "a, b ,c", 'quo"te', "it's", "emoji🦔", "eq=x", "semi;colon",
    "co:lon", "back`tick", "$HOME", "new\nline", "tab\t", "ctrl\x01", "ünï", " lead", "*", "[x]",
    "\\n", "plain",
]  # fmt: skip
SETTINGS = {
    "nbrs": {"eps": "1.5"},
    "matched-swap": {"k": "4", "order": "pairs"},
    "rwn": {"k": "7", "weights": {"age": 0.5}},
    "mews": {"columns": "age"},
    "kl-theta": {"k": "4", "theta": "0.5"},
    "microaggregation": {"permute": "true"},
}
NUMERIC_ONLY = {"noise", "data-shuffle", "ipso", "mews"}


def make_people(n=60):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.choice(["north", "south"], n),
            "income": rng.normal(1000, 200, n).round(2),
            "rent": rng.integers(100, 900, n),
            "house": np.repeat(np.arange(n // 3), 3),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where a curator would type commands: with the file in it."""
    folder = tmp_path_factory.mktemp("house")
    make_people().to_csv(folder / "people.csv", index=False)
    return folder


@pytest.fixture
def case(folder):
    return Case(name="people.csv", source=str(folder / "people.csv"))


@pytest.fixture
def uploaded(folder, tmp_path):
    """The same file in a private place, which pages do not show."""
    path = tmp_path / "private" / "people.csv"
    path.parent.mkdir()
    path.write_bytes((folder / "people.csv").read_bytes())
    return Case(name="people.csv", source=str(path), uploaded=True)


def make_both(command, folder, tmp_path, seed=SEED):
    """The release of the app, and that of somebody who types what the page shows."""
    ours, typed = tmp_path / "ours", tmp_path / "typed"
    ours.mkdir()
    typed.mkdir()
    (typed / "people.csv").write_bytes((folder / "people.csv").read_bytes())
    done = run_words([*command.args, "--seed", seed], ours)
    assert done.code == 0, done.err
    done = type_command(command.shown, typed, seed)
    assert done.code == 0, done.err
    return [(path / "release.csv").read_bytes() for path in (ours, typed)]


# the same release


@pytest.mark.parametrize("method", [method.name for method in list_methods()])
def test_what_is_shown_makes_the_same_release(case, folder, tmp_path, method):
    keep = dict.fromkeys(["sex", "region"], "keep") if method in NUMERIC_ONLY else {}
    place = {"region": "place"} if method == "record-swap" else {}
    case = case.change(roles={"income": "sensitive", "house": "drop", **keep, **place})
    command = commands.mask(
        case, {}, method, SETTINGS.get(method, {}), releases=["release.csv"], seeded=True
    )
    ours, typed = make_both(command, folder, tmp_path)
    assert ours == typed
    assert ours != (folder / "people.csv").read_bytes()


TOLD = {
    "roles": {"roles": {"income": "sensitive", "region": "place", "rent": "keep", "house": "drop"}},
    "units": {"roles": {"house": "household"}, "whole_households": True},
    "strata": {"roles": {"sex": "strata"}},
    "kinds": {"kinds": {"age": "ordinal", "region": "nominal", "rent": "numeric"}},
    "missing": {"missing": ("age:18,19", "rent:100")},
    "together": {"together": ("income,rent",)},
    "recode": {"recode": ("age: top 80",)},
    "rule": {"rule": ('age >= 18 or sex = "f"',)},
    "publish": {"publish": ("house",)},
    "reading": {"reading": {"delimiter": ",", "encoding": "utf-8", "header": True}},
}


@pytest.mark.parametrize("told", TOLD)
def test_whatever_was_said_of_the_table_is_shown_as_it_is_run(uploaded, folder, tmp_path, told):
    case = uploaded.change(**TOLD[told])
    releases = ["release.csv"]
    command = commands.mask(case, {}, "rank-swap", {}, releases=releases, seeded=True)
    ours, typed = make_both(command, folder, tmp_path)
    assert ours == typed


def test_a_column_that_follows_from_others_is_computed_anew(folder, tmp_path):
    frame = make_people()
    frame["total"] = frame["rent"] + frame["age"]
    frame.to_csv(tmp_path / "sums.csv", index=False)
    case = Case(name="sums.csv", source=str(tmp_path / "sums.csv"), derive=("total = rent + age",),
                roles={"total": "derived"})  # fmt: skip
    command = commands.mask(case, {}, "rank-swap", {}, releases=["release.csv"])
    assert run_words(command.args, tmp_path).code == 0
    made = pd.read_csv(tmp_path / "release.csv")
    assert (made["total"] == made["rent"] + made["age"]).all()


@pytest.mark.parametrize("role", [Role.DROP, Role.SENSITIVE, Role.KEEP])
def test_columns_of_any_name_get_their_role(tmp_path, role):
    path = tmp_path / "odd.parquet"
    numbers = np.random.default_rng(2).integers(0, 9, (40, len(ODD)))
    pd.DataFrame(numbers, columns=ODD).to_parquet(path)
    chosen = ODD[:-1] if role is Role.DROP else ODD
    case = Case(name=path.name, source=str(path), roles=dict.fromkeys(chosen, str(role)))
    command = commands.inspect(case, {})
    for done in (
        run_words(command.args, tmp_path),
        type_command(f"{command.shown} --json", tmp_path),
    ):
        assert done.code == 0, done.err
        found = {one["name"]: one["role"] for one in json.loads(done.out)["columns"]}
        assert {found[name] for name in chosen} == {str(role)}


@pytest.mark.parametrize("names", [ODD[:1], ODD[2:4], ODD])
def test_kinds_of_columns_of_any_name_are_told(tmp_path, names):
    path = tmp_path / "odd.parquet"
    pd.DataFrame({name: range(50) for name in ODD}).to_parquet(path)
    case = Case(name=path.name, source=str(path), kinds=dict.fromkeys(names, "nominal"))
    done = run_words(commands.inspect(case, dict.fromkeys(ODD, "numeric")).args, tmp_path)
    assert done.code == 0, done.err
    found = {one["name"]: one["kind"] for one in json.loads(done.out)["columns"]}
    assert {name for name, kind in found.items() if kind == "nominal"} == set(names)


@pytest.mark.slow
def test_a_release_is_measured_by_the_words_that_are_shown(case, folder, tmp_path):
    case = case.change(
        roles={"income": "sensitive", "house": "drop"}, intruder="acquaintance",
        known=("age", "region"), limits={"linkage": 0.5, "copies": 0.5},
    )  # fmt: skip
    run_words(commands.mask(case, {}, "rwn", {}, releases=["release.csv"]).args, tmp_path)
    command = commands.measure(case, "release.csv")
    ours = run_words(command.args, tmp_path)
    for name in ("internal.html", "internal.json"):
        (tmp_path / name).unlink()
    typed = type_command(f"{command.shown} --overwrite --json", tmp_path)
    verdict = json.loads(ours.out)["assessment"]["verdict"]
    assert ours.code in {0, 4}
    assert verdict == json.loads(typed.out)["assessment"]["verdict"]
    assert {reason["measure"]: reason["limit"] for reason in verdict["reasons"]} == case.limits
    assert "age and region" in verdict["sentence"]


# words


def words_of(case, guessed=None):
    releases = ["release.csv"]
    one = commands.mask(case, guessed or {}, "rwn", {}, releases=releases)
    return [one, commands.inspect(case, guessed or {}), commands.measure(case, "release.csv")]


@given(
    roles=st.dictionaries(NAMES, st.sampled_from(list(map(str, Role)))),
    kinds=st.dictionaries(NAMES, st.sampled_from(commands.KINDS)),
    known=st.none() | st.lists(NAMES, min_size=1).map(tuple),
    texts=st.lists(NAMES).map(tuple),
)
def test_whatever_columns_are_called_the_shown_words_are_those_that_are_run(
    roles, kinds, known, texts
):
    case = Case(name="a.csv", source="/a.csv", roles=roles, kinds=kinds, known=known, rule=texts,
                missing=texts, publish=texts)  # fmt: skip
    for command in words_of(case):
        shown = shlex.split(command.shown)
        assert shown == ["swapmeet", *command.args[: -len(commands.FOR_MACHINES)]]


@given(st.text())
def test_no_text_is_taken_for_an_option(text):
    words = commands.write_pair("--reason", text)
    assert words[0].startswith("--reason")
    assert len(words) == 1 or not words[1].startswith("-")
    assert "".join(words).removeprefix("--reason").removeprefix("=" * text.startswith("-")) == text


def test_what_is_as_guessed_is_not_said():
    case = Case(name="a.csv", source="/a.csv", kinds={"age": "numeric", "sex": "ordinal"})
    shown = commands.inspect(case, {"age": "numeric", "sex": "nominal"}).shown
    assert shown == "swapmeet inspect /a.csv --ordinal sex"


def test_a_plain_case_makes_plain_commands():
    mask, inspect, measure = words_of(Case(name="a.csv", source="/a.csv"))
    assert mask.shown == "swapmeet mask /a.csv release.csv --method rwn --audit run.audit"
    assert inspect.shown == "swapmeet inspect /a.csv"
    assert measure.shown == (
        "swapmeet report internal.html --file /a.csv --release release.csv --audit run.audit "
        "--pictures pictures"
    )


def test_an_uploaded_file_is_called_by_its_name():
    case = Case(name="my file.csv", source="/private/x/my file.csv", uploaded=True)
    for command in words_of(case):
        assert "private" not in command.shown
        assert "'my file.csv'" in command.shown
        assert case.source in command.args


def test_the_seed_is_not_part_of_a_command():
    case = Case(name="a.csv", source="/a.csv")
    command = commands.mask(case, {}, "rwn", {}, releases=["release.csv"], seeded=True)
    assert command.shown.endswith("--seed NUMBER")
    assert "--seed" not in command.args


@pytest.mark.parametrize(
    ("intruder", "words"),
    [("register", []), ("acquaintance", ["--intruder", "target"]),
     ("insider", ["--intruder", "everything"])],
)  # fmt: skip
def test_the_intruder_is_named_where_it_is_not_the_usual_one(intruder, words):
    shown = shlex.split(commands.measure(Case(name="a", source="a", intruder=intruder), "r").shown)
    assert shown[shown.index("pictures") + 1 :] == []
    assert [word for word in shown if word in {"--intruder", "target", "everything"}] == words


@pytest.mark.parametrize(
    ("limits", "words"),
    [(None, []), ({}, ["--limit", "none"]), ({"linkage": 0.1}, ["--limit", "linkage=0.1"]),
     ({"linkage": 0.1, "copies": 0.0}, ["--limit", "linkage=0.1,copies=0"])],
)  # fmt: skip
def test_limits_are_named_where_they_were_set(limits, words):
    shown = shlex.split(commands.measure(Case(name="a", source="a", limits=limits), "r").shown)
    at = shown.index("--limit") if "--limit" in shown else len(shown)
    assert shown[at : at + 2] == words


def test_thousands_of_columns_make_no_word_too_long():
    names = [f"a rather long name of a column {at}" for at in range(10_000)]
    case = Case(name="a.csv", source="/a.csv", roles=dict.fromkeys(names, "sensitive"))
    args = commands.inspect(case, {}).args
    assert max(map(len, args)) < 100_000
    assert ",".join(args[3:-3:2]).split(",") == names


def candidate(folder):
    facts = {"releases": ["release.sav", "release.csv"]}
    return Run(kind=RunKind.CANDIDATE, case="a", title="t", commands=(), folder=folder, facts=facts,
               number=3)  # fmt: skip


def test_reports_name_the_files_of_the_candidate():
    case = Case(name="a.csv", source="/a.csv")
    papers = commands.write_papers(
        case, candidate(Path("/runs/c")), None, reason="-- why --", title="-T"
    )
    assert papers.args[:4] == ("report", "internal.html", "--public", "public.html")
    assert "/runs/c/release.sav" in papers.args
    assert "/runs/c/run.audit" in papers.args
    assert "/runs" not in papers.shown
    assert {"--title=-T", "--reason=-- why --"} <= set(papers.args)


def test_two_candidates_are_told_apart():
    case = Case(name="a.csv", source="/a.csv")
    one, other = candidate(Path("/one")), candidate(Path("/other"))
    shown = commands.compare(case, one, other)
    assert shlex.split(shown)[:4] == ["swapmeet", "compare", "release-3.sav", "release-3.sav"]


@pytest.mark.parametrize(
    ("name", "suffix"),
    [("a.csv", ".csv"), ("A.CSV", ".csv"), ("a.csv.gz", ".csv.gz"), ("a.parquet", ".parquet"),
     ("a.sav", ".sav"), ("a.sas7bdat", ".csv"), ("a.tsv", ".tsv")],
)  # fmt: skip
def test_a_release_has_the_format_of_the_file_where_it_can(name, suffix):
    assert commands.usual_suffix(Path(name)) == suffix


def test_messages_call_files_by_their_names():
    command = Command(("inspect", "/private/x/people.csv"), "swapmeet inspect people.csv")
    said = "/private/x/people.csv: holds no table."
    assert command.rename_files(said) == "people.csv: holds no table."


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (5, "5"), (0.25, "0.25"), ("near", "near"), (("a", "b"), "a,b"),
     ({"age": 0.5, "sex": 1}, "age=0.5,sex=1")],
)  # fmt: skip
def test_settings_are_written_as_options_read_them(value, text):
    assert commands.write_settings({"min_leaf": value}) == ["--min-leaf", text]


# a case that was taken all the way


@pytest.fixture
def house(finished, tmp_path):
    """A folder of the curator, with all files under the names that the pages use."""
    shutil.copy(finished.case.source, tmp_path / finished.case.name)
    for number in (1, 2):
        made = finished.run(f"candidate-{number}").folder
        shutil.copy(made / "release.csv", tmp_path / f"release-{number}.csv")
        shutil.copy(made / "run.audit", tmp_path / f"run-{number}.audit")
    return tmp_path


def test_what_the_page_shows_gives_the_release_of_the_app(finished, house):
    run = finished.run("candidate-1")
    done = type_command(run.commands[0].shown, house, FINISHED_SEED)
    assert done.code == 0, done.err
    assert (house / "release.csv").read_bytes() == (run.folder / "release.csv").read_bytes()


def test_another_seed_gives_another_release(finished, house):
    run = finished.run("candidate-1")
    type_command(run.commands[0].shown, house, "1")
    assert (house / "release.csv").read_bytes() != (run.folder / "release.csv").read_bytes()


@pytest.mark.slow
def test_all_that_pages_show_can_be_typed(finished, house):
    for name in ("release.csv", "release.csv.run.toml", "run.audit"):
        shutil.copy(finished.run("candidate-2").folder / name, house / name)
    one, other = finished.run("candidate-1"), finished.run("candidate-2")
    shown = [
        *(command.shown for command in finished.run("analysis-1").commands),
        *(command.shown for command in finished.run("papers-1").commands),
        commands.compare(finished.case, one, other),
        finished.run("inspection-2").commands[0].shown,
    ]
    for command in shown:
        done = type_command(command, house)
        assert done.code in {0, 4}, done.err
