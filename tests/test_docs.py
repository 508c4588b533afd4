"""The documentation is complete, its links lead somewhere, and its run files are valid."""

from __future__ import annotations

import re
import runpy
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
INDEX = ROOT / "packaging" / "package-index.md"
PAGES = [
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    INDEX,
    *sorted((ROOT / "docs").rglob("*.md")),
]


def blocks(language: str) -> list[object]:
    return [
        pytest.param(block, id=f"{page.relative_to(ROOT)}-{number}")
        for page in PAGES
        for number, block in enumerate(
            re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
        )
    ]


@pytest.mark.parametrize("block", blocks("toml"))
def test_a_toml_block_is_a_run_file(block, tmp_path):
    from swapmeet.methods import make

    method = dict(tomllib.loads(block)["method"])
    made = make(method.pop("name"), method)
    assert made.settings()


def test_every_method_has_a_page():
    from swapmeet import METHODS

    pages = {page.stem for page in (REFERENCE / "methods").glob("*.md")}
    assert pages == set(METHODS)


def test_the_page_of_matched_swapping_has_every_parameter_and_its_default():
    from swapmeet import MatchedSwap

    page = (REFERENCE / "methods" / "matched-swap.md").read_text()
    table = page.partition("| parameter |")[2].partition("\n\n")[0]
    told = {}
    for names, defaults in re.findall(r"^\| (`.*?`) \| (.*?) \|", table, re.MULTILINE):
        told |= dict(zip(names.replace("`", "").split(", "), defaults.split(", "), strict=True))
    assert told == {p.name: _say_default(p.default) for p in MatchedSwap.parameters()}


def _say_default(default):
    if default is None:
        return "none"
    return f"{default:g}" if isinstance(default, float) else str(default)


def test_links_between_pages_lead_somewhere():
    links = [
        (page, target)
        for page in PAGES
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    ]
    assert links
    made = {(ROOT / "docs" / place).resolve() for place in _list_made_pages()}
    assert not [
        f"{page}: {target}"
        for page, target in links
        if not (page.parent / target).exists() and (page.parent / target).resolve() not in made
    ]


def _list_made_pages():
    """Pages that the site has and nobody writes: commands, the API, lists."""
    hooks = pytest.importorskip("hooks", reason="the extra [docs] is not installed")
    return hooks.make_pages()


def test_the_page_for_the_package_index_has_no_link_that_is_broken_there():
    assert not re.findall(r"\]\((?!https://)", INDEX.read_text())
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert ROOT / declared["readme"] == INDEX


def test_the_page_on_installing_names_every_extra():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    page = (ROOT / "docs" / "guides" / "install.md").read_text()
    told = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert set(told) == set(extras) - {"test"}


def test_every_measure_has_a_page():
    from swapmeet.measures.registry import MEASURES

    pages = {page.stem for page in (REFERENCE / "measures").glob("*.md")}
    assert pages == set(MEASURES)


def test_every_measure_states_what_its_time_grows_with():
    from swapmeet.measures.registry import MEASURES

    for name, measure in MEASURES.items():
        page = (REFERENCE / "measures" / f"{name}.md").read_text()
        told = f"**Growth.** {measure.growth[:1].upper()}{measure.growth[1:]} ("
        assert "columns" in measure.growth, name
        assert told in page, name


def test_the_picture_of_matched_swapping_is_true():
    """Drawn anew: the start weakens a correlation of the original, and trades bring it back."""
    drawing = runpy.run_path(str(REFERENCE / "methods" / "matched_swap_picture.py"))
    people, groups = drawing["make_people"]()
    donors = [drawing[step](people, groups) for step in ("permute_in_groups", "match_in_groups")]
    true = people["hours"].corr(people["income"])
    start, matched = (
        people["hours"][who[:, 1]].reset_index(drop=True).corr(
            people["income"][who[:, 2]].reset_index(drop=True)
        )
        for who in donors
    )  # fmt: skip
    assert start < true - 0.1
    assert abs(matched - true) < drawing["NEARLY"]
    picture = ET.parse(REFERENCE / "methods" / "matched-swap.svg")
    words = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {f"{true:.2f}", f"{start:.2f}", "3  Trades bring relations back"} <= words


@pytest.mark.parametrize("name", sorted(path.stem for path in REFERENCE.glob("methods/*.md")))
def test_the_page_of_a_method_tells_what_each_parameter_trades(name):
    from swapmeet import METHODS

    page = (REFERENCE / "methods" / f"{name}.md").read_text()
    missing = [p.name for p in METHODS[name].parameters() if f"`{p.name}`" not in page]
    assert name == "per-column" or missing == []
