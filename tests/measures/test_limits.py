from __future__ import annotations

import numpy as np
import pytest

from swapmeet.comparison.comparison import Ownership
from swapmeet.comparison.score import Direction, Family, Score
from swapmeet.errors import ParameterError
from swapmeet.measures.limits import (
    bounds,
    check_limits,
    choose_default_limits,
    keeps,
    parse_limits,
    sign,
)


def test_limits_are_on_measures_or_on_what_the_goal_makes_of_them():
    limits = {"dbrl": 0.2, "dcr": 0.1, "risk": 0.3, "loss": 1, "score": 0.0}
    assert check_limits(limits) == limits
    assert parse_limits(["dbrl = 0.2", "score=0.4"]) == {"dbrl": 0.2, "score": 0.4}


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"dbrk": 0.2}, "no measure 'dbrk'; did you mean 'dbrl'?"),
        ({"scores": 0.2}, "did you mean 'score'"),
        ({"dbrl": 1.2}, "dbrl lies between 0 and 1; got 1.2"),
        ({"dbrl": -0.1}, "got -0.1"),
        ({"dcr": -1.0}, "dcr is 0 or more"),
        ({"dbrl": np.nan}, "that of dbrl must be a finite number"),
        ({"dcr": np.inf}, "that of dcr must be a finite number"),
        ({"dbrl": "0.2"}, "that of dbrl must be a finite number"),
        ({"dbrl": True}, "that of dbrl must be a finite number"),
        ({"risk": 2}, "risk lies between 0 and 1"),
    ],
)
def test_what_cannot_be_a_limit_is_refused_with_the_reason(limits, message):
    with pytest.raises(ParameterError) as caught:
        check_limits(limits)
    assert message in str(caught.value)


def test_all_problems_are_told_together():
    with pytest.raises(ParameterError) as caught:
        check_limits({"dbrk": 0.2, "pscr": 7})
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize("text", ["dbrl", "dbrl=", "dbrl=low", "=", "dbrl=0.1=0.2"])
def test_a_text_that_is_no_limit_is_refused(text):
    with pytest.raises(ParameterError, match=r"write NAME=NUMBER, such as dbrl=0\.2"):
        parse_limits([text])


def test_two_limits_on_one_measure_are_refused_unless_they_are_the_same():
    with pytest.raises(ParameterError, match=r"dbrl has two limits, 0.2 and 0.3"):
        parse_limits(["dbrl=0.2", "dbrl=0.3"])
    assert parse_limits(["dbrl=0.2", "dbrl=0.20"]) == {"dbrl": 0.2}


def test_not_a_number_is_refused_as_such():
    with pytest.raises(ParameterError, match="that of dbrl must be a finite number"):
        parse_limits(["dbrl=nan"])


def test_a_limit_is_kept_on_the_better_side_and_at_the_limit():
    assert keeps("dbrl", np.array([0.1, 0.2, 0.3, np.nan]), 0.2).tolist() == [
        True, True, False, False,
    ]  # fmt: skip
    assert keeps("dcr", np.array([0.1, 0.2, 0.3, np.nan]), 0.2).tolist() == [
        False, True, True, False,
    ]  # fmt: skip
    assert keeps("score", 0.2, 0.2)
    assert (sign("dbrl"), sign("dcr"), sign("score")) == ("at most", "at least", "at most")
    assert bounds("score") == (0.0, 1.0)


@pytest.mark.parametrize(("applies", "limited"), [(True, True), (False, False)])
def test_whole_households_are_judged_unless_there_are_none(applies, limited):
    unknown = Score(
        "household-linkage", np.nan, "", Direction.LOWER, (0, 1), Family.RISK,
        undefined="it is not known", applies=applies,
    )  # fmt: skip
    limits = choose_default_limits(Ownership.UNKNOWN, {"household-linkage": unknown})
    assert ("household-linkage" in limits) is limited
