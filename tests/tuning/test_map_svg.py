from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from swapmeet.tuning.study_html import PixelAxis

FIGURES = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@given(FIGURES)
def test_every_figure_lies_on_the_axis(values):
    axis = PixelAxis.of(values, 50.0, 500.0)
    assert all(50.0 <= axis.place(value) <= 500.0 for value in values)


@given(FIGURES)
def test_an_axis_has_a_few_round_figures(values):
    axis = PixelAxis.of(values, 50.0, 500.0)
    assert 2 <= len(axis.ticks) <= 9
    assert all(50.0 <= axis.place(tick) <= 500.0 for tick in axis.ticks)


@given(FIGURES, st.floats(0, 1), st.floats(0, 1))
def test_a_larger_figure_lies_further_along(values, one, two):
    axis = PixelAxis.of([*values, one, two], 50.0, 500.0)
    assert (axis.place(one) <= axis.place(two)) == (one <= two) or axis.place(one) == axis.place(
        two
    )
