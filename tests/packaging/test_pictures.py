"""The picture of a terminal shows what the command prints, and loads nothing."""

from __future__ import annotations

import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

PACKAGING = Path(__file__).parents[2] / "packaging"
COMMITTED = PACKAGING.parent / "docs" / "assets" / "terminal.svg"


def read_text(path):
    return " ".join(" ".join(ElementTree.parse(path).getroot().itertext()).split())


@pytest.mark.slow
def test_the_terminal_shows_a_verdict_of_today(tmp_path):
    script = runpy.run_path(str(PACKAGING / "pictures.py"))
    script["draw_terminal"](tmp_path / "terminal.svg")
    for path in (COMMITTED, tmp_path / "terminal.svg"):
        text = read_text(path).replace("\xa0", " ")
        assert f"$ {script['SHOWN']}" in text
        assert "Safe to publish under the default limits" in text
        assert "Loss (0 is none): margins" in text


def test_the_picture_loads_nothing():
    text = COMMITTED.read_text()
    assert text.count("http") == 1, "the namespace, and nothing else"
    assert "@font-face" not in text
