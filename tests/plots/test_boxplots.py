from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from overlaps import find_overlaps

import swapmeet as sm
from swapmeet.errors import ParameterError
from swapmeet.plots import boxplots
from swapmeet.plots.style import PAPER, STROKES


def panels(figure):
    return {
        axes.get_title(loc="left").split("\n")[0]: axes
        for axes in figure.axes
        if axes.get_visible()
    }


def box(axes, method):
    """The ends of the box of a method, and its face."""
    [patch] = [one for one in axes.patches if one.get_label() == f"_box {method}"]
    return patch.get_path().vertices[:, 0], patch.get_facecolor()


def test_panels_are_the_summaries_the_limits_and_the_measures_of_the_goal(small):
    assert list(panels(boxplots.draw(small))) == ["risk", "loss", "score", "dbrl", "pil"]


def test_the_direction_stands_on_each_panel(small):
    titles = {
        axes.get_title(loc="left") for axes in panels(boxplots.draw(small, ["dcr", "pil"])).values()
    }
    assert titles == {"dcr\nhigher is better", "pil\nlower is better"}


def test_boxes_hold_the_repeats_of_the_best_candidate_of_each_method(small):
    axes = panels(boxplots.draw(small))["risk"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["sjppds", "rwn"]
    ends, _ = box(axes, "rwn")
    repeats = np.array([0.28, 0.3, 0.32])
    assert (ends.min(), ends.max()) == pytest.approx(tuple(np.quantile(repeats, [0.25, 0.75])))
    medians = [one.get_xdata()[0] for one in axes.lines if one.get_linewidth() == 1.6]
    assert medians == pytest.approx([0.2, 0.3])


def test_methods_of_which_nothing_keeps_the_limits_are_hollow(study_of):
    from matplotlib.colors import to_rgb

    study = study_of({sm.RWN(): (0.3, 0.1), sm.SJPPDS(): (0.1, 0.8)}, {"dbrl": 0.2})
    axes = panels(boxplots.draw(study))["risk"]
    assert box(axes, "rwn")[1][:3] == to_rgb(PAPER)
    assert box(axes, "sjppds")[1][:3] != to_rgb(PAPER)


def test_a_limit_is_a_line_in_its_panel_only(small):
    found = panels(boxplots.draw(small))
    lines = {name: [one for one in axes.lines if one.get_label() == "_limit"]
             for name, axes in found.items()}  # fmt: skip
    assert [name for name, own in lines.items() if own] == ["dbrl"]
    assert lines["dbrl"][0].get_xdata()[0] == 0.5


def test_a_measure_without_a_value_is_said_to_be_not_defined(study_of):
    study = study_of({sm.RWN(): (0.3, 0.1), sm.SJPPDS(): (0.1, 0.8)})
    for candidate in study.candidates:
        candidate.repeats["dcr"][:] = np.nan
    [axes] = panels(boxplots.draw(study, ["dcr"])).values()
    assert [text.get_text() for text in axes.texts] == ["not defined"] * 2


def test_unknown_measures_are_refused(small):
    with pytest.raises(ParameterError, match="'dbr' was not measured; did you mean 'dbrl'"):
        boxplots.draw(small, ["dbr"])
    with pytest.raises(ParameterError, match="at least one"):
        boxplots.draw(small, [])


def test_eight_methods_fit(crowded):
    figure = boxplots.draw(crowded)
    figure.draw_without_rendering()
    labels = panels(figure)["risk"].get_yticklabels()
    boxes = [label.get_window_extent() for label in labels]
    assert len(boxes) == 8
    assert all(upper.y0 >= lower.y1 for upper, lower in pairwise(boxes))


def test_a_single_run_is_a_point_and_no_box(once):
    axes = panels(boxplots.draw(once))["risk"]
    assert not axes.patches
    assert [len(one.get_xdata()) for one in axes.lines] == [1] * len(axes.lines)


def test_methods_have_the_colours_of_the_map(small):
    from matplotlib.colors import to_rgb

    axes = panels(boxplots.draw(small))["risk"]
    for method in ("rwn", "sjppds"):
        assert box(axes, method)[1][:3] == to_rgb(STROKES[method].colour)


def test_labels_do_not_touch(crowded):
    assert find_overlaps(boxplots.draw(crowded)) == []
