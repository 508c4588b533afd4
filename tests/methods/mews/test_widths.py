from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.algorithms.groups.cells import (
    cells_of,
    depths_of,
    equi_width_privacy,
    minimal_depth,
    places_of,
)
from swapmeet.errors import UsageError
from swapmeet.methods.mews import ProposedWidth, candidate_widths


def test_by_hand():
    """At 1 each row is alone; the cells of 2, 3, 4 hold two rows each, those of 5 three or more."""
    column = np.array([20.0, 21.0, 24.0, 25.0, 28.0, 29.0])
    assert candidate_widths([column], upper=9.0, tried=9) == (
        ProposedWidth(2.0, 3, 2),
        ProposedWidth(5.0, 2, 3),
        ProposedWidth(9.0, 1, 6),
    )


def test_nothing_below_the_lower_bound_or_above_the_upper_one():
    column = np.array([20.0, 21.0, 24.0, 25.0, 28.0, 29.0])
    assert [c.width for c in candidate_widths([column], upper=5.0, tried=5)] == [2.0, 5.0]
    assert candidate_widths([column], upper=1.0, tried=4) == ()


def test_rows_without_company_leave_no_candidate():
    assert candidate_widths([np.array([0.0, 1.0, 100.0])], upper=50.0) == ()


def test_cells_end_where_a_stratum_does():
    column = np.array([0.0, 0.1, 1.0, 1.1])
    assert len(candidate_widths([column], upper=0.5)) == 1
    apart = np.array([0, 1, 0, 1], np.int32)
    assert candidate_widths([column], upper=0.5, strata=apart) == ()
    assert [c.degree for c in candidate_widths([column], upper=2.0, strata=apart)] == [2]


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=40),
    st.floats(0.5, 30),
    st.integers(1, 30),
)
def test_candidates_are_the_narrowest_of_each_depth(rows, upper, tried):
    columns = np.array(rows, float).T
    strata = np.zeros(len(rows), np.int32)
    depths = {
        width: minimal_depth(depths_of(cells_of([places_of(c, width) for c in columns], strata)))
        for width in (upper * step / tried for step in range(1, tried + 1))
    }
    found = candidate_widths(columns, upper=upper, tried=tried)
    assert {c.minimal_depth for c in found} == {d for d in depths.values() if d >= 2}
    assert [c.width for c in found] == sorted(c.width for c in found)
    for candidate in found:
        same = [w for w, depth in depths.items() if depth == candidate.minimal_depth]
        assert candidate.width == min(same)


def test_privacy_of_the_candidates_is_lemma_2():
    column = np.random.default_rng(1).normal(size=500)
    found = candidate_widths([column[np.abs(column) < 2]], upper=2.0)
    assert len(found) > 3
    chances = [1 / (c.minimal_depth - 1) for c in found]
    assert equi_width_privacy([c.minimal_depth for c in found]) == pytest.approx(np.mean(chances))


@pytest.mark.parametrize("wrong", [{"upper": 0.0}, {"upper": np.inf}, {"upper": 1.0, "tried": 0}])
def test_bounds_must_make_sense(wrong):
    with pytest.raises(UsageError, match="candidate_widths: give"):
        candidate_widths([np.arange(3.0)], **wrong)
    with pytest.raises(UsageError, match="candidate_widths: give"):
        candidate_widths([], upper=1.0)
