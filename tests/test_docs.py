"""Every Python block of the documentation runs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(language: str) -> list[object]:
    return [
        pytest.param(block, id=f"{page.relative_to(ROOT)}-{number}")
        for page in PAGES
        for number, block in enumerate(
            re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
        )
    ]


@pytest.mark.slow_beyond(1)
@pytest.mark.filterwarnings("ignore::swapmeet.SwapmeetWarning")
@pytest.mark.parametrize("block", blocks("python"))
def test_a_python_block_runs(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "documentation", "exec"), {"__name__": "documentation"})
    assert block


@pytest.mark.parametrize("block", blocks("toml"))
def test_a_toml_block_is_a_run_file(block, tmp_path):
    from swapmeet.methods import make

    method = dict(tomllib.loads(block)["method"])
    made = make(method.pop("name"), method)
    assert made.settings()


def test_every_method_has_a_page():
    from swapmeet import METHODS

    pages = {page.stem for page in (ROOT / "docs" / "methods").glob("*.md")}
    assert pages == set(METHODS)


def test_links_between_pages_lead_somewhere():
    links = [
        (page, target)
        for page in PAGES
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    ]
    assert links
    assert not [
        f"{page}: {target}" for page, target in links if not (page.parent / target).exists()
    ]


def test_every_measure_has_a_page():
    from swapmeet.measures.registry import MEASURES

    pages = {page.stem for page in (ROOT / "docs" / "measures").glob("*.md")}
    assert pages == set(MEASURES)


def test_the_readme_names_every_method_and_every_measure():
    from swapmeet.measures.registry import MEASURES
    from swapmeet.methods import METHODS

    text = (ROOT / "README.md").read_text()
    assert [name for name in (*METHODS, *MEASURES) if f"`{name}`" not in text] == []
