"""A failure is one message and one exit code, for people or for programs."""

from __future__ import annotations

import json

import pytest

from swapmeet.cli import entry_point

FOR_PROGRAMS = [("--progress", "json"), ("--progress=json",)]


@pytest.mark.parametrize("told", FOR_PROGRAMS)
@pytest.mark.parametrize(
    ("args", "words", "code"),
    [
        (["inspect", "nowhere.csv"], "nowhere.csv: no such file. Check the name.", 3),
        (["inspect"], "Missing argument 'FILE'.\nTry: swapmeet inspect --help", 2),
        (["inspect", "a.csv", "--quite"], "No such option: --quite", 2),
        (["mask", "a.csv"], "Missing argument 'OUT...'.\nTry: swapmeet mask --help", 2),
        (["inspekt"], "No such command 'inspekt'", 2),
        (["methods"], "No such option: --progress", 2),
    ],
)
def test_programs_read_every_failure_as_json(swapmeet, told, args, words, code):
    run = swapmeet(*args, *told)
    last = json.loads(run.err.splitlines()[-1])
    assert run.code == code
    assert last.pop("message").startswith(words)
    assert last == {"event": "error", "exit_code": code}


@pytest.mark.parametrize("told", [(), ("--progress", "bar")])
def test_people_read_words(swapmeet, told):
    run = swapmeet("inspect", "nowhere.csv", *told)
    assert (run.code, run.err) == (3, "error: nowhere.csv: no such file. Check the name.\n")


def test_what_follows_two_dashes_is_a_file(swapmeet):
    run = swapmeet("inspect", "--", "--progress=json")
    assert run.err.startswith("error: --progress=json: ")


def test_with_debug_programs_read_where_an_error_came_from(swapmeet):
    run = swapmeet("inspect", "nowhere.csv", "--progress", "json", "--debug")
    last = json.loads(run.err.splitlines()[-1])
    assert "entry_point.py" in last["trace"][0]
    assert last["trace"][-1].startswith("FileError: ")


def test_an_unexpected_error_names_its_kind_only(swapmeet, monkeypatch):
    def fail(**_):
        raise ValueError("person-000001 is in here")

    monkeypatch.setattr("swapmeet.cli.program.app", fail)
    run = swapmeet("inspect", "people.csv", "--progress", "json")
    last = json.loads(run.err)
    assert last["message"] == entry_point.UNEXPECTED.format(kind="ValueError")
    assert last["exit_code"] == run.code == 1


def test_results_that_nobody_reads_are_a_failure_for_programs(swapmeet, monkeypatch):
    def fail(**_):
        raise BrokenPipeError

    monkeypatch.setattr("swapmeet.cli.program.app", fail)
    run = swapmeet("inspect", "people.csv", "--progress", "json")
    assert json.loads(run.err)["message"] == entry_point.UNREAD
