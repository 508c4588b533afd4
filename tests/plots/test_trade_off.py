from __future__ import annotations

import numpy as np
import pytest
from overlaps import find_overlaps

import swapmeet as sm
from swapmeet.errors import ParameterError
from swapmeet.plots import trade_off
from swapmeet.plots.style import STROKES


def panels(figure):
    return {
        axes.get_title(loc="left").split(" ")[0]: axes for axes in figure.axes if axes.get_visible()
    }


def curves(axes):
    """The points of each line, by its label."""
    return {
        one.get_label(): np.column_stack(one.get_data()).tolist()
        for one in axes.lines
        if not one.get_label().startswith(("_chosen", "_limit"))
    }


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.fixture(scope="module")
def grid(study_of):
    """RWN over k and q: risk falls with both, loss rises with both."""
    return study_of(
        {sm.RWN(k=k, q=q): (q / k, q * k / 200) for k in (2, 10, 50, 100) for q in (0.5, 1.0)},
        {"dbrl": 0.3},
    )


def test_there_is_a_panel_for_risk_loss_score_and_each_limited_measure(grid):
    found = panels(trade_off.draw(grid, "rwn", "k"))
    assert list(found) == ["risk", "loss", "score", "dbrl"]
    assert found["risk"].get_title(loc="left") == "risk (lower is better)"


def test_lines_are_medians_of_candidates_that_differ_in_the_parameter_only(grid):
    best = grid.best.setting.settings
    assert (best["k"], best["q"]) == (10, 0.5)
    [line] = curves(panels(trade_off.draw(grid, "rwn", "k"))["risk"]).values()
    assert line == [pytest.approx([k, 0.5 / k]) for k in (2, 10, 50, 100)]


def test_bands_are_intervals(grid):
    axes = panels(trade_off.draw(grid, "rwn", "k"))["risk"]
    corners = axes.collections[0].get_paths()[0].vertices
    at_10 = corners[np.isclose(corners[:, 0], 10.0), 1]
    assert (at_10.min(), at_10.max()) == pytest.approx((0.05 - 0.02, 0.05 + 0.02))


def test_a_second_parameter_gives_a_line_for_each_of_its_values(grid):
    figure = trade_off.draw(grid, "rwn", "k", by="q")
    found = curves(panels(figure)["loss"])
    assert list(found) == ["q = 0.5", "q = 1.0"]
    assert found["q = 1.0"] == [pytest.approx([k, k / 200]) for k in (2, 10, 50, 100)]
    assert legend(figure)[:2] == list(found)


def test_the_limit_and_the_chosen_value_are_marked(grid):
    figure = trade_off.draw(grid, "rwn", "k")
    found = panels(figure)
    marks = {one.get_label(): one for one in found["dbrl"].lines}
    assert marks["_limit of dbrl: at most 0.3"].get_ydata()[0] == 0.3
    assert marks["_chosen"].get_xdata()[0] == 10
    assert not any("limit" in one.get_label() for one in found["risk"].lines)
    assert legend(figure) == ["chosen value of k", "limit of dbrl: at most 0.3"]


def test_the_best_of_another_method_is_not_called_chosen(small):
    assert "best value of k" in legend(trade_off.draw(small, "rwn", "k"))


def test_values_that_span_more_than_a_factor_of_20_stand_on_a_logarithmic_axis(grid, small):
    assert panels(trade_off.draw(grid, "rwn", "k"))["risk"].get_xscale() == "log"
    assert panels(trade_off.draw(grid, "rwn", "q"))["risk"].get_xscale() == "linear"
    assert panels(trade_off.draw(small, "sjppds", "bins"))["risk"].get_xscale() == "linear"


def test_words_stand_in_a_row(study_of):
    study = study_of({sm.Microaggregation(by=by): (0.1, 0.2) for by in ("pca", "mdav")})
    axes = panels(trade_off.draw(study, "microaggregation", "by"))["score"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["mdav", "pca"]
    assert [x for [points] in [curves(axes).values()] for x, _ in points] == [0.0, 1.0]


def test_many_values_of_the_second_parameter_are_thinned_around_the_best(study_of):
    study = study_of({sm.RWN(k=k, q=q / 20): (0.3, abs(q - 7) / 20) for k in (5, 9)
                      for q in range(1, 21)})  # fmt: skip
    found = curves(panels(trade_off.draw(study, "rwn", "k", by="q"))["risk"])
    assert len(found) == 6
    assert "q = 0.35" in found


def test_varied_parameters_are_those_with_several_values(grid, small):
    assert trade_off.list_varied_parameters(grid, "rwn") == ["k", "q"]
    assert trade_off.list_varied_parameters(small, "sjppds") == ["bins"]


def test_parameters_that_only_vary_together_make_no_line(study_of):
    study = study_of({sm.RWN(k=k, q=k / 100): (0.3, k / 200) for k in (2, 10, 50)})
    assert trade_off.list_varied_parameters(study, "rwn") == []


def test_the_legend_fits_the_picture(grid):
    limits = dict.fromkeys(("risk", "loss", "score", "dbrl", "pil"), 0.3)
    figure = trade_off.draw(grid.under(limit=limits), "rwn", "k")
    assert len(legend(figure)) == 6
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0.0
    assert box.x1 <= figure.bbox.x1


def test_a_measure_that_is_never_negative_has_no_negative_figures_on_its_axis(study_of):
    study = study_of({sm.RWN(k=k): (0.0, k / 200) for k in (2, 10)})
    low, high = panels(trade_off.draw(study, "rwn", "k"))["risk"].get_ylim()
    assert -0.05 * high <= low <= 0.0


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (("rwm", "k"), "'rwm' was not tried; did you mean 'rwn'"),
        (("rwn", "kk"), "rwn has no parameter 'kk'; did you mean 'k'"),
        (("kl-theta", "k"), "no setting of kl-theta has a score"),
    ],
)
def test_unknown_names_are_refused(small, ask, message):
    with pytest.raises(ParameterError, match=message):
        trade_off.draw(small, *ask)


def test_a_parameter_is_not_drawn_by_itself(small):
    with pytest.raises(ParameterError, match="another parameter"):
        trade_off.draw(small, "rwn", "k", by="k")


def test_lines_have_the_colour_of_their_method(grid):
    [line] = [one for one in panels(trade_off.draw(grid, "rwn", "k"))["risk"].lines
              if not one.get_label().startswith(("_chosen", "_limit"))]  # fmt: skip
    assert line.get_color() == STROKES["rwn"].colour


def test_a_single_run_has_no_band(once):
    axes = panels(trade_off.draw(once, "rwn", "k"))["risk"]
    assert not axes.collections


def test_labels_do_not_touch(grid):
    assert find_overlaps(trade_off.draw(grid, "rwn", "k", by="q")) == []
