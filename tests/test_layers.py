"""The rules of who may import whom catch what they are meant to catch."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("importlinter")
ROOT = Path(__file__).parents[1]
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"
PLANTED = {
    "measures/risk/planted_measure.py": "from pandas import DataFrame",
    "measures/planted_helper.py": "import polars",
    "methods/planted_method.py": "import swapmeet.engines",
    "planted_root.py": "import swapmeet.cli",
}


def test_planted_violations_are_caught(tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for module, line in PLANTED.items():
        (tmp_path / "src/swapmeet" / module).write_text(f"def late():\n    {line}\n")
    linted = subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path / "src")}, check=False,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert linted.returncode == 1
    assert [m for m in PLANTED if Path(m).stem not in linted.stdout] == []
