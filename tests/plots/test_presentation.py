from __future__ import annotations

import pytest

from swapmeet.plots.svg import list_attributes


def test_each_declaration_is_an_attribute():
    style = "fill: none; stroke-dasharray: 5,1.5; stroke-dashoffset: 0; stroke-width: 1.6;"
    assert list_attributes(style) == {
        "fill": "none", "stroke-dasharray": "5,1.5", "stroke-dashoffset": "0",
        "stroke-width": "1.6",
    }  # fmt: skip


def test_quoted_names_of_fonts_stay_whole():
    told = list_attributes("""font-family: 'Odd; font: 9px', "A: b", sans-serif; fill: red""")
    assert told == {"font-family": """'Odd; font: 9px', "A: b", sans-serif""", "fill": "red"}


def test_links_to_patterns_are_kept():
    assert list_attributes("fill: url(#hatch)") == {"fill": "url(#hatch)"}


@pytest.mark.parametrize(
    ("font", "words"),
    [
        ("9px 'DejaVu Sans', sans-serif", {}),
        ("normal 9px 'DejaVu Sans', sans-serif", {}),
        ("italic 9px 'DejaVu Sans', sans-serif", {"font-style": "italic"}),
        ("700 9px/1.2 'DejaVu Sans', sans-serif", {"font-weight": "700"}),
        (
            "oblique small-caps bold semi-condensed 9px 'DejaVu Sans', sans-serif",
            {"font-style": "oblique", "font-variant": "small-caps", "font-weight": "bold",
             "font-stretch": "semi-condensed"},
        ),
    ],
)  # fmt: skip
def test_a_font_in_one_line_is_split_up(font, words):
    parts = {**words, "font-size": "9px", "font-family": "'DejaVu Sans', sans-serif"}
    assert list_attributes(f"font: {font}; text-anchor: end") == {**parts, "text-anchor": "end"}


@pytest.mark.parametrize("style", ["", " ; ", "font: inherit"])
def test_nothing_gives_nothing(style):
    assert list_attributes(style) == {}
