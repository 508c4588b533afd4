from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from swapmeet.base import compile_watch
from swapmeet.base.compile_watch import WATCH, WORDS, CompileWatch, announce_by, compile_ahead


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def heard():
    return []


@pytest.fixture
def watch(clock, heard):
    made = CompileWatch(clock)
    made.say = heard.append
    return made


def compile_for(watch, clock, seconds, inside=()):
    watch.begin()
    for part in inside:
        compile_for(watch, clock, part)
    clock.now += seconds
    watch.end()


def test_short_compiling_is_not_mentioned(watch, clock, heard):
    compile_for(watch, clock, 0.5, inside=(0.4, 0.4))
    assert set(heard) <= {""}


def test_long_compiling_is_mentioned_as_soon_as_it_is_long_until_it_is_done(watch, clock, heard):
    watch.begin()
    compile_for(watch, clock, 1.0)
    assert heard == []
    compile_for(watch, clock, 1.0)
    assert heard == [WORDS]
    clock.now += 10
    watch.end()
    assert heard == [WORDS, WORDS, ""]


def test_time_inside_is_not_counted_twice_and_time_between_not_at_all(watch, clock, heard):
    compile_for(watch, clock, 0.1, inside=(0.3, 0.3))
    clock.now += 100
    compile_for(watch, clock, 0.1, inside=(0.3, 0.3))
    assert set(heard) == {""}
    compile_for(watch, clock, 0.2)
    assert heard[-2:] == [WORDS, ""]


def test_another_way_of_saying_it_lasts_as_long_as_its_context(heard):
    before = WATCH.say
    with announce_by(heard.append):
        WATCH.say("now")
    assert heard == ["now"]
    assert WATCH.say == before


@pytest.mark.parametrize("terminal", [True, False])
def test_only_whoever_sits_at_a_terminal_is_told(monkeypatch, terminal):
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    compile_watch.say_in_terminal.cache_clear()
    for _ in range(3):
        compile_watch.say_in_terminal(WORDS)
        compile_watch.say_in_terminal("")
    compile_watch.say_in_terminal.cache_clear()
    assert stream.getvalue() == (f"swapmeet: {WORDS}\n" if terminal else "")


class Helper:
    def __init__(self, jobs):
        self.jobs, self.calls = jobs, []

    def kill(self):
        self.calls.append("kill")

    def wait(self):
        self.calls.append("wait")


@pytest.fixture
def helpers(monkeypatch):
    started = []

    def start(jobs):
        started.append(Helper(jobs))
        return started[-1]

    monkeypatch.setattr(compile_watch, "start_compiling", start)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    return started


def test_the_first_loop_that_is_compiled_has_another_process_do_the_rest(helpers):
    with compile_ahead(["guessing"]):
        assert helpers == []
        for _ in range(2):
            compile_for(WATCH, Clock(), 0.0)
        [helper] = helpers
        assert (helper.jobs, helper.calls) == (["guessing"], [])
    assert helper.calls == ["kill", "wait"]
    compile_for(WATCH, Clock(), 0.0)
    assert len(helpers) == 1


@pytest.mark.parametrize(("jobs", "cores"), [([], 2), (["guessing"], 1)])
def test_without_jobs_or_a_second_core_nothing_is_started(helpers, monkeypatch, jobs, cores):
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    with compile_ahead(jobs):
        compile_for(WATCH, Clock(), 0.0)
    assert helpers == []


RUN = """
import numpy as np
from swapmeet.base import compile_watch
compile_watch.PATIENCE = 0.0
compile_watch.WATCH.say = lambda words: print(words, end="")
from swapmeet.base.jit import lengthen
lengthen(np.zeros((2, 2), np.int64))
"""


@pytest.mark.slow_beyond(1)
@pytest.mark.slow
def test_it_is_said_when_nothing_is_kept_on_disk_and_not_again(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", RUN], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert said == [WORDS, ""]
