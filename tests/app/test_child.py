from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from swapmeet.datasets import find_file

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are told as POSIX does")
START = """
import runpy, signal, subprocess, sys, time
from swapmeet.app import child
child.PATIENCE = 0.3
def work(*_, **__):
    {work}
runpy.run_module = work
child.main()
"""
DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
SLEEP = "print('ready', flush=True); time.sleep(60)"
SPAWN = "inner = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"


@pytest.fixture
def start():
    """Start a process of the app that does some work; it is killed at the end."""
    started = []

    def begin(work):
        process = subprocess.Popen(
            [sys.executable, "-c", START.format(work=work)], text=True, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def test_the_process_runs_while_the_app_does(start):
    process = start("print('done', flush=True)")
    assert process.stdout.readline() == "done\n"
    assert process.wait(20) == 0


def test_it_ends_when_the_app_does(start):
    process = start(SLEEP)
    process.stdout.readline()
    process.stdin.close()
    assert process.wait(20) == -signal.SIGTERM
    process.stdin = None


def test_it_is_killed_if_it_will_not_end(start):
    process = start(f"{DEAF}; {SLEEP}")
    process.stdout.readline()
    process.stdin.close()
    assert process.wait(20) == -signal.SIGKILL
    process.stdin = None


@pytest.mark.slow
def test_its_children_are_killed_with_it(start):
    process = start(f"{DEAF}; {SPAWN}; print(inner.pid, flush=True); time.sleep(60)")
    inner = int(process.stdout.readline())
    process.stdin.close()
    process.wait(20)
    process.stdin = None
    process.stdout.read()
    with pytest.raises(ProcessLookupError):
        os.kill(wait_for_end(inner), 0)


def wait_for_end(number):
    """The number of a process, which init may take a moment to let go."""
    for _ in range(600):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    return number


def test_it_gives_way_to_the_pages(start):
    process = start("import os; print(os.nice(0), flush=True)")
    assert int(process.stdout.readline()) == os.nice(0) + 5


@pytest.mark.slow
def test_a_search_ends_with_the_app_and_keeps_its_journal(tmp_path):
    command = [
        sys.executable, "-P", "-m", "swapmeet.app.child", "tune", str(find_file("diabetes")),
        "--budget", "10m", "--methods", "rwn", "--journal", "study.jsonl", "--json",
        "--progress", "json",
    ]  # fmt: skip
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=tmp_path, start_new_session=True, text=True, **pipes)
    try:
        for line in process.stderr:
            if json.loads(line).get("done", 0) >= 2:
                break
        process.stdin.close()
        process.wait(20)
    finally:
        process.kill()
    process.stdin = None
    process.communicate()
    assert process.returncode != 0
    assert len((tmp_path / "study.jsonl").read_text().splitlines()) >= 2
