from __future__ import annotations

import numpy as np
from overlaps import find_overlaps

from swapmeet.inspecting.neighborhoods import Crowding
from swapmeet.plots.crowding import draw
from swapmeet.plots.svg import to_svg

FOUND = Crowding(5, 0.15, 100, (10.0, 20.0), (0.1, 0.2), ((40, 0, 12), (30, 10, 0), (0, 0, 0)), 8)


def test_cells_show_the_rows_and_blank_ones_nothing():
    mesh = draw(FOUND).axes[0].collections[0]
    shown = mesh.get_array()
    assert shown.filled(0).tolist() == np.array(FOUND.counts).T.tolist()
    assert np.ma.getmaskarray(shown).sum() == 5


def test_open_bins_are_as_wide_as_others_but_begin_with_the_least_there_can_be():
    """Neighbourhoods are of whole rows, and of k at least: 5 to 9, 10 to 19, 20 and more."""
    corners = draw(FOUND).axes[0].collections[0].get_coordinates()
    assert corners[0, :, 0].tolist() == [4.5, 9.5, 19.5, 29.5]
    assert corners[:, 0, 1].round(9).tolist() == [0.0, 0.1, 0.2, 0.3]


def test_sizes_and_rows_are_counted_in_whole_numbers():
    few = Crowding(3, 0.15, 26, (4.0, 5.0), (0.1,), ((12, 0), (0, 14), (0, 0)), 0)
    for found in (FOUND, few):
        figure = draw(found)
        axes, bar = figure.axes
        figure.draw_without_rendering()
        for ticks in (axes.get_xticks(), bar.get_yticks()):
            assert (ticks == np.rint(ticks)).all()
        assert find_overlaps(figure) == []


def test_lines_mark_k_and_eps_and_the_title_tells_what_is_left_out():
    axes = draw(FOUND).axes[0]
    marks = {line.get_label(): line.get_xydata().tolist() for line in axes.lines}
    assert marks["k = 5"][0][0] == 5
    assert marks["eps = 0.15"][0][1] == 0.15
    assert axes.get_title("left") == "100 rows; 8 in cells of fewer than 10 not shown"
    assert axes.get_xlabel() == "size of the neighbourhood (rows)"


def test_without_a_radius_there_is_one_size_and_no_line_for_it():
    found = Crowding(5, 0.0, 60, (), (0.1,), ((40, 20),), 0)
    axes = draw(found).axes[0]
    assert axes.get_xticks().tolist() == [5]
    assert [line.get_label() for line in axes.lines] == ["k = 5"]


def test_it_is_drawn_with_shapes():
    assert "<image" not in to_svg(draw(FOUND), title="Crowding", description="")
