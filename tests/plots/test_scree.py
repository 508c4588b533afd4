from __future__ import annotations

import numpy as np
import pytest
from overlaps import find_overlaps

from swapmeet.measures.side_by_side.components import Components
from swapmeet.plots.scree import draw

FOUND = Components(
    tuple("abc"), (0.6, 0.3, 0.1), (0.5, 0.3, 0.2), ((1.0, 0.0, 0.0),), ((1.0, 0.0, 0.0),)
)


def test_lines_show_the_shares_and_their_sums():
    each, together = draw(FOUND).axes
    for line, shares in zip(
        each.lines, (FOUND.original_shares, FOUND.released_shares), strict=True
    ):
        assert line.get_xdata().tolist() == [1, 2, 3]
        assert line.get_ydata() == pytest.approx(shares)
    for line, shares in zip(
        together.lines, (FOUND.original_shares, FOUND.released_shares), strict=True
    ):
        assert line.get_ydata() == pytest.approx(np.cumsum(shares))


def test_tables_are_told_apart():
    each = draw(FOUND).axes[0]
    assert [text.get_text() for text in each.get_legend().get_texts()] == ["original", "release"]
    assert len({line.get_marker() for line in each.lines}) == 2
    assert each.get_ylabel() == "share of the variance"


def shares(number):
    return Components(("a",) * number, *([(1.0 / number,) * number] * 2), ((1.0,),), ((1.0,),))


@pytest.mark.parametrize("number", [2, 3, 5, 11, 20, 33])
def test_components_are_counted_in_whole_numbers_from_one(number):
    figure = draw(shares(number))
    for axes in figure.axes:
        ticks = axes.get_xticks()
        assert ticks[0] == 1
        assert (ticks == np.rint(ticks)).all()
        assert ticks[-1] <= min(number, 20)
    assert find_overlaps(figure) == []


def test_of_many_components_the_first_are_drawn_and_it_says_so():
    assert draw(shares(33)).get_suptitle() == "the first 20 of 33 components"
    assert draw(shares(5)).get_suptitle() == ""


def test_rounded_shares_are_all_of_the_variance_in_the_end():
    rough = Components(tuple("abc"), (0.33, 0.33, 0.33), (0.5, 0.4, 0.11), ((1.0,),), ((1.0,),))
    for line in draw(rough).axes[1].lines:
        assert line.get_ydata()[-1] == pytest.approx(1.0)
