from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.plots import risk_utility_map
from swapmeet.plots.style import assign_strokes
from swapmeet.plots.svg import to_svg


def line(figure, name):
    """The points of the line with this name."""
    found = [one for one in figure.axes[0].lines if one.get_label() == name]
    assert found, name
    return np.column_stack(found[0].get_data()).tolist()


def intervals(figure):
    """The ends of each interval."""
    return [path.vertices for c in figure.axes[0].collections for path in c.get_paths()]


def labels(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_candidates_stand_at_their_median_risk_and_loss(small):
    figure = risk_utility_map.draw(small)
    assert line(figure, "rwn") == [pytest.approx([0.3, 0.3]), pytest.approx([0.1, 0.7])]
    assert line(figure, "sjppds") == [pytest.approx([0.2, 0.25])]


def test_candidates_that_break_a_limit_are_hollow(small):
    figure = risk_utility_map.draw(small)
    assert line(figure, "_unable rwn") == [pytest.approx([0.6, 0.1])]
    assert line(figure, "_unable sjppds") == [pytest.approx([0.7, 0.4])]
    faces = {one.get_label(): one.get_markerfacecolor() for one in figure.axes[0].lines}
    assert faces["_unable rwn"] == "none" != faces["rwn"]
    assert "breaks a limit" in legend(figure)


def test_limits_that_are_no_line_stand_in_the_legend(small):
    figure = risk_utility_map.draw(small.under(limit={"dbrl": 0.5, "dcr": 0.9}))
    assert "breaks a limit: dcr at least 0.9" in legend(figure)


def test_frontier_is_a_step_line_with_the_intervals_of_its_medians(small):
    figure = risk_utility_map.draw(small)
    assert line(figure, "frontier") == [
        pytest.approx(place) for place in ([0.1, 0.7], [0.2, 0.25], [0.6, 0.1])
    ]
    bars = intervals(figure)
    across = [b.tolist() for b in bars if b[0][1] == b[1][1]]
    assert pytest.approx(np.array([[0.18, 0.25], [0.22, 0.25]])) in [np.array(b) for b in across]


def test_best_and_runner_up_are_named_and_circled(small):
    figure = risk_utility_map.draw(small)
    assert labels(figure) == ["best: sjppds bins=5", "runner-up: rwn k=10 q=1 weights=1"]
    assert line(figure, "_best") == [pytest.approx([0.2, 0.25])]
    assert line(figure, "_runner-up") == [pytest.approx([0.3, 0.3])]


def test_line_of_equal_scores_goes_through_the_best(study_of):
    for balance, slope in ((0.5, -1.0), (0.75, -3.0), (0.0, 0.0)):
        study = study_of({sm.RWN(): (0.2, 0.3), sm.SJPPDS(): (0.9, 0.9)}, balance=balance)
        lines = risk_utility_map.draw(study).axes[0].lines
        drawn = next(one for one in lines if one.get_label() == "as good as the best")
        assert drawn.get_slope() == pytest.approx(slope)
        assert drawn.get_xy1() == pytest.approx((0.2, 0.3))


def test_all_weight_on_risk_makes_an_upright_line(study_of):
    study = study_of({sm.RWN(): (0.2, 0.3), sm.SJPPDS(): (0.9, 0.9)}, balance=1.0)
    assert line(risk_utility_map.draw(study), "as good as the best")[0][0] == pytest.approx(0.2)


def test_limits_on_the_axes_are_lines(small):
    figure = risk_utility_map.draw(small.under(limit={"risk": 0.4, "loss": 0.5, "dbrl": 0.5}))
    assert [x for x, _ in line(figure, "limit: risk at most 0.4")] == [0.4, 0.4]
    assert [y for _, y in line(figure, "limit: loss at most 0.5")] == [0.5, 0.5]


def test_a_limit_on_the_only_measure_of_an_axis_is_a_line(small):
    """The study's risk is dbrl alone."""
    figure = risk_utility_map.draw(small)
    assert [x for x, _ in line(figure, "limit: dbrl at most 0.5")] == [0.5, 0.5]
    left, right = figure.axes[0].get_xlim()
    assert left < 0.5 < right


def test_the_map_shows_where_the_candidates_are_and_says_what_lies_beyond(study_of):
    near = {sm.RWN(k=k): (0.01 + k / 1000, 0.03 - k / 1000) for k in (5, 10, 15)}
    study = study_of({**near, sm.Noise(): (0.9, 0.02), sm.SJPPDS(): (0.8, 0.9)}, {"risk": 0.1})
    axes = risk_utility_map.draw(study).axes[0]
    assert 0.1 < axes.get_xlim()[1] < 0.2
    assert axes.get_ylim()[1] < 0.2
    assert axes.get_title("right") == "2 settings lie beyond the right or upper edge"


def test_a_limit_far_beyond_all_candidates_is_said_to_be_beyond_the_edge(study_of):
    study = study_of({sm.RWN(): (0.02, 0.3), sm.Noise(): (0.03, 0.1)}, {"risk": 0.9})
    figure = risk_utility_map.draw(study)
    assert figure.axes[0].get_xlim()[1] < 0.1
    assert "limit: risk at most 0.9 (beyond the edge)" in legend(figure)


def test_nothing_is_said_of_what_lies_beyond_where_all_is_shown(study_of):
    axes = risk_utility_map.draw(study_of({sm.RWN(): (0.2, 0.3), sm.Noise(): (0.9, 0.1)})).axes[0]
    assert axes.get_title("right") == ""


def test_intervals_of_all_candidates_are_there_and_in_view(study_of):
    study = study_of({sm.RWN(): (0.2, 0.3), sm.Noise(): (0.3, 0.4)})
    figure = risk_utility_map.draw(study)
    assert len(intervals(figure)) == 4
    assert figure.axes[0].get_xlim()[1] > 0.32


def test_a_single_run_has_no_interval_and_the_axes_say_so(once, small):
    figure = risk_utility_map.draw(once)
    assert intervals(figure) == []
    assert figure.axes[0].get_xlabel() == "risk (one run; lower is safer)"
    several = risk_utility_map.draw(small).axes[0]
    assert several.get_ylabel() == "loss (median over 3 runs; lower is better)"


def test_methods_without_a_marker_are_not_in_the_legend(study_of):
    study = study_of({sm.RWN(): (0.2, 0.3), sm.Noise(): (np.nan, np.nan)})
    assert "noise" not in legend(risk_utility_map.draw(study))


def test_where_nothing_keeps_the_limits_the_nearest_is_named(small):
    figure = risk_utility_map.draw(small.under(limit={"dbrl": 0.01}))
    assert labels(figure) == ["nearest to the limits: rwn k=200 q=1 weights=1"]
    assert "as good as the best" not in legend(figure)


def test_a_study_without_figures_says_so(study_of):
    assert labels(risk_utility_map.draw(study_of({sm.KLTheta(): None}))) == [
        "no setting has a risk and a loss"
    ]


def boxes(figure):
    figure.draw_without_rendering()
    return [text.get_bbox_patch().get_window_extent() for text in figure.axes[0].texts]


@pytest.mark.parametrize("study", ["small", "crowded", "twins"])
def test_labels_do_not_overlap_and_stay_in_the_picture(study, request):
    figure = risk_utility_map.draw(request.getfixturevalue(study))
    found = boxes(figure)
    assert len(found) == 2
    assert not any(one.overlaps(other) for one, other in combinations(found, 2))
    frame = figure.axes[0].get_window_extent().padded(4.0)
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in found)
    assert all(frame.y0 <= box.y0 and box.y1 <= frame.y1 for box in found)


@pytest.fixture
def twins(study_of):
    """Best and runner-up at nearly the same place."""
    return study_of({sm.RWN(): (0.2, 0.3), sm.SJPPDS(): (0.2, 0.301), sm.Noise(): (0.9, 0.9)})


@pytest.mark.slow
def test_500_candidates_are_all_there(crowded):
    figure = risk_utility_map.draw(crowded)
    names = {name for method in assign_strokes(crowded) for name in (method, f"_unable {method}")}
    drawn = [one for one in figure.axes[0].lines if one.get_label() in names]
    count = sum(len(one.get_xdata()) for one in drawn)
    assert count == len(crowded.candidates) == 500


def test_the_same_study_gives_the_same_picture(small):
    one, other = (
        to_svg(risk_utility_map.draw(small), title="map", description="all") for _ in range(2)
    )
    assert one == other
