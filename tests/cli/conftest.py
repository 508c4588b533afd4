from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
import pytest

from swapmeet.cli import main

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@dataclass(frozen=True)
class Run:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def said(self):
        return self.out + self.err


@pytest.fixture
def swapmeet(capsys, monkeypatch):
    """Run the command line in this process."""

    def run(*args):
        monkeypatch.setattr(sys, "argv", ["swapmeet", *map(str, args)])
        monkeypatch.setenv("COLUMNS", "80")
        known = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
        signals = {number: signal.getsignal(number) for number in known}
        capsys.readouterr()
        try:
            main()
        except SystemExit as ended:
            said = capsys.readouterr()
            return Run(ended.code, said.out, said.err)
        finally:
            for number, handler in signals.items():
                signal.signal(number, handler)
        raise AssertionError("the program must leave with an exit code")

    return run


@pytest.fixture
def program():
    """Run the installed program as a process of its own."""

    def run(*args, **options):
        command = [sys.executable, "-c", "from swapmeet.cli import main; main()", *map(str, args)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
        return Run(done.returncode, done.stdout, done.stderr)

    return run


LISTENING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
from swapmeet.cli import main
main()
"""


@pytest.fixture
def start_program():
    """Start the program and let it run; it is killed at the end, whatever happened.

    It hears SIGINT and SIGTERM even where whoever started the tests ignores them, as a background
    shell does: a process inherits what is ignored.
    """
    started = []

    def start(*args, **options):
        command = [sys.executable, "-c", LISTENING, *map(str, args)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, **pipes, **options))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


@pytest.fixture
def table():
    """60 people; every name, income and code is long enough to be recognised anywhere."""
    return make_people().copy()


@cache
def make_people():
    rng = np.random.default_rng(11)
    n = 60
    return pd.DataFrame(
        {
            "name": [f"person-{number:06d}" for number in rng.permutation(999_999)[:n]],
            "age": rng.integers(18, 90, n),
            "sex": rng.choice(["female", "male"], n),
            "income": rng.integers(1_000_000, 9_999_999, n) / 100,
            "region": rng.choice(["north-4711", "south-4712"], n),
            "weight": [f"0{number:05d}.50" for number in rng.permutation(99_999)[:n]],
        }
    )


@pytest.fixture(scope="session")
def people_file(tmp_path_factory):
    """The same as a CSV file, to be read only."""
    path = tmp_path_factory.mktemp("people") / "people.csv"
    make_people().to_csv(path, index=False)
    return path


@pytest.fixture
def people(tmp_path, table):
    """The same as a CSV file in a folder of its own."""
    folder = tmp_path / "input"
    folder.mkdir()
    table.to_csv(folder / "people.csv", index=False)
    return folder / "people.csv"


@pytest.fixture
def out(tmp_path):
    """An empty folder for output."""
    folder = tmp_path / "output"
    folder.mkdir()
    return folder
