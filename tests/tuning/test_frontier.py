from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.tuning.candidate import Candidate
from swapmeet.tuning.frontier import (
    FINALISTS,
    LOOKS,
    compare_aims,
    compare_finalists,
    explain_defeat,
    find_frontier,
    find_leaders,
    find_undominated,
    list_untried,
    select_comparable,
)
from swapmeet.tuning.trial import Setting, Trial
from swapmeet.tuning.trial_table import TrialTable

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


def test_leaders_are_the_best_of_each_method_in_the_order_of_their_scores(small):
    found = [(leader.candidate.label, leader.keeps_limits) for leader in find_leaders(small)]
    assert found == [("sjppds bins=5", True), ("rwn k=10 q=1 weights=1", True)]


def test_a_method_that_keeps_no_limit_comes_last_with_its_best_score(study_of):
    study = study_of({sm.RWN(k=5): (0.3, 0.1), sm.SJPPDS(): (0.1, 0.8)}, {"dbrl": 0.2})
    assert [(leader.method, leader.keeps_limits) for leader in find_leaders(study)] == [
        ("sjppds", True),
        ("rwn", False),
    ]


def test_a_method_that_failed_has_no_leader(small):
    assert "kl-theta" not in {leader.method for leader in find_leaders(small)}
    found = next(leader for leader in find_leaders(small) if leader.method == "rwn")
    assert found is not None
    assert found.candidate.median("risk") == pytest.approx(0.3)


def test_a_method_without_a_score_does_not_lead(small):
    trials, values = TrialTable(), dict.fromkeys(small.setup.measures, 0.5)
    for method, owned in ((sm.Cart(), False), (sm.RWN(k=3), True)):
        figures = values if owned else dict.fromkeys(values, np.nan)
        trials.add(Trial(Setting.of(method), 0, 0.1, figures, owned=owned))
    leaders = find_leaders(replace(small, trials=trials, limits={}))
    assert [leader.method for leader in leaders] == ["rwn"]


def test_the_chosen_one_leads_its_method_and_the_others_say_why_they_lost(study_of):
    study = study_of(
        {sm.RWN(k=5): (0.3, 0.1), sm.SJPPDS(): (0.1, 0.2), sm.MEDS(k=3): (0.15, 0.5)},
        {"dbrl": 0.2},
    )
    found = {leader.method: explain_defeat(leader, study) for leader in find_leaders(study)}
    assert next(iter(found)) == "sjppds"
    assert found["sjppds"] == "chosen"
    assert found["rwn"] == "breaks a limit: dbrl 0.3 (at most 0.2)"
    assert "loss 0.3 higher" in found["meds"]


def test_methods_that_the_search_never_reached_are_named(small):
    assert list_untried(replace(small, sought=("rwn", "sjppds", "meds"))) == ["meds"]


def still(number, value, goal):
    """A candidate in which chance has no part."""
    figures = {"pscr": np.array([value]), "margins": np.array([value])}
    setting = Setting.of(sm.Microaggregation(k=number))
    return Candidate(number, setting, {**figures, **goal.of(figures)}, goal=goal)


def test_without_chance_the_difference_is_exact(cheap):
    found = compare_aims(still(3, 0.5, cheap), still(4, 0.25, cheap))
    assert (found.value, found.interval, found.decided) == (0.25, (0.25, 0.25), True)
    assert compare_aims(still(3, 0.5, cheap), still(4, 0.5, cheap)).tied


@pytest.mark.parametrize("repeats", [[0.1], [0.1, 0.1]])
def test_fewer_than_three_repeats_decide_nothing(candidate, cheap, repeats):
    found = compare_aims(candidate(1, 0.9, 0.9), candidate(2, repeats, 0.1))
    assert not found.known
    assert not found.decided
    assert found.to_dict()["interval"] is None


def test_the_interval_is_welch_s(candidate):
    """By hand: means 0.25 and 0.05, squared standard errors 0.0025/3 and 0, two degrees."""
    from scipy.stats import t

    one, other = candidate(1, [0.4, 0.5, 0.6], 0.0), candidate(2, [0.1, 0.1, 0.1], 0.0)
    found = compare_aims(one, other)
    reach = t.ppf(1 - 0.05 / (2 * LOOKS * (FINALISTS - 1)), 2) * np.sqrt(0.0025 / 3)
    assert found.interval == pytest.approx((0.2 - reach, 0.2 + reach))


def test_a_search_rarely_calls_a_difference_decided_that_is_none(candidate):
    """250 searches of six equal settings, looked at after 5, 10 and 20 repeats.

    At most 5 in 100 may err: 12.5 ± 3.4; more than 27 happen less than once in 10,000 runs.
    """
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(250):
        risks = rng.normal(0.3, 0.05, (FINALISTS, 20))
        wrong += any(
            found.decided
            for repeats in (5, 10, 20)
            for found in compare_finalists(
                [candidate(n, row[:repeats], 0.1) for n, row in enumerate(risks, 1)]
            )
        )
    assert wrong <= 27


def test_a_true_difference_is_decided_by_twenty_repeats(candidate):
    """The means lie four standard errors of their difference apart and more: 0.9 of 100 fail."""
    rng = np.random.default_rng(6)
    found = [
        compare_aims(
            candidate(1, rng.normal(0.5, 0.05, 20), 0.1),
            candidate(2, rng.normal(0.4, 0.05, 20), 0.1),
        ).decided
        for _ in range(100)
    ]
    assert sum(found) >= 95
