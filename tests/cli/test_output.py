from __future__ import annotations

import io
import json
import sys
import warnings

import pytest

from swapmeet.cli.output import Output, percent, printable
from swapmeet.errors import SwapmeetWarning


class Pipe(io.StringIO):
    """Standard output of some encoding."""

    def __init__(self, encoding):
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self):
        return self._encoding


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.5, "50.0 %"),
        (0.9994, "99.9 %"),
        (0.99951, ">99.9 %"),
        (0.001, "0.1 %"),
        (0.0009, "0.09 %"),
        (0.00001, "<0.01 %"),
    ],
)
def test_a_share_is_neither_rounded_to_all_nor_to_nothing(share, text):
    assert percent(share) == text


def test_json_output_leaves_no_room_for_text(capsys):
    output = Output(as_json=True)
    output.line("hello")
    output.prose("hello")
    output.heading("hello")
    output.table(["a"], [["hello"]])
    output.json({"a": 1})
    assert json.loads(capsys.readouterr().out) == {"a": 1}


def test_quiet_output_is_silent(capsys):
    output = Output(quiet=True)
    output.line("hello")
    output.prose("hello", bullet="-")
    output.heading("hello")
    output.table(["a"], [["hello"]])
    output.json({"a": 1})
    assert capsys.readouterr().out == ""


def test_piped_text_has_no_control_codes_and_no_blanks_at_line_ends(capsys):
    output = Output()
    output.heading("Heading")
    output.table(["name", "number"], [["a long cell " * 20, "1"], ["b", "22"]])
    output.prose("some words " * 30, bullet="-")
    lines = capsys.readouterr().out.splitlines()
    assert not any("\x1b" in line for line in lines)
    assert all(line == line.rstrip() for line in lines)
    assert max(map(len, lines)) <= 80


def test_prose_hangs_under_its_bullet(capsys):
    Output().prose("word " * 30, bullet="-")
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("- word")
    assert second.startswith("  word")


def test_names_of_files_are_never_broken(capsys):
    Output().line("x" * 200)
    assert capsys.readouterr().out == "x" * 200 + "\n"


@pytest.mark.parametrize("name", ["[bold]x[/bold]", ":smile:", "[/]", "a[0]"])
def test_names_are_shown_as_they_are(capsys, name):
    output = Output()
    output.table(["column"], [[name]])
    output.prose(name)
    output.heading(name)
    output.line(name)
    assert capsys.readouterr().out.split() == ["column", *[name] * 4]


def test_control_codes_in_names_are_made_visible(capsys):
    Output().table(["column"], [["a\nb\x1b[31m"]])
    assert capsys.readouterr().out.splitlines()[1] == "a\\nb\\x1b[31m"
    assert printable("a\nb\r", keep="\n") == "a\nb\\r"


def test_json_survives_a_terminal_without_unicode(monkeypatch):
    pipe = Pipe("ascii")
    monkeypatch.setattr(sys, "stdout", pipe)
    Output(as_json=True).json({"Größe": "\udc80"})
    assert pipe.getvalue().isascii()
    assert json.loads(pipe.getvalue()) == {"Größe": "\udc80"}


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_odd_names_of_files_do_not_break_the_output(monkeypatch, encoding):
    pipe = Pipe(encoding)
    monkeypatch.setattr(sys, "stdout", pipe)
    Output().line("Größe \udc80 – ende")
    assert pipe.getvalue().endswith("ende\n")
    Output(as_json=True).json({"file": "\udc80"})


def test_warnings_become_notes_told_once():
    with Output().warnings_as_notes() as notes:
        warnings.warn("careful", SwapmeetWarning, stacklevel=1)
        warnings.warn("careful", SwapmeetWarning, stacklevel=1)
    assert notes == ["careful"]


@pytest.mark.filterwarnings("default::UserWarning")
def test_words_of_other_libraries_are_not_passed_on(capsys, recwarn):
    with Output().warnings_as_notes() as notes:
        warnings.warn("could not parse '4711-canary'", UserWarning, stacklevel=1)
    assert notes == []
    assert len(recwarn) == 0
    assert capsys.readouterr().err == ""


def test_json_on_a_terminal_has_no_control_characters(swapmeet, tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a\x1b[31m\x9b\u202e,b\n1,2\n3,4\n", "utf-8")
    done = swapmeet("inspect", path, "--json")
    assert done.code == 0
    assert not set("\x1b\x9b\u202e") & set(done.out)
    assert done.json["columns"][0]["name"] == "a\x1b[31m\x9b\u202e"
