from __future__ import annotations

import json

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.errors import ParameterError
from swapmeet.measures.overall import LOSS, RISK
from swapmeet.measures.registry import MEASURES
from swapmeet.tuning.goal import Goal


def test_the_goal_of_the_sjppds_paper_is_the_overall_score_of_the_card(numbers, masked):
    release = masked(numbers, sm.RWN(k=5), seed=1)
    card = sm.assess(numbers, release, measures=[*RISK, *LOSS])
    found = Goal.of_sjppds_paper().of({score.measure: score.value for score in card})
    assert found == pytest.approx(
        {n: getattr(card.overall(), n) for n in ("risk", "loss", "score")}, abs=1e-12
    )
    assert 0 < found["score"] < 1


def test_the_default_risk_is_the_verdict_s_and_defined_for_synthetic_rows(numbers, masked):
    card = sm.assess(numbers, masked(numbers, sm.Cart(), seed=1), measures=["linkage", "dbrl"])
    assert list(Goal().risk) == ["linkage"]
    assert card["dbrl"].undefined
    assert 0.0 <= card["linkage"].value <= 1.0


def test_equation_7_has_half_of_dr3_and_a_sixth_of_each_loss():
    goal = Goal.of_sjppds_paper(synthetic=True)
    found = goal.of({"dr3": 0.6, "propensity": 0.3, "pil": 0.6, "cbil": 0.0})
    assert found["score"] == pytest.approx(0.6 / 2 + (0.3 + 0.6 + 0.0) / 6)


def test_a_journal_without_a_goal_has_the_one_that_its_measures_allow():
    assert Goal.of_measured([*RISK, *LOSS, "margins"]) == Goal.of_sjppds_paper()
    assert Goal.of_measured([*Goal().measures, *RISK, *LOSS]) == Goal()


def test_weights_and_balance_by_hand():
    goal = Goal(risk={"dbrl": 2.0, "pscr": 1.0}, loss={"pil": 1.0}, balance=0.25)
    found = goal.of({"dbrl": 0.3, "pscr": 0.0, "pil": 0.8, "cbil": np.nan})
    assert found == pytest.approx({"risk": 0.2, "loss": 0.8, "score": 0.65})


def test_arrays_are_taken_figure_by_figure():
    goal = Goal(risk={"dbrl": 1.0}, loss={"pil": 1.0})
    found = goal.of({"dbrl": np.array([0.0, 1.0]), "pil": np.array([1.0, np.nan])})
    assert found["score"][0] == 0.5
    assert np.isnan(found["score"][1])


def test_more_is_better_counts_as_what_is_lacking():
    better = [
        n for n, m in MEASURES.items() if m.direction == "higher" and np.isfinite(m.bounds[1])
    ]
    for name in better:
        axis = "risk" if MEASURES[name].family == "risk" else "loss"
        goal = Goal(**{axis: {name: 1.0}})
        values = dict.fromkeys(goal.measures, 0.0)
        assert goal.of(values | {name: MEASURES[name].bounds[1]})[axis] == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"risk": {"dcr": 1.0}}, "'dcr' has no upper bound and cannot be weighted; set a limit"),
        ({"risk": {"pil": 1.0}}, "'pil' is not a measure of risk; choose from "),
        ({"loss": {"dbrl": 1.0}}, "'dbrl' is not a measure of loss"),
        ({"risk": {}}, "name at least one measure of risk"),
        ({"risk": {"dbrl": 0.0}}, "the weight of 'dbrl' must be a number above 0"),
        ({"risk": {"dbrl": np.inf}}, "the weight of 'dbrl'"),
        ({"risk": {"dbrl": "much"}}, "the weight of 'dbrl'"),
        ({"balance": 1.5}, "`balance`, the weight of the risk, must be in [0, 1]"),
        ({"balance": np.nan}, "`balance`"),
    ],
)
def test_what_is_no_goal_is_refused(options, message):
    with pytest.raises(ParameterError) as caught:
        Goal(**options)
    assert message in str(caught.value)


def test_a_goal_survives_json():
    goal = Goal(risk={"dbrl": 2.0, "rid": 1.0}, balance=0.3)
    assert Goal.from_dict(json.loads(json.dumps(goal.to_dict()))) == goal


def test_the_sentence_names_weights_only_where_they_differ():
    assert Goal().sentence == (
        "The best setting has the least loss among those that keep all limits; of equals, the "
        "least risk. Risk is linkage; loss is the mean of margins, relations, screened-propensity."
    )
    assert "Score = 0.7 x risk + 0.3 x loss" in Goal(balance=0.7).sentence
    assert "dbrl (weight 2), rid (weight 1)" in Goal(risk={"dbrl": 2, "rid": 1}).sentence
