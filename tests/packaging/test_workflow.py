"""The workflow runs what this repository has."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / ".github" / "workflows" / "test.yml").read_text()


def test_every_script_that_is_run_is_there():
    scripts = re.findall(r"(?:python|bash) ([\w./-]+(?:\.py|/run))", TEXT)
    assert set(scripts) == {"packaging/smoke.py", "packaging/sbom.py", ".ci/run"}
    assert all((ROOT / script).is_file() for script in scripts)


def test_all_systems_and_versions_are_tried():
    assert "[ubuntu-latest, windows-latest, macos-latest]" in TEXT
    assert '["3.11", "3.12", "3.13", "3.14"]' in TEXT


def test_the_oldest_version_tried_is_the_oldest_supported():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11"


def test_extras_that_are_installed_are_declared():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {name for some in re.findall(r"\.\[([\w,]+)\]", TEXT) for name in some.split(",")}
    assert named <= set(declared["optional-dependencies"])
