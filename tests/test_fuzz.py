"""The fuzzer finds nothing in a few seconds, draws the same case again, and would find a crash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FUZZ = ROOT / "benchmarks" / "fuzz.py"

pytestmark = pytest.mark.slow


def run(*options):
    command = [sys.executable, str(FUZZ), *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_a_few_seconds_find_nothing():
    done = run("--cases", 4000, "--seconds", 12)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 kinds of findings" in done.stdout


BROKEN = """
import sys
sys.path.insert(0, {folder!r})
sys.argv = ["fuzz.py", "condition", "method", "--cases", "40"]
from fuzzing import command, oracle
command.TARGETS["condition"] = (lambda rng: {{}}[rng.random()], 1)
command.TARGETS["method"] = (lambda rng: oracle.require_silence("zqcanary-7", "x"), 1)
sys.exit(command.main())
"""


def test_foreign_exceptions_and_values_in_messages_are_findings():
    script = BROKEN.format(folder=str(FUZZ.parent))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "KeyError" in done.stdout
    assert "x shows a cell's value" in done.stdout
    assert "2 kinds of findings" in done.stdout
