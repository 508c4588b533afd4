from __future__ import annotations

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

import pytest

from swapmeet.app.case import Case
from swapmeet.app.desk import load_templates
from swapmeet.app.pages.compare import draw_map
from swapmeet.app.run import Run, RunKind

SCRIPT = Path(__file__).parents[2] / "packaging" / "draw_map.py"
NAMESPACE = "{http://www.w3.org/2000/svg}"
RUN = Run(
    kind=RunKind.CANDIDATE, case="", title="", commands=(), number=3,
    facts={"method": "rank-swap", "chosen": {"window": 0.2}, "risk": 0.1, "worst": 0.3,
           "loss": 0.2, "safe": True, "decided": True},
)  # fmt: skip


@pytest.fixture(scope="module")
def picture():
    spec = importlib.util.spec_from_file_location("draw_map", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    search = Run(kind=RunKind.SEARCH, case="", title="", commands=(),
                 facts={"points": [{"risk": 0.4, "loss": 0.1, "checked": False}]})  # fmt: skip
    template = load_templates().get_template("map.html")
    figure = template.render(map=draw_map([RUN], [search], 0.2), case=Case(name="a", source=""))
    return ElementTree.fromstring(script.compose(figure, [RUN]))


def test_it_is_a_picture_without_links(picture):
    assert picture.tag == f"{NAMESPACE}svg"
    assert not list(picture.iter(f"{NAMESPACE}a"))


def test_it_names_the_candidates(picture):
    words = [text.text for text in picture.iter(f"{NAMESPACE}text")]
    assert "3: Rank swapping (window 0.2)" in words


def test_it_has_a_dot_for_each_candidate_and_trial(picture):
    classes = [shape.get("class") for shape in picture.iter(f"{NAMESPACE}circle")]
    legend = 1
    assert classes.count("dot") == 1 + legend
    assert classes.count("trial hollow") == 1 + legend
