from __future__ import annotations

import pytest

from swapmeet.app.recommendation import choose_candidate, find_alternatives
from swapmeet.app.run import Kind, Run


def candidate(number, risk, loss, *, safe=True):
    facts = {"risk": risk, "loss": loss, "safe": safe}
    return Run(kind=Kind.CANDIDATE, case="a", title="", commands=(), number=number, facts=facts)


SAFE = candidate(1, 0.1, 0.2)
CHEAP = candidate(2, 0.3, 0.05, safe=False)
CHEAPEST = candidate(3, 0.9, 0.01, safe=False)
SAFER = candidate(4, 0.02, 0.4)
SAFEST = candidate(5, 0.0, 0.9)
UNMEASURED = candidate(6, None, None)
ALL = [SAFE, CHEAP, CHEAPEST, SAFER, SAFEST, UNMEASURED]


def test_the_neighbours_on_both_sides_are_the_alternatives():
    assert find_alternatives(ALL, SAFE) == {"loss": CHEAP, "risk": SAFER}


def test_at_an_end_there_is_no_alternative():
    assert set(find_alternatives(ALL, CHEAPEST)) == {"risk"}
    assert set(find_alternatives(ALL, SAFEST)) == {"loss"}


def test_figures_that_are_alike_are_no_alternative():
    assert find_alternatives([SAFE, candidate(7, 0.1004, 0.1996)], SAFE) == {}


def test_what_has_no_figures_has_no_alternatives():
    assert find_alternatives(ALL, UNMEASURED) == {}


def test_the_least_loss_within_the_limits_is_chosen_then_the_least_risk():
    assert choose_candidate(ALL) == SAFE
    safer = candidate(8, 0.05, 0.2)
    assert choose_candidate([SAFE, safer]) == safer


@pytest.mark.parametrize(("runs", "best"), [([CHEAP, CHEAPEST], CHEAP), ([UNMEASURED], None)])
def test_where_nothing_keeps_the_limits_the_least_risk_is_looked_at(runs, best):
    assert choose_candidate(runs) == best
