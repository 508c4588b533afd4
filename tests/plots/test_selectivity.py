from __future__ import annotations

import pytest

from swapmeet.errors import UsageError
from swapmeet.measures.side_by_side.selectivity import Selectivity, SelectivityPoint
from swapmeet.plots.selectivity import draw


def curve(column, errors):
    shares = [(i + 1) / len(errors) for i in range(len(errors))]
    points = (SelectivityPoint(s, 100, e, 4.0) for s, e in zip(shares, errors, strict=True))
    return Selectivity("job", column, tuple(points))


ONE, OTHER = curve("age", [2.0, 1.0]), curve("sex", [4.0, 3.0, 1.0])


def lines(figure):
    return {line.get_label(): line for line in figure.axes[0].lines[1:]}


def test_lines_show_errors_relative_to_a_blind_release():
    drawn = lines(draw([ONE, OTHER]))
    assert list(drawn) == ["counts of job by age", "counts of job by sex"]
    assert drawn["counts of job by age"].get_xydata().tolist() == [[0.5, 0.5], [1.0, 0.25]]
    assert drawn["counts of job by sex"].get_ydata().tolist() == [1.0, 0.75, 0.25]


def test_releases_are_named_by_their_labels():
    drawn = lines(draw({"rwn": ONE, "kl-theta": ONE}))
    assert list(drawn) == ["rwn", "kl-theta"]
    assert len({line.get_linestyle() for line in drawn.values()}) == 2


@pytest.mark.parametrize("curves", [[], [curve(f"c{i}", [1.0]) for i in range(7)]])
def test_no_curve_and_too_many_are_refused(curves):
    with pytest.raises(UsageError, match=f"1 to 6 curves; got {len(curves)}"):
        draw(curves)


def test_the_axis_names_the_columns_that_are_selected_by():
    [axes] = draw([ONE, OTHER]).axes
    assert axes.get_xlabel() == "share of the values of age and sex that a query selects"
    [axes] = draw({"rwn": ONE, "kl-theta": ONE}).axes
    assert axes.get_xlabel() == "share of the values of age that a query selects"
