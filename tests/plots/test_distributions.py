from __future__ import annotations

import pytest

from swapmeet.measures.side_by_side.distribution import Distribution
from swapmeet.plots.distributions import draw
from swapmeet.plots.svg import to_svg

NUMBERS = Distribution(
    "wage",
    "numeric",
    (20_000.0, 40_000.0),
    ("below 20,000", "20,000 to below 40,000", "40,000 or more"),
    (30, 20, 11),
    (25, 26, 10),
)
WHOLE = Distribution(
    "age",
    "numeric",
    (2.0, 3.0),
    ("1 or less", "2", "3 or more or missing"),
    (30, 20, 11),
    (25, 26, 10),
    whole=True,
)
LEVELS = Distribution(
    "town", "nominal", None, ("1", "2", "others", "missing"), (40, 20, 10, 12), (39, 21, 11, 11)
)
EMPTY = Distribution("few", "numeric", (), (), (), ())


def counts(axes):
    return {step.get_label(): step.get_data() for step in axes.patches}


def ticks(axes):
    return {
        float(place): text.get_text()
        for place, text in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
    }


@pytest.mark.parametrize("found", [NUMBERS, WHOLE, LEVELS])
def test_outlines_show_the_counts(found):
    drawn = counts(draw([found]).axes[0])
    assert drawn["original"].values.tolist() == list(found.original)
    assert drawn["release"].values.tolist() == list(found.released)


def test_edges_stand_between_bins_and_none_outside():
    axes = draw([NUMBERS]).axes[0]
    assert ticks(axes) == {1.0: "20k", 2.0: "40k"}
    assert axes.get_xlim() == (0.0, 3.0)


def test_single_whole_numbers_and_levels_stand_under_their_groups():
    assert ticks(draw([WHOLE]).axes[0]) == {0.5: "≤1", 1.5: "2", 2.5: "≥3 ?"}
    assert ticks(draw([LEVELS]).axes[0]) == {0.5: "1", 1.5: "2", 2.5: "…", 3.5: "?"}


def test_signs_are_explained_where_they_stand():
    def legend(found):
        return [text.get_text() for text in draw(found).legends[0].get_texts()]

    assert legend([NUMBERS]) == ["original", "release"]
    assert legend([NUMBERS, LEVELS]) == [
        "original",
        "release",
        "… rare values together",
        "? missing",
    ]


def test_a_panel_for_each_column_and_no_axes_for_the_rest():
    figure = draw([NUMBERS, WHOLE, LEVELS, NUMBERS])
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles == ["wage", "age", "town", "wage", "", ""]
    assert [axes.axison for axes in figure.axes] == [True] * 4 + [False] * 2


def test_a_table_of_few_rows_shows_words_instead():
    axes = draw([EMPTY]).axes[0]
    assert not axes.patches
    assert axes.texts[0].get_text() == "fewer than 10 rows"


def test_no_columns_no_panels():
    figure = draw([])
    assert not figure.axes
    assert to_svg(figure, title="Nothing", description="").startswith("<svg")
