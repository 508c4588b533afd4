from __future__ import annotations

import numpy as np

from swapmeet.reporting.scores import MOST, group_scores, summarize_search
from swapmeet.reporting.sources import Sources
from swapmeet.tuning.study import Study
from swapmeet.tuning.trial import Setting, Trial
from swapmeet.tuning.trial_table import TrialTable


def rows(sources):
    return {row["measure"]: row for family in group_scores(sources) for row in family["scores"]}


def test_scores_of_the_release_stand_beside_the_medians_of_the_search(study, card, release):
    sources = Sources.gather(study, study=None, card=card, release=release)
    found = rows(sources)["dbrl"]
    assert found["value"] == card["dbrl"].value
    assert found["interval"] == list(card["dbrl"].interval)
    assert found["tuned"]["median"] == study.best.median("dbrl")
    assert found["tuned"]["repeats"] == 3
    assert found["limit"] == {"value": 0.5, "sign": "at most"}
    assert found["met"] is card["dbrl"].keeps(0.5)


def test_values_of_single_rows_and_details_are_left_out(card):
    found = rows(Sources(card=card))
    assert card["pscr"].records is not None
    assert not {"records", "details"} & set(found["pscr"])


def test_a_study_alone_has_medians_only(study):
    found = rows(Sources(study=study))
    assert found["dbrl"]["value"] is None
    assert found["dbrl"]["tuned"]["median"] == study.best.median("dbrl")


def test_risk_comes_before_utility(card):
    assert [family["family"] for family in group_scores(Sources(card=card))] == ["Risk", "Utility"]


def test_chosen_runner_up_frontier_and_best_of_each_method_are_listed(study):
    told = summarize_search(study)
    why = {row["setting"]: row["why"] for row in told["candidates"]}
    assert why[study.best.label][0] == "chosen"
    assert "runner-up" in why[study.choice.runner_up.label]
    assert any("best of nbrs" in reasons for reasons in why.values())
    for point in study.frontier():
        assert "frontier" in why[point.candidate.label]


def test_figures_are_medians_and_intervals(study):
    [row] = [r for r in summarize_search(study)["candidates"] if "chosen" in r["why"]]
    assert row["figures"]["risk"]["median"] == study.best.median("risk")
    assert row["figures"]["dbrl"]["interval"] == list(study.best.interval("dbrl"))
    assert list(row["figures"]) == ["risk", "loss", "dbrl"]
    assert row["within_limits"] is True


def test_methods_that_refuse_are_told_with_their_messages(study):
    failures = summarize_search(study)["failures"]
    assert [(one["method"], one["settings"]) for one in failures] == [("noise", 1)]
    assert failures[0]["message"].startswith("noise cannot mask 'town & region'")


def test_a_long_frontier_is_thinned_and_the_rest_counted(study):
    trials = TrialTable()
    names = study.setup.measures
    for k in range(2, 202):
        values = dict.fromkeys(names, 0.5)
        share = k / 202
        values |= dict.fromkeys(study.goal.risk, share)
        values |= dict.fromkeys(study.goal.loss, (1.0 - share) ** 2)
        trials.add(Trial(Setting("rwn", {"k": k}), 0, 0.1, values))
    long = Study(study.setup, trials, {}, study.goal)
    assert len(long.frontier()) == 200
    told = summarize_search(long)
    assert MOST <= len(told["candidates"]) <= MOST + 2
    assert told["not_listed"] == 200 - len(told["candidates"])
    risks = [row["figures"]["risk"]["median"] for row in told["candidates"]]
    assert np.all(np.diff(risks) > 0)
    assert np.diff(risks).max() < 0.05
