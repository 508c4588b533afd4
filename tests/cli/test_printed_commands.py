"""Commands that Swapmeet prints exist, and those that follow each other lead to both reports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from printed_commands import find_commands, find_commands_on_page
from typer.main import get_command

import swapmeet as sm
from swapmeet.cli.program import app

SOURCES = Path(sm.__file__).parent
NAMED = re.compile(r"swapmeet ([a-z]+) ([^`\n]*)")
SEARCH = ("--budget", "4", "--repeats", "1", "--methods", "rwn:k=5|20", "--workers", "1")
"""Enough of a search for a test, where the printed command would try everything."""
PAGES = ("internal.html", "public.html")
VOTERS = ("--sensitive", "PID,income,vote")


@pytest.fixture(scope="module")
def commands():
    return get_command(app).commands


def list_texts():
    """Each piece of source in which a command with options is named."""
    for path in sorted(SOURCES.rglob("*")):
        if path.suffix in {".py", ".html"}:
            for found in NAMED.finditer(path.read_text()):
                yield path.name, *found.groups()


def test_options_that_texts_name_exist(commands):
    """Also where a text is shown only now and then."""
    seen = 0
    for name, command, words in list_texts():
        if command not in commands:
            continue
        known = {option for one in commands[command].params for option in one.opts}
        known |= {"--help", "--help-all", "--k"}
        options = re.findall(r"(?<![\w-])--[a-z][a-z-]*", words.split('"')[0])
        unknown = [option for option in options if option not in known]
        assert not unknown, f"{name}: swapmeet {command} has no {unknown}"
        seen += 1
    assert seen > 10


@pytest.mark.slow
def test_what_is_printed_leads_from_a_table_to_both_reports(swapmeet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table, places = "my voters.csv", {"FILE": "my voters.csv", "OUT": "r.csv", "AUDIT": "r.audit"}
    sm.datasets.load("anes96").head(150).to_csv(table, index=False)

    def run(*words, codes=(0,)):
        done = swapmeet(*words)
        assert done.code in codes, f"{words}: {done.err}"
        return done

    ended = run("tune", table, *VOTERS, *SEARCH, "--limit", "linkage=0.5")
    release, study_alone = find_commands(ended.out.split("journal  ")[1], **places, REPORT="s.html")
    assert (release[0], study_alone[0]) == ("mask", "report")
    run(*study_alone)
    masked = run(*release)
    reports = find_commands(masked.out.split("\nrelease  ")[1], **places)
    assert [words[:2] for words in reports] == [["report", page] for page in PAGES]
    for words in reports:
        run(*words)
    assert {path.name for path in tmp_path.glob("*.html")} == {"s.html", *PAGES}


@pytest.mark.slow
def test_what_a_mask_and_its_report_advise_can_be_done(swapmeet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    places = {"FILE": "v.csv"}
    sm.datasets.load("anes96").head(150).to_csv("v.csv", index=False)
    masked = swapmeet("mask", "v.csv", "r.csv", "--method", "rwn", "--k", "2", "--q", "0.1",
                      *VOTERS, "--audit", "r.audit")  # fmt: skip
    [verdict] = find_commands(masked.out.split("\nrelease  ")[1], **places)
    assert verdict == ["assess", "v.csv", "r.csv", "--audit", "r.audit"]
    assessed = swapmeet(*verdict)
    assert assessed.code == 4, assessed.err
    ask = ("--file", "v.csv", "--release", "r.csv", "--audit", "r.audit", "--measure", "linkage")
    assert swapmeet("report", "i.html", *ask).code == 0
    advice = find_commands_on_page(Path("i.html").read_text(), **places)
    assert ["tune", "v.csv", "--limit", "linkage=0.2"] in advice
    for words in [*advice, *find_commands(masked.out.split("\nrelease  ")[0], **places)]:
        more = (*SEARCH, *VOTERS) if words[0] == "tune" else ()
        done = swapmeet(*words, *more)
        assert done.code in {0, 4}, f"{words}: {done.err}"
