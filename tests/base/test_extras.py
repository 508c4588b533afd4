"""What is not installed is named with the extra that brings it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pyarrow as pa
import pytest

import swapmeet as sm
from swapmeet import io
from swapmeet.base.extras import EXTRAS, is_installed, name_remedy, require_library
from swapmeet.errors import EngineError, SwapmeetError, UsageError
from swapmeet.plots.style import look, sheet
from swapmeet.reporting.page import render_page

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def declared():
    return tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]


def write_report(tmp_path):
    people = sm.datasets.load("diabetes")
    card = sm.assess(people, people, measures=["margins"])
    sm.report(card, tmp_path / "report.html")


def read_spss(tmp_path):
    (tmp_path / "a.sav").write_bytes(b"x")
    io.read(tmp_path / "a.sav")


def make_card(tmp_path):
    people = sm.datasets.load_arrow("diabetes")
    return sm.assess(people, people, measures=["margins"])


USES = {
    "jinja2": [write_report, lambda _: render_page({"audience": "internal"}, [])],
    "matplotlib": [write_report, lambda _: sheet(1.0), lambda _: look()],
    "openpyxl": [lambda tmp_path: io.write(tmp_path / "b.xlsx", pa.table({"a": [1]}))],
    "optuna": [lambda _: sm.tune(sm.datasets.load_arrow("diabetes"), ["rwn"], budget=1)],
    "pandas": [
        lambda _: sm.datasets.load("diabetes"),
        lambda tmp_path: make_card(tmp_path).to_frame(),
        lambda tmp_path: io.write(tmp_path / "b.xlsx", pa.table({"a": [1]})),
        read_spss,
    ],
    "pyreadstat": [read_spss],
    "statsmodels": [lambda _: sm.datasets.load("fair")],
}


@pytest.mark.parametrize(
    ("library", "use"), [(library, use) for library, uses in USES.items() for use in uses]
)
def test_whoever_needs_a_library_that_is_not_installed_is_told_the_extra(
    library, use, hide, tmp_path
):
    hide(library)
    with pytest.raises(SwapmeetError) as refusal:
        use(tmp_path)
    assert str(refusal.value).endswith(
        f'{library}, which is not installed. Run: pip install "swapmeet[{EXTRAS[library]}]"'
    )
    assert not list(tmp_path.glob("report*"))


@pytest.mark.parametrize("library", EXTRAS)
def test_every_extra_brings_its_library(library):
    names = [re.split("[<>=]", one)[0].replace("-", "_") for one in declared()[EXTRAS[library]]]
    assert library in names


def test_all_is_all_extras_but_those_for_working_on_swapmeet():
    found = re.fullmatch(r"swapmeet\[(.*)\]", declared()["all"][0])
    assert set(found[1].split(",")) == set(declared()) - {"all", "test", "docs"}


def test_what_an_extra_brings_is_not_in_the_core():
    core = tomllib.loads(PROJECT.read_text())["project"]["dependencies"]
    names = {re.split("[<>=]", one)[0].replace("-", "_") for one in core}
    assert not names & set(EXTRAS)


def test_the_error_is_of_the_kind_that_is_asked_for(hide):
    hide("pyspark")
    with pytest.raises(EngineError):
        require_library("pyspark", "Spark frames", EngineError)
    with pytest.raises(UsageError, match="Spark frames need pyspark, which"):
        require_library("pyspark", "Spark frames")
    assert not is_installed("pyspark")
    assert name_remedy("pyspark") == 'Run: pip install "swapmeet[spark]"'
