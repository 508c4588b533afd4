from __future__ import annotations

import html
import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.app.case import Case
from swapmeet.app.run import Command, Run, RunKind, State

VALUE = "ZZQX4711"
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


def add_look(site, case, columns, *, first=True, state=State.DONE, findings=(), rows=60):
    """A look at a file that nobody took."""
    run = site.space.add_run(
        Run(kind=RunKind.INSPECTION, case=case.key, title="Looking at the file", state=state,
            commands=(Command(("inspect",), "swapmeet inspect people.csv"),),
            facts={"first": first}, asked=float(len(site.space.runs(case.key))))
    )  # fmt: skip
    told = [
        {"name": name, "kind": "numeric", "role": "key", "reason": "integers", "concern": None,
         "missing": 0, "distinct": 9, "type": "int64", "label": None, "value_labels": {},
         "missing_codes": None}
        for name in columns
    ]  # fmt: skip
    found = {"rows": rows, "columns": told, "findings": list(findings), "notes": [],
             "all_keys": None, "format": "delimited text", "reading": {}}  # fmt: skip
    run.output_path(1).write_text(json.dumps(found))
    return run


def add_case(site, **told):
    return site.space.add_case(Case(name="people.csv", source="/none/people.csv", **told))


def page_of(site, case, step="data", query=""):
    answer = site.get(f"/case/{case.key}/{step}{query}")
    assert answer.status == 200
    return answer.text


def say(page):
    """What the page says went wrong."""
    found = re.search(r'class="problem".*?</div>', page, re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", found[0])) if found else ""


# columns


@pytest.mark.slow
@given(names=st.lists(NAMES, min_size=1, max_size=5, unique=True))
def test_columns_of_any_name_are_listed_and_break_no_page(same_site, names):
    case = add_case(same_site)
    add_look(same_site, case, names)
    for step in ("data", "roles", "protect"):
        page = page_of(same_site, case, step)
        assert "<script>" not in page
        assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", page)
    assert page_of(same_site, case).count('<th scope="row">') == len(names)
    same_site.space.close_case(case.key)


def test_names_are_text_not_markup(site):
    case = add_case(site)
    add_look(site, case, ["<b>bold</b>", '"><script>alert(1)</script>', "{{ 7*7 }}"])
    for step in ("data", "roles"):
        page = page_of(site, case, step)
        assert "&lt;b&gt;bold&lt;/b&gt;" in page
        assert "<script>alert" not in page
        assert "{{ 7*7 }}" in page


def test_ten_thousand_columns_come_in_parts(site):
    case = add_case(site)
    add_look(site, case, [f"v{at}" for at in range(10_000)])
    for step in ("data", "roles"):
        page = page_of(site, case, step, "?page=200")
        assert page.count('<th scope="row"') == 50
        assert "v9999" in page
        assert "Page 200 of 200" in page
        assert len(page) < 300_000


def test_a_column_can_be_looked_for(site):
    case = add_case(site)
    add_look(site, case, [f"v{at}" for at in range(300)])
    page = page_of(site, case, "data", "?find=V299")
    assert page.count('<th scope="row">') == 1


# reading again


def test_a_look_under_way_proposes_nothing_yet(site):
    """Else the proposals would be those of the former reading."""
    case = add_case(site)
    add_look(site, case, ["id;age"])
    add_look(site, case, ["id", "age"], state=State.RUNNING)
    page_of(site, case)
    assert not site.case(case.key).proposed


def test_a_file_read_again_has_the_proposals_of_the_new_reading(site):
    case = add_case(site)
    keep = {"about": "", "reason": "", "columns": ["id;age"], "options": ["--keep", "id;age"]}
    add_look(site, case, ["id;age"], findings=[keep])
    page_of(site, case)
    assert dict(site.case(case.key).roles) == {"id;age": "keep"}
    site.space.change_case(case.key, lambda one: one.change(proposed=False))
    drop = {"about": "", "reason": "", "columns": ["id"], "options": ["--drop", "id"]}
    add_look(site, case, ["id", "age"], findings=[drop])
    page_of(site, case)
    assert dict(site.case(case.key).roles) == {"id": "drop"}


def test_how_it_is_to_be_read_is_said_to_the_command_line(site, monkeypatch):
    runs = []
    monkeypatch.setattr(site.desk.jobs, "start", lambda run: runs.append(run) or run)
    case = add_case(site)
    site.post(f"/case/{case.key}/reading", delimiter=";", encoding=" cp1252 ", header="no",
              sheet="", nonsense="x")  # fmt: skip
    assert site.case(case.key).reading == {
        "delimiter": ";", "encoding": "cp1252", "header": False,
    }  # fmt: skip
    args = runs[0].commands[0].args
    assert args[2:7] == ("--delimiter", ";", "--encoding", "cp1252", "--no-header")


def test_a_delimiter_that_is_a_dash_is_no_option(site, monkeypatch):
    runs = []
    monkeypatch.setattr(site.desk.jobs, "start", lambda run: runs.append(run) or run)
    case = add_case(site)
    site.post(f"/case/{case.key}/reading", delimiter="-")
    assert "--delimiter=-" in runs[0].commands[0].args


# files that cannot be read


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "empty.csv").touch()
    (folder / "noise.parquet").write_bytes(b"PAR1" + bytes(range(256)))
    (folder / "noise.xlsx").write_bytes(b"PK\x03\x04" + VALUE.encode())
    (folder / "noise.sav").write_bytes(VALUE.encode() * 9)
    (folder / "ragged.csv").write_text(f"age,sex\n1,2\n{VALUE},2,3\n")
    (folder / "twice.csv").write_text(f"age,age\n{VALUE},2\n")
    return folder


FILES = ["empty.csv", "noise.parquet", "noise.xlsx", "noise.sav", "ragged.csv", "twice.csv"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [FILES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in FILES[1:])]
)
def test_a_file_that_cannot_be_read_is_told_on_the_page(same_site, folder, name):
    key = same_site.open(folder / name)
    answer = same_site.get(f"/case/{key}/data")
    problem = say(answer.text)
    assert answer.status == 200
    assert name in problem
    assert VALUE not in answer.text
    assert "Traceback" not in answer.text
    for step in ("roles", "protect", "compare", "decide", "release"):
        assert same_site.get(f"/case/{key}/{step}").status == 200


@pytest.mark.slow
def test_a_file_that_is_gone_is_told_and_the_session_lives_on(same_site, tmp_path):
    path = tmp_path / "people.csv"
    pd.DataFrame({"age": np.arange(30)}).to_csv(path, index=False)
    key = same_site.open(path)
    assert say(same_site.get(f"/case/{key}/data").text) == ""
    path.unlink()
    same_site.post(f"/case/{key}/reading")
    same_site.wait()
    assert "no such file" in say(same_site.get(f"/case/{key}/data").text)
    assert same_site.get("/").status == 200


@pytest.mark.slow
def test_a_table_is_described_without_its_values(same_site, tmp_path):
    path = tmp_path / "people.csv"
    rows = [f"{VALUE}{at % 3},{at % 7}" for at in range(30)]
    path.write_text("town,age\n" + "\n".join(rows))
    key = same_site.open(path)
    page = same_site.get(f"/case/{key}/data").text
    assert "30 rows and 2 columns" in page
    assert VALUE not in page
