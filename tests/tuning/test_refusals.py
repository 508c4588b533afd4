from __future__ import annotations

import swapmeet as sm
from swapmeet.tuning.plan import ExhaustivePlan
from swapmeet.tuning.refusals import Refusal, RefusalReport, find_refusals
from swapmeet.tuning.trial import Setting, Trial
from swapmeet.tuning.trial_table import TrialTable


def test_what_cannot_be_tried_is_told_once_and_before_the_first_trial(table, cheap):
    heard, done = [], []

    def listen(refusals):
        assert not done
        heard.append(refusals)

    sm.tune(
        table, ["noise:level=0.1|0.2|0.3", "sjppds:bins=3"], goal=cheap, limit={}, measures=[],
        repeats=1, final_repeats=1, workers=1, on_refusals=listen, on_progress=done.append,
    )  # fmt: skip
    (told,) = heard
    assert [(one.methods, one.settings, one.of) for one in told] == [(("noise",), 3, 3)]
    assert told[0].sentence.startswith("noise cannot mask 'sex'")
    assert done


def test_where_only_some_settings_are_refused_it_says_how_many():
    told = Refusal(("rwn",), 2, 5, "rwn: too few rows.").sentence
    assert told == "rwn (2 of 5 settings): too few rows."


def test_one_reason_with_other_numbers_is_one_line(bins):
    trials = TrialTable()
    for number in (3, 5, 8):
        trials.add(Trial(bins(number), 0, 0.1, {}, f"sjppds: {number} of 9 strata are too small."))
    trials.add(Trial(Setting.of(sm.RWN()), 0, 0.1, {}, "rwn: 2 of 9 strata are too small."))
    (refusal,) = find_refusals(trials, [bins(12)])
    assert (refusal.methods, refusal.settings, refusal.of) == (("sjppds", "rwn"), 4, 5)
    assert refusal.sentence == ("sjppds and rwn (4 of 5 settings): 3 of 9 strata are too small.")


def test_a_method_that_fails_for_what_no_setting_changes_is_left_alone(bins):
    trials = TrialTable()
    settings = [bins(number) for number in range(3, 30)]
    for setting in settings[:3]:
        assert not trials.is_refused(settings[-1])
        trials.add(Trial(setting, 0, 0.1, {}, "sjppds: 2 strata are too small."))
    assert trials.is_refused(settings[-1])
    assert ExhaustivePlan(settings, trials, 5).next() is None
    (refusal,) = find_refusals(trials, settings)
    assert (refusal.settings, refusal.of) == (27, 27)


def test_a_reason_that_speaks_of_a_parameter_leaves_other_values_open(bins):
    trials = TrialTable()
    for number in (3, 5, 8):
        trials.add(Trial(bins(number), 0, 0.1, {}, "sjppds: `bins` is too small."))
    assert not trials.is_refused(bins(12))
    trials.add(Trial(bins(9), 0, 0.1, {"pscr": 0.1}))
    assert not trials.is_refused(bins(12))


def test_new_reasons_are_reported_as_soon_as_they_are_known(bins):
    trials, heard = TrialTable(), []
    report = RefusalReport(trials, [bins(3)], heard.append)
    report.update()
    assert heard == []
    for number in (3, 5):
        trials.add(Trial(bins(number), 0, 0.1, {}, f"sjppds: {number} strata are too small."))
        report.update()
    assert len(heard) == 1


def test_one_reason_about_several_columns_is_one_line(bins):
    trials = TrialTable()
    for number, name in ((3, "job"), (5, "health"), (8, "vote")):
        message = f"sjppds: column '{name}' has 2 values; `bins` = {number}. Lower `bins`."
        trials.add(Trial(bins(number), 0, 0.1, {}, message))
    (refusal,) = find_refusals(trials)
    assert refusal.sentence == "sjppds: column 'job' has 2 values; `bins` = 3. Lower `bins`."
