from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from swapmeet.plots.style import look
from swapmeet.plots.ticks import choose_numbers, measure_text, set_counts, write_number


def widths(text):
    with look():
        figure = Figure(dpi=72)
        return figure.text(0, 0, text, size=8.0).get_window_extent().width


@pytest.mark.parametrize("text", ["1950", "−2×10⁻⁹", "2001-07-15", "200k", "2.5M", "≥15 ?"])
def test_labels_are_not_wider_than_was_reckoned(text):
    assert widths(text) <= measure_text(text)


@given(low=st.floats(-1e9, 1e9), span=st.floats(1e-6, 1e9), points=st.floats(30.0, 400.0))
def test_numbers_lie_inside_and_have_room(low, span, points):
    high = low + span
    ticks = choose_numbers(low, high, points)
    assert ticks
    places = np.array(sorted(ticks))
    assert (places >= low).all()
    assert (places <= high).all()
    gaps = np.diff(places) * points / (high - low)
    halves = np.array([measure_text(ticks[place]) / 2 for place in places])
    assert (gaps > halves[1:] + halves[:-1]).all()


def test_years_are_years():
    assert list(choose_numbers(1950.0, 1999.0, 150.0).values()) == ["1950", "1960", "1970", "1980",
                                                                    "1990"]  # fmt: skip


@given(st.floats(-1e30, 1e30).filter(lambda x: not 0.0 < abs(x) < 1e-30))
def test_numbers_are_short(value):
    assert len(write_number(value)) <= 13


@pytest.mark.parametrize("most", [1, 2, 3, 7, 250])
def test_an_axis_that_counts_has_whole_numbers(most):
    with look():
        axes = Figure().subplots()
        axes.set_ylim(0, most)
        set_counts(axes)
        ticks = axes.get_yticks()
    assert (ticks == np.rint(ticks)).all()
    assert len(ticks) >= 2
