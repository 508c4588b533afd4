from __future__ import annotations

import io
import re
import sys
import threading
import time

import pytest

from swapmeet import io as files
from swapmeet.cli import program, progress
from swapmeet.cli.progress import Bar


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True

    def shown(self):
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.getvalue()).replace("\r", "\n")


@pytest.fixture
def open_terminal(monkeypatch):
    """Make standard error a terminal; to be called by the test, for pytest resets streams."""

    def opened(patience=0.01):
        stream = Terminal()
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(progress, "PATIENCE", patience)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "80")
        return stream

    return opened


def wait_for(condition):
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_short_work_shows_no_bar(open_terminal):
    terminal = open_terminal(patience=progress.PATIENCE)
    with Bar(wanted=True) as bar:
        bar.stage("reading")
        bar("masking", 1, 2)
    assert terminal.getvalue() == ""


def test_patience_is_two_seconds():
    assert progress.PATIENCE == 2.0


def test_long_work_shows_label_share_and_time_left(open_terminal):
    terminal = open_terminal()
    with Bar(wanted=True) as bar:
        bar.stage("reading")
        wait_for(lambda: "reading" in terminal.shown())
        assert "so far" in terminal.shown()
        for done in range(1, 5):
            bar("neighbourhoods", done * 10, 100)
            time.sleep(0.15)
        wait_for(lambda: re.search(r"neighbourhoods .* 40 % .*left", terminal.shown()))
        assert not re.search(r"reading .* \d+ %", terminal.shown())


def test_bar_goes_and_gives_the_cursor_back(open_terminal, capsys):
    terminal = open_terminal()
    with Bar(wanted=True) as bar:
        bar.stage("reading")
        wait_for(lambda: "reading" in terminal.shown())
    assert terminal.getvalue().rstrip().endswith("\x1b[2K")
    assert terminal.getvalue().count("\x1b[?25h") == terminal.getvalue().count("\x1b[?25l")
    assert capsys.readouterr().out == ""


def test_bar_goes_when_the_work_fails(open_terminal):
    terminal = open_terminal()
    before = threading.active_count()

    def fail():
        with Bar(wanted=True) as bar:
            bar.stage("reading")
            wait_for(lambda: "reading" in terminal.shown())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    wait_for(lambda: threading.active_count() <= before)


def test_a_new_stage_begins_anew(open_terminal):
    terminal = open_terminal()
    with Bar(wanted=True) as bar:
        bar("masking", 90, 100)
        wait_for(lambda: "90 %" in terminal.shown())
        bar("masking", 10, 100)
        wait_for(lambda: "10 %" in terminal.shown())
        bar.stage("writing")
        wait_for(lambda: "writing" in terminal.shown())


@pytest.mark.parametrize("wanted", [True, False])
def test_nothing_is_shown_where_nobody_looks(monkeypatch, wanted):
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    stream = io.StringIO() if wanted else Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with Bar(wanted=wanted) as bar:
        bar.stage("reading")
        time.sleep(0.2)
        bar("masking", 1, 2)
    assert stream.getvalue() == ""


def test_json_and_progress_keep_apart(open_terminal, monkeypatch, capsys, people, out):
    terminal = open_terminal()
    real = files.read

    def slowly(*args, **options):
        wait_for(lambda: "reading" in terminal.shown())
        return real(*args, **options)

    monkeypatch.setattr(files, "read", slowly)
    program.app(
        ["mask", str(people), str(out / "o.csv"), "--method", "rwn", "--json", "--drop", "name"],
        standalone_mode=False,
    )
    said = capsys.readouterr().out
    assert said.startswith("{")
    assert said.endswith("}\n")
    assert "\x1b" not in said
