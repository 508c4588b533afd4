from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from swapmeet.base.compile_watch import WATCH
from swapmeet.cli.json_progress import JsonProgress, write_event

PAUSE = 0.11
MASK = ("--method", "rwn", "--drop", "name", "--progress", "json")


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def read_events(text):
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def events(capsys):
    """What was told since the last look."""
    return lambda: read_events(capsys.readouterr().err)


def test_a_stage_is_told_at_once_with_an_unknown_extent(events):
    with JsonProgress() as progress:
        progress.stage("reading")
        assert events() == [{"event": "progress", "label": "reading", "done": 0, "total": 0}]


def test_lines_about_the_same_work_wait_for_each_other(events, clock):
    with JsonProgress(clock) as progress:
        for done in range(1, 10):
            progress("masking", done, 100)
        clock.now += PAUSE
        progress("masking", 10, 100)
        progress("masking", 11, 100)
    assert [event["done"] for event in events()] == [1, 10]


def test_the_end_of_a_work_and_the_beginning_of_the_next_do_not_wait(events, clock):
    with JsonProgress(clock) as progress:
        progress("masking", 1, 2)
        progress("masking", 2, 2)
        progress("writing", 1, 3)
        progress("writing", 3, 3)
    told = [(event["label"], event["done"]) for event in events()]
    assert told == [("masking", 1), ("masking", 2), ("writing", 1), ("writing", 3)]


def test_what_was_told_is_not_repeated(events, clock):
    with JsonProgress(clock) as progress:
        for _ in range(3):
            progress("measuring", 2, 7)
            clock.now += 1
    assert len(events()) == 1


def test_a_step_that_had_to_wait_is_told_when_it_is_repeated(events, clock):
    with JsonProgress(clock) as progress:
        progress("measuring", 2, 7)
        progress("measuring", 3, 7)
        clock.now += PAUSE
        progress("measuring", 3, 7)
    assert [event["done"] for event in events()] == [2, 3]


def test_news_is_told_once_and_taken_back_by_an_empty_text(events):
    with JsonProgress() as progress:
        progress.tell("")
        progress.tell("compiling")
        progress.tell("compiling")
        progress.tell("")
    assert events() == [{"event": "news", "text": "compiling"}, {"event": "news", "text": ""}]


def test_a_new_stage_may_bring_the_same_news(events):
    with JsonProgress() as progress:
        for label in ("one", "two"):
            progress.stage(label)
            progress.tell("slow")
    assert [event.get("text") for event in events()] == [None, "slow", None, "slow"]


def test_compiling_is_news(events):
    before = WATCH.say
    with JsonProgress():
        WATCH.say("compiling once")
    assert WATCH.say == before
    assert events() == [{"event": "news", "text": "compiling once"}]


def test_control_codes_are_escaped_in_text_and_in_json(capsys):
    with JsonProgress() as progress:
        progress.tell("a\x1b[31m\nb")
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    assert json.loads(text)["text"] == r"a\x1b[31m\nb"


def test_other_output_is_not_held_up(capsys):
    with JsonProgress() as progress, progress.pause():
        sys.stdout.write("a result\n")
    assert capsys.readouterr() == ("a result\n", "")


def test_a_stream_that_breaks_is_left_alone(monkeypatch):
    class Broken:
        def write(self, _):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Broken())
    write_event("progress", label="masking", done=1, total=2)
    write_event("progress", label="masking", done=2, total=2)
    sys.stderr.close()


@pytest.mark.slow_case("more4")
@pytest.mark.parametrize("more", [(), ("--quiet",), ("--json",), ("--memory", "1GB"),
                                  ("--protect-exposed",)])  # fmt: skip
def test_masking_tells_its_stages_and_nothing_else(swapmeet, people, out, more):
    run = swapmeet("mask", people, out / "r.csv", *MASK, *more)
    assert run.code == 0
    told = read_events(run.err)
    assert {event["event"] for event in told} <= {"progress", "news"}
    labels = [event["label"] for event in told if event["event"] == "progress"]
    assert labels[0] == "reading"
    assert labels[-1] == "writing"
    assert not any(event.get("total") and event["done"] > event["total"] for event in told)


def test_masking_by_a_study_tells_its_stages(swapmeet, people, out):
    journal = out / "s.jsonl"
    searched = swapmeet("tune", people, "--drop", "name", "--methods", "rwn:k=5:eps=0.2",
                        "--repeats", 1, "--limit", "none", "--workers", 1, "--journal", journal,
                        "--progress", "json", "--quiet")  # fmt: skip
    assert searched.code == 0, searched.err
    told = read_events(searched.err)
    assert any(event.get("text", "").startswith("1 trial;") for event in told)
    run = swapmeet("mask", people, out / "r.csv", "--from", journal, "--progress=json")
    assert run.code == 0, run.err
    labels = {event.get("label") for event in read_events(run.err)}
    assert {"reading", "masking", "writing"} <= labels


@pytest.mark.slow
def test_the_other_commands_tell_their_stages(swapmeet, people, out):
    release = out / "r.csv"
    assert swapmeet("mask", people, release, *MASK).code == 0
    few = ("--measure", "margins", "--progress", "json", "--quiet")
    commands = {
        "inspecting": ("inspect", people, "--progress", "json"),
        "measuring": ("assess", people, release, *few, "--limit", "none"),
        "comparing": ("compare", release, release, "--original", people, *few, "--limit", "none"),
        "writing": ("report", out / "r.html", "--file", people, "--release", release, *few),
    }
    for label, command in commands.items():
        run = swapmeet(*command)
        told = read_events(run.err)
        assert run.code == 0, run.err
        assert told[0] == {"event": "progress", "label": "reading", "done": 0, "total": 0}
        assert label in {event.get("label") for event in told}


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_a_reader_who_leaves_does_not_end_the_work(people, out):
    script = f"{sys.executable} -c 'from swapmeet.cli import main; main()' \"$@\" 2>&1 >/dev/null"
    done = subprocess.run(
        ["bash", "-c", f"({script}; echo $? > {out}/code) | head -c 1", "-", "mask", people,
         out / "r.csv", *MASK],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "{"
    assert done.stderr == ""
    assert (out / "code").read_text() == "0\n"
    assert (out / "r.csv").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are sent as POSIX does")
def test_a_run_that_is_stopped_says_so_last(start_program, people, out):
    job = start_program("tune", people, "--drop", "name", "--journal", out / "s.jsonl", *MASK[-2:])
    first = json.loads(job.stderr.readline())
    assert first["label"] == "reading"
    job.send_signal(signal.SIGTERM)
    _, rest = job.communicate(timeout=60)
    last = read_events(rest)[-1]
    assert (last["event"], last["exit_code"]) == ("error", 1)
    assert last["message"].startswith("stopped")
    assert job.returncode == 1
