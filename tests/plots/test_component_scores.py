from __future__ import annotations

import numpy as np
from overlaps import find_overlaps

from swapmeet.measures.side_by_side.components import ComponentScores
from swapmeet.plots.component_scores import draw
from swapmeet.plots.svg import to_svg

FOUND = ComponentScores(
    ("a", "b"), (0.7, 0.3), (-1.0, 1.0), (0.0,),
    ((40, 0), (30, 10), (0, 12)), ((25, 15), (30, 10), (0, 0)), 8, 20,
)  # fmt: skip


def test_cells_show_the_rows_and_blank_ones_nothing():
    one, other = draw(FOUND).axes[:2]
    for axes, counts in ((one, FOUND.original), (other, FOUND.released)):
        [mesh] = axes.collections
        assert mesh.get_array().filled(0).tolist() == np.array(counts).T.tolist()
        assert np.ma.getmaskarray(mesh.get_array()).sum() == 2


def test_both_tables_have_the_same_axes_and_colours():
    one, other = draw(FOUND).axes[:2]
    assert one.get_xlim() == other.get_xlim()
    assert one.collections[0].get_clim() == other.collections[0].get_clim() == (0, 40)


def test_words_say_what_is_left_out_and_what_the_axes_are():
    figure = draw(FOUND)
    titles = [axes.get_title("left") for axes in figure.axes[:2]]
    assert titles[0] == "original: 8 rows in cells\nof fewer than 10 not shown"
    assert figure.get_supxlabel() == "score on component 1 (70% of the variance)"
    assert figure.axes[0].get_ylabel() == "score on component 2 (30%)"


def test_labels_do_not_touch_and_shapes_are_drawn():
    figure = draw(FOUND)
    assert find_overlaps(figure) == []
    assert "<image" not in to_svg(figure, title="Scores", description="")


def test_one_cell_is_drawn():
    lonely = ComponentScores(("a", "b"), (0.7, 0.3), (), (), ((40,),), ((40,),), 0, 0)
    assert draw(lonely).axes[0].collections[0].get_array().shape == (1, 1)
