from __future__ import annotations

import pytest
from overlaps import find_overlaps

from swapmeet.measures.side_by_side.models import Influence
from swapmeet.plots.influence import draw
from swapmeet.plots.svg import to_svg

FOUND = Influence("wage ~ age", (0.001, 0.01), (100, 50, 12), (90, 60, 12), 0.35, 0.04)


def test_outlines_and_marks_show_the_counts_and_the_largest():
    axes = draw(FOUND).axes[0]
    steps = {step.get_label(): step.get_data() for step in axes.patches}
    assert steps["original"].values.tolist() == [100, 50, 12]
    assert steps["release"].values.tolist() == [90, 60, 12]
    assert steps["original"].edges[1:-1].tolist() == [0.001, 0.01]
    assert {line.get_xdata()[0] for line in axes.lines} == {0.35, 0.04}
    assert axes.get_xscale() == "log"
    assert axes.get_xlim()[1] > 0.35


def test_words_say_what_is_what():
    figure = draw(FOUND)
    assert figure.axes[0].get_title("left") == "wage ~ age"
    assert "Cook's distance" in figure.axes[0].get_xlabel()
    written = [text.get_text() for text in figure.legends[0].get_texts()]
    assert written == [
        "original",
        "release",
        "largest of the original: 0.35",
        "largest of the release: 0.04",
    ]


@pytest.mark.parametrize(
    "found",
    [
        Influence("y ~ x", (), (50,), (50,), 0.0, 0.0),
        Influence("y ~ x", (), (), (), 0.5, 0.4),
    ],
)
def test_a_perfect_fit_and_one_of_few_rows_can_be_drawn(found):
    assert to_svg(draw(found), title="Influence", description="").startswith("<svg")


def test_labels_do_not_touch():
    edges = tuple(10.0**power for power in range(-12, 0))
    found = Influence("wage ~ age", edges, (40,) * 13, (40,) * 13, 0.35, 0.04)
    assert find_overlaps(draw(found)) == []
