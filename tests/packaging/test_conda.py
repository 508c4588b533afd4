"""The conda recipe asks for what the package asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RENAMED = {"matplotlib": "matplotlib-base"}


def read_section(name):
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    section = re.search(rf"^  {name}:\n((?:    - .*\n)+)", text, re.MULTILINE)[1]
    return {line.strip("- ").replace(" ", "") for line in section.splitlines()}


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def spell(requirement):
    name = re.match(r"[\w-]+", requirement)[0]
    return requirement.replace(name, RENAMED.get(name, name), 1)


def test_the_core_is_the_same(project):
    wanted = {"python" + project["requires-python"], *project["dependencies"]}
    assert read_section("run") == wanted


def test_extras_have_the_same_bounds(project):
    extras = project["optional-dependencies"]
    chosen = [some for name, some in extras.items() if name not in ("all", "test", "docs")]
    wanted = {spell(one) for some in chosen for one in some if not one.startswith("swapmeet[")}
    assert read_section("run_constrained") == wanted


def test_the_version_is_the_same(project):
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    assert f'set version = "{project["version"]}"' in text
