from __future__ import annotations

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.comparison.comparison import Ownership
from swapmeet.errors import InputError, LimitError, ParameterError
from swapmeet.tuning import Goal, apply, tune
from swapmeet.tuning.chosen_release import select_for_report

pytestmark = pytest.mark.filterwarnings("ignore::swapmeet.SwapmeetWarning")


@pytest.fixture(scope="module")
def study(numbers, cheap):
    schema = sm.Schema.infer(numbers).assign(keep=["hours"])
    return tune(
        numbers, ["sjppds:bins=3|30", "microaggregation:k=10", "rwn:k=1000"], goal=cheap,
        measures=["dcr"], limit={"pscr": 0.9}, repeats=2, seed=1, workers=1, schema=schema,
    )  # fmt: skip


def test_the_best_setting_masks_the_table_and_the_release_is_measured(study, numbers):
    done = apply(study, numbers, seed=3)
    assert done.candidate is study.best
    again = sm.mask(numbers, study.best.method, schema=study.setup.schema, seed=3)
    assert done.release.data.equals(again.data)
    assert done.release.method == study.best.setting.name
    assert not done.release.data[["age", "wage"]].equals(numbers[["age", "wage"]])
    assert done.release.data["hours"].equals(numbers["hours"])
    assert set(done.card.scores) == {"pscr", "margins", "dcr"}
    assert done.card["pscr"].value == sm.assess(
        numbers, again, schema=study.setup.schema, measures=["pscr"]
    )["pscr"].value  # fmt: skip
    assert done.missed == {}


def test_a_report_also_measures_the_losses_that_every_release_is_measured_by(study):
    names = [measure.name for measure in select_for_report(study)]
    assert len(names) == len(set(names))
    assert {*study.setup.measures, "ties", "spread", "relations"} <= set(names)
    assert "linkage" in study.setup.measures or "linkage" not in names


def test_any_candidate_may_be_taken_by_its_number(study, numbers):
    for candidate in study.candidates:
        if candidate.failure:
            continue
        done = apply(study, numbers, candidate=candidate.number)
        assert (done.release.method, done.candidate) == (candidate.setting.name, candidate)
        assert done.release.settings == candidate.setting.settings


def test_numbers_of_no_candidate_and_of_a_failed_one_are_refused(study, numbers):
    failed = next(c.number for c in study.candidates if c.failure)
    for number in (0, -1, 99, failed):
        with pytest.raises(
            ParameterError, match=f"no candidate {number}, or its method failed; .* 1 "
        ):
            apply(study, numbers, candidate=number)


def test_another_table_is_refused(study, numbers):
    other = numbers.copy()
    other.loc[7, "wage"] += 0.01
    for table in (other, numbers.iloc[::-1], numbers.iloc[1:]):
        with pytest.raises(InputError, match="the study was made with another table"):
            apply(study, table)
    with pytest.raises(InputError, match="wage"):
        apply(study, numbers.drop(columns="wage"))


def test_a_table_with_other_columns_is_refused_by_naming_them(study, numbers):
    with pytest.raises(InputError, match="with the column wage, which this one lacks"):
        apply(study, numbers.drop(columns="wage"))
    with pytest.raises(InputError, match="without the column more, which this one has"):
        apply(study, numbers.assign(more=1))
    with pytest.raises(InputError, match="with columns of other types"):
        apply(study, numbers.assign(wage="much"))


def test_limits_that_this_release_misses_are_told_with_its_figures(study, numbers):
    strict = study.under(limit={"pscr": 0.0, "score": 1.0, "dcr": 1e9})
    done = apply(strict, numbers, candidate=next(c.number for c in study.candidates))
    assert done.missed.keys() == {"pscr", "dcr"}
    assert done.missed["pscr"] == done.card["pscr"].interval[1] > done.card["pscr"].value > 0
    assert done.missed["dcr"] == done.card["dcr"].interval[0]
    assert [reason.met for reason in done.card.verdict.reasons] == [False, False]
    with pytest.raises(LimitError):
        apply(strict, numbers)


def test_limits_on_risk_loss_and_score_are_those_of_this_release(study, numbers):
    done = apply(study.under(limit={"loss": 0.0, "risk": 1.0}), numbers, candidate=1)
    assert done.missed == {"loss": done.card["margins"].value}


def test_synthetic_rows_meet_no_limit_on_owners_even_if_sorting_would(numbers):
    goal = Goal(risk={"dbrl-sorted": 1.0}, loss={"margins": 1.0})
    study = tune(
        numbers, ["cart"], goal=goal, measures=[], limit={"dbrl": 1.0}, repeats=1, workers=1, seed=1
    )
    done = apply(study, numbers, candidate=1)
    assert done.card.ownership is Ownership.NOBODY
    assert done.card["dbrl-sorted"].keeps(1.0)
    assert done.missed.keys() == {"dbrl"}
    assert np.isnan(done.missed["dbrl"])
    assert not done.card.verdict.safe
    with pytest.raises(LimitError):
        _ = study.best


def test_limits_that_nobody_chose_are_called_the_default_ones(study, numbers, monkeypatch):
    assert not apply(study, numbers, seed=3).card.verdict.default
    where = "swapmeet.tuning.chosen_release.list_default_limits"
    monkeypatch.setattr(where, lambda roles: dict(study.limits))
    assert apply(study, numbers, seed=3).card.verdict.default
