from __future__ import annotations

import json
import unicodedata

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.base.sentences import escape_json, escape_markup, show_controls

HOSTILE = "a\x1b[31m\x7f\x9b\u202eb\u2028"
"""Turns a terminal red, and the rest of a line round."""


def is_control(letter):
    return unicodedata.category(letter) in {"Cc", "Cs", "Zl", "Zp"} and letter not in "\n\t"


@given(st.text())
def test_no_control_character_is_left(text):
    assert not any(map(is_control, show_controls(text)))
    assert not any(map(is_control, escape_markup(text)))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_says_the_same(text):
    said = json.dumps([text], ensure_ascii=False)
    assert json.loads(escape_json(said)) == [text]
    assert not any(map(is_control, escape_json(said)))


@pytest.mark.parametrize("text", ["Größe", "año", "خانه", "家族\u3000", "👩\u200d🔬", "a\u00a0b"])
def test_letters_of_all_scripts_stay(text):
    assert show_controls(text) == text


@pytest.mark.slow
def test_notebooks_and_pages_show_no_control_characters(tmp_path, masked):
    people = pd.DataFrame({HOSTILE: range(60), "b": list(range(30)) * 2})
    release = masked(people, sm.RankSwap(window=0.3))
    card = sm.assess(people, release, measures=["margins", "correlations"])
    sm.report(card, tmp_path / "r.html", release=release)
    shown = [release._repr_html_(), card._repr_html_(), sm.inspect(people)._repr_html_()]
    shown += [(tmp_path / name).read_text("utf-8") for name in ("r.html", "r.json")]
    for text in shown:
        assert not any(map(is_control, text))
        assert "\u202e" not in text
