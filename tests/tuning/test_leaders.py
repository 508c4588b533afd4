from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.tuning.frontier import explain_defeat, find_leaders, list_untried
from swapmeet.tuning.trial import Setting, Trial
from swapmeet.tuning.trial_table import TrialTable


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
