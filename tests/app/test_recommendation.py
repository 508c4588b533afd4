from __future__ import annotations

import pytest

from swapmeet.app.recommendation import Option, choose_candidate, list_trials, recommend


def option(number, risk, loss, within=True, checked=True):
    return Option(number, f"setting {number}", risk, loss, within, checked)


SAFE = option(1, 0.1, 0.2)
CHEAP = option(2, 0.3, 0.05, within=False)
CHEAPEST = option(3, 0.9, 0.01, within=False)
SAFER = option(4, 0.02, 0.4)
SAFEST = option(5, 0.0, 0.9)
ALL = [SAFE, CHEAP, CHEAPEST, SAFER, SAFEST]


def test_the_neighbours_on_both_sides_are_the_alternatives():
    found = recommend(ALL, 1)
    assert (found.best, found.less_loss, found.less_risk) == (SAFE, CHEAP, SAFER)


def test_at_an_end_there_is_no_alternative():
    assert recommend(ALL, 3).less_loss is None
    assert recommend(ALL, 5).less_risk is None


def test_figures_that_are_alike_are_no_alternative():
    found = recommend([SAFE, option(6, 0.1004, 0.1996)], 1)
    assert (found.less_loss, found.less_risk) == (None, None)


def test_what_was_measured_in_full_comes_before_a_first_look():
    glance = option(7, 0.2, 0.06, within=False, checked=False)
    assert recommend([SAFE, glance, CHEAPEST], 1).less_loss == CHEAPEST
    assert recommend([SAFE, glance], 1).less_loss == glance


def test_without_a_best_there_is_nothing_to_recommend():
    assert recommend(ALL, None) is None
    assert recommend([], 1) is None


def test_the_least_loss_within_the_limits_is_chosen_then_the_least_risk():
    assert choose_candidate(ALL) == 1
    assert choose_candidate([SAFE, option(8, 0.05, 0.2)]) == 8


@pytest.mark.parametrize(("options", "number"), [([CHEAP, CHEAPEST], 2), ([], None)])
def test_where_nothing_keeps_the_limits_the_least_risk_is_looked_at(options, number):
    assert choose_candidate(options) == number


def test_trials_without_figures_are_left_out():
    one = {"number": 1, "method": "rank-swap", "label": "rank-swap window=0.1", "failure": None,
           "medians": {"linkage": 0.1, "loss": 0.2}, "unfavourable": {"linkage": 0.25},
           "checked": True}  # fmt: skip
    study = {"limits": {"linkage": 0.2}, "candidates": [
        one, {**one, "medians": {"linkage": None, "loss": 0.1}}, {**one, "failure": "no"},
    ]}  # fmt: skip
    (found,) = list_trials(study)
    assert (found.title, found.within) == ("Rank swapping: window=0.1", False)
