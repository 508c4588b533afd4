"""What a bare installation loads: none of the extras, and nothing that takes long for nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from swapmeet.base.extras import EXTRAS

ABSENT = (*EXTRAS, "sklearn", "polars", "duckdb", "cryptography", "hypothesis")
"""Nobody may import them: Python behaves as if they were not installed."""
SLOW = ("scipy.stats", "scipy.optimize", "scipy.interpolate", "scipy.ndimage")
"""Installed, but not to be loaded."""
CODE = """
import contextlib, io, json, sys, warnings

class Absent:
    def find_spec(name, *_):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent)
loaded = {{}}

def note(step):
    loaded[step] = [name for name in sys.modules if name in {watched!r}]

import swapmeet
note("import")
from swapmeet.cli import main
for step in {steps!r}:
    sys.argv = ["swapmeet", *step]
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            main()
        except SystemExit as end:
            assert end.code in (0, 4), (step, end.code)
    note(step[0])
print(json.dumps(loaded))
"""
CORE = ("numpy", "pyarrow", "numba", "scipy", "randomgen", "scipy.linalg")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """What has been loaded after each step of one process that has nothing but the core."""
    folder = tmp_path_factory.mktemp("bare")
    people = [f"{20 + i % 50},{'fm'[i % 2]},{i * 37 % 1001}.5" for i in range(100)]
    (folder / "people.csv").write_text("\n".join(["age,sex,income", *people]) + "\n")
    steps = [
        ("--help",),
        ("inspect", "people.csv"),
        ("mask", "people.csv", "r.csv", "--method", "sjppds", "--bins", "4", "--audit", "r.audit"),
        ("assess", "people.csv", "r.csv", "--audit", "r.audit", "--measure", "margins"),
    ]
    code = CODE.format(absent=ABSENT, watched=(*ABSENT, *SLOW, *CORE), steps=steps)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_nothing_is_loaded_by_importing_swapmeet(loaded):
    assert loaded["import"] == []


def test_help_loads_numpy_alone(loaded):
    assert loaded["--help"] == ["numpy"]


def test_inspect_compiles_nothing_and_needs_no_linear_algebra(loaded):
    assert set(loaded["inspect"]) <= {"numpy", "pyarrow", "randomgen"}


@pytest.mark.parametrize("step", ["inspect", "mask", "assess"])
def test_no_extra_and_no_slow_library_is_needed(loaded, step):
    assert not set(loaded[step]) & {*ABSENT, *SLOW}
    assert "pyarrow" in loaded[step]
