"""The page of limits is made by a command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "limits.md"


@pytest.mark.slow
def test_the_command_measures_every_method():
    """A few rows of one table; each method has a line with as many figures as the head."""
    from swapmeet import METHODS

    command = [sys.executable, str(ROOT / "benchmarks" / "limits.py"), "--quick"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line for line in run.stdout.splitlines() if line.startswith("| ")]
    assert [name for name in METHODS if f"[`{name}`]" not in run.stdout] == []
    assert {line.count("|") for line in lines} == {11}
    assert "refused" not in run.stdout


def test_the_page_has_figures_of_every_method_on_every_table():
    from swapmeet import METHODS

    tables = PAGE.read_text().split("### ")[1:]
    assert [table.split("\n")[0] for table in tables] == ["fair", "census", "adult", "randhie"]
    for table in tables:
        assert [name for name in METHODS if f"| [`{name}`]" not in table] == []
