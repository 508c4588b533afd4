from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.tuning.frontier import find_frontier, find_undominated, select_comparable

STEPS = st.integers(0, 8).map(lambda step: step / 8)
POINTS = st.lists(st.tuples(STEPS, STEPS), min_size=1, max_size=12)


def arrays(points):
    return tuple(np.array(points, float).reshape(-1, 2).T)


def is_beaten(point, points):
    return any(o != point and o[0] <= point[0] and o[1] <= point[1] for o in points)


@given(POINTS)
def test_undominated_points_are_those_that_brute_force_finds(points):
    expected = [not is_beaten(point, points) for point in points]
    assert find_undominated(*arrays(points)).tolist() == expected


def test_the_frontier_goes_from_the_least_risk_to_the_least_loss(candidate):
    found = find_frontier(
        [candidate(1, 0.6, 0.1), candidate(2, 0.1, 0.9), candidate(3, 0.6, 0.2),
         candidate(4, 0.3, 0.3)]
    )  # fmt: skip
    assert [point.candidate.number for point in found] == [2, 4, 1]
    assert [(point.risk, point.loss) for point in found] == [(0.1, 0.9), (0.3, 0.3), (0.6, 0.1)]


def test_equal_candidates_come_once_and_the_first_of_them(candidate):
    found = find_frontier([candidate(n, 0.2, 0.2) for n in (5, 6, 7)])
    assert [point.candidate.number for point in found] == [5]


def test_the_chance_is_one_where_repeats_agree(candidate):
    tight = [candidate(1, [0.1, 0.11, 0.12], 0.5), candidate(2, [0.5, 0.51, 0.52], 0.1)]
    assert [point.chance for point in find_frontier(tight)] == [1.0, 1.0]


def test_the_chance_is_small_where_luck_put_it_there(candidate):
    """The second has the lower median by a hair, and mostly not when repeats are drawn anew."""
    steady = candidate(1, [0.2] * 5, 0.2)
    lucky = candidate(2, [0.199, 0.19, 0.1, 0.9, 0.95], [0.2] * 5)
    points = {p.candidate.number: p for p in find_frontier([steady, lucky])}
    assert points.keys() == {2}
    assert 0.5 < points[2].chance < 0.8
    assert find_frontier([steady, lucky])[0].chance == points[2].chance


def test_candidates_without_figures_are_never_on_it(candidate, bins):
    from swapmeet.tuning.candidate import Candidate

    failed, open_one = Candidate(1, bins(1), {}, "refused"), candidate(2, np.nan, 0.0)
    assert find_frontier([failed, open_one]) == []
    assert [p.candidate.number for p in find_frontier([failed, open_one, candidate(3, 1, 1)])] == [
        3
    ]


def test_only_candidates_with_a_risk_and_a_loss_are_compared(candidate):
    """Synthetic rows have no risk where the goal needs owners."""
    owned, ownerless = candidate(1, 0.9, 0.9), candidate(2, np.nan, 0.0, owned=False)
    assert select_comparable([owned, ownerless]) == [owned]
    assert [p.candidate.number for p in find_frontier([ownerless, owned])] == [1]
    known = candidate(3, 0.0, 0.0, owned=False)
    assert [p.candidate.number for p in find_frontier([known, owned])] == [3]
