from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.measures.side_by_side.bins import FARTHEST, MOST, calendar_edges, write_moment

DAY = 86_400.0
SECONDS = st.floats(-6e10, 1e11).map(round)


@given(first=SECONDS, span=st.integers(1, 10**11), unit=st.sampled_from([DAY, 1.0, 1e-3, 1e-9]))
def test_edges_lie_inside_are_few_and_rise(first, span, unit):
    values = np.linspace(first, first + span, 200) / unit
    edges = calendar_edges(values, unit)
    assert len(edges) <= MOST
    assert all(values.min() < edge <= values.max() for edge in edges)
    assert edges == sorted(set(edges))


@given(first=st.integers(-50_000, 20_000), days=st.integers(2, 30_000))
def test_whole_days_are_cut_between_days(first, days):
    edges = calendar_edges(np.arange(first, first + days, dtype=np.float64), DAY)
    assert edges
    assert all(edge == round(edge) for edge in edges)
    assert not any(":" in write_moment(edge, DAY) for edge in edges)


def test_decades_of_dates_are_cut_at_years():
    edges = calendar_edges(np.arange(0.0, 20_000.0), DAY)
    assert [write_moment(edge, DAY) for edge in edges[:2]] == ["1975", "1980"]


def test_weeks_inside_one_month_are_cut_at_days():
    edges = calendar_edges(np.arange(0.0, 22.0), DAY)
    assert [write_moment(edge, DAY) for edge in edges[:2]] == ["1970-01-03", "1970-01-05"]


def test_one_moment_and_moments_beyond_the_calendar_have_no_edges():
    assert calendar_edges(np.full(9, 5.0), DAY) == []
    assert calendar_edges(np.array([0.0, 10 * FARTHEST]), 1.0) == []
    assert calendar_edges(np.array([]), 1.0) == []
