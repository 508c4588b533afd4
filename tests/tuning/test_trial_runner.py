from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import swapmeet as sm
from swapmeet.comparison.comparison import Ownership
from swapmeet.engines import Local
from swapmeet.measures.utility.prediction import Prediction
from swapmeet.tuning.trial import Setting

MEASURES = (
    "dbrl", "rid", "sdid", "pscr", "dcr", "uniqueness", "margins", "correlations", "propensity",
    "pil", "cbil", "coefficients",
)  # fmt: skip


def seed_of(runner, setting, repeat):
    """The seed of a trial as a number, so that mask() can be given it."""
    return int.from_bytes(runner.root.derive(setting.key, repeat).key, "little")


def figures(card, measures):
    """What a card says."""
    return {name: card[name].value for name in measures}


def both(prepare, data, method, schema=None, measures=MEASURES, repeat=0, known=None):
    """The figures of a trial, and those of mask() and assess() with its seed."""
    schema = schema or sm.Schema.infer(data)
    runner, _ = prepare(data, schema=schema, measures=measures, known=known)
    setting = Setting.of(method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = runner.with_shared_work().trial(setting, repeat)
        release = sm.mask(data, method, schema=schema, seed=seed_of(runner, setting, repeat))
        card = sm.assess(data, release, schema=schema, measures=measures, known=known)
    assert trial.failure == ""
    return trial, card


def same(one, other):
    return one.keys() == other.keys() and all(
        np.array_equal(one[n], other[n], equal_nan=True) for n in one
    )


# a trial's figures are those of its release


@pytest.mark.parametrize(
    "method",
    [
        sm.Microaggregation(k=3),
        sm.Microaggregation(k=4, by="pca"),
        sm.Noise(level=0.3),
        sm.RankSwap(window=0.2),
        sm.RWN(k=5),
        sm.SJPPDS(bins=7),
        sm.MEDS(k=5),
        sm.Cart(),
        sm.DataShuffle(),
    ],
    ids=lambda m: m.name,
)
def test_of_numbers_also_where_made_ones_are_rounded(prepare, numbers, method):
    trial, card = both(prepare, numbers, method)
    assert same(trial.values, figures(card, MEASURES))
    assert numbers["age"].dtype.kind == "i"
    assert np.isfinite(trial.values["dbrl"]) == trial.owned
    assert trial.ends["uniqueness"] >= trial.values["uniqueness"]


@pytest.mark.parametrize(
    ("method", "roles"),
    [
        (sm.RWN(k=5, weights=0.2), {}),
        (sm.RWN(k=4), {"keep": ["region"], "sensitive": ["wage"]}),
        (sm.RWN(k=3, q=0.6), {"strata": ["region"], "drop": ["hours"]}),
        (sm.NBRS(eps=0.6), {"keep": ["sex"]}),
        (sm.KLTheta(k=6, l=2, theta=0.7), {"sensitive": ["wage"], "drop": ["grade"]}),
        (sm.Cart(min_leaf=3), {"keep": ["region"]}),
        (sm.PerColumn(parts=[(sm.RWN(k=3), ["age", "sex"]), (sm.Noise(), ["wage"])]), {}),
    ],
    ids=lambda value: value.name if hasattr(value, "name") else "",
)
def test_of_levels_missing_values_kept_columns_and_strata(prepare, table, method, roles):
    measures = ("dbrl", "pscr", "dcr", "uniqueness", "margins", "propensity", "cbil")
    schema = sm.Schema.guess(table, {}).assign(**roles)
    trial, card = both(prepare, table, method, schema, measures)
    assert same(trial.values, figures(card, measures))
    assert trial.values["pscr"] > 0 or not trial.owned


def test_of_values_made_in_a_column_that_misses_some(prepare, table):
    data = table[["age", "hours"]].assign(wage=table["wage"], visits=pd.array([1, 2, None] * 20))
    schema = sm.Schema.guess(data, {"visits": "numeric"})
    measures = ("pscr", "dcr", "margins")
    trial, card = both(prepare, data, sm.Noise(level=0.4), schema, measures)
    assert same(trial.values, figures(card, measures))


@pytest.mark.parametrize("method", [sm.Microaggregation(k=3), sm.RWN(k=4)], ids=lambda m: m.name)
def test_of_tables_of_any_library(prepare, numbers, method):
    setting, schema = Setting.of(method), sm.Schema.infer(numbers)
    tables = (numbers, pl.from_pandas(numbers), pa.Table.from_pandas(numbers))
    found = [prepare(table, schema=schema)[0].trial(setting, 0) for table in tables]
    assert [trial.failure for trial in found] == ["", "", ""]
    assert found[0].values == found[1].values == found[2].values


def test_of_what_an_intruder_is_said_to_know(prepare, numbers):
    trial, card = both(prepare, numbers, sm.RWN(k=4), known=["age"], measures=("dbrl", "pscr"))
    assert same(trial.values, figures(card, ("dbrl", "pscr")))
    other, _ = both(prepare, numbers, sm.RWN(k=4), measures=("dbrl", "pscr"))
    assert other.values != trial.values


def test_of_any_repeat_and_each_repeat_has_its_own(prepare, numbers):
    found = []
    for repeat in range(3):
        trial, card = both(prepare, numbers, sm.RWN(k=5), measures=("pscr",), repeat=repeat)
        assert same(trial.values, figures(card, ("pscr",)))
        found.append(trial.values["pscr"])
    assert len(set(found)) == 3


def test_lists_that_trials_share_change_no_figure_but_by_chance(prepare, table):
    """Draws from lists have the same law, not the same cells: 3.5 sigma of 60 repeats."""
    runner, _ = prepare(table, measures=("pscr", "margins"))
    shared = replace(runner, neighbours=12).with_shared_work()
    setting = Setting.of(sm.RWN(k=5, q=0.8))
    alone, together = (
        np.array([list(one.trial(setting, repeat).values.values()) for repeat in range(60)])
        for one in (runner, shared)
    )
    error = np.hypot(alone.std(axis=0), together.std(axis=0)) / np.sqrt(60)
    assert (np.abs(alone.mean(axis=0) - together.mean(axis=0)) < 3.5 * error).all()


def test_the_length_of_shared_lists_changes_no_figure_at_all(prepare, numbers):
    runner, _ = prepare(numbers, measures=("pscr", "margins"))
    setting = Setting.of(sm.RWN(k=5))
    shared = [replace(runner, neighbours=most).with_shared_work() for most in (5, 12, 30)]
    found = [one.trial(setting, 0).values for one in shared]
    assert found[0] == found[1] == found[2]


# the truth


def test_a_method_that_moves_whole_records_hides_nobody(prepare, numbers):
    """Every record is released as it was, in another place: all are found, and not none."""
    trial, _ = both(prepare, numbers, sm.MEDS(k=5), measures=("dbrl", "pscr"))
    assert trial.values == {"dbrl": 1.0, "pscr": 1.0}
    assert trial.owned


@pytest.mark.parametrize("method", [sm.Cart(), sm.DataShuffle()], ids=lambda m: m.name)
def test_synthetic_rows_are_nobody_s_and_no_measure_stands_in_for_another(prepare, numbers, method):
    measures = ("dbrl", "dbrl-sorted", "pscr", "dcr")
    trial, card = both(prepare, numbers, method, measures=measures)
    assert card.ownership is Ownership.NOBODY
    assert not trial.owned
    assert np.isnan([trial.values["dbrl"], trial.values["pscr"]]).all()
    assert trial.values["dbrl-sorted"] == card["dbrl-sorted"].value


def test_a_column_left_as_it_is_ties_synthetic_rows_to_owners_for_those_who_know_it(
    prepare, numbers
):
    schema = sm.Schema.infer(numbers).assign(keep=["hours"])
    trial, card = both(prepare, numbers, sm.Cart(), schema, measures=("dbrl", "pscr"))
    assert card.ownership is Ownership.NOBODY
    assert not trial.owned
    known = tuple(numbers)
    trial, card = both(prepare, numbers, sm.Cart(), schema, measures=("dbrl", "pscr"), known=known)
    assert card.ownership is Ownership.TRUE
    assert trial.owned
    assert trial.values["pscr"] == card["pscr"].value > 0


def test_shuffling_with_predictors_keeps_owners(prepare, numbers):
    method = sm.DataShuffle(predictors=["age"])
    trial, card = both(prepare, numbers, method, measures=("dbrl",))
    assert trial.owned
    assert card.ownership is Ownership.TRUE


# what goes wrong


def test_a_setting_that_the_table_does_not_suit_is_refused_with_the_method_s_words(prepare, table):
    runner, _ = prepare(table)
    assert "noise cannot mask 'sex', 'region', nominal columns" in runner.refusal(
        Setting.of(sm.Noise())
    )  # fmt: skip
    assert runner.refusal(Setting.of(sm.RWN(k=3))) == ""


def test_a_method_that_fails_leaves_its_message(prepare, numbers):
    trial = prepare(numbers)[0].trial(Setting.of(sm.RWN(k=1000)), 2)
    assert "`k` = 1000" in trial.failure
    assert trial.values == {}
    assert trial.repeat == 2


@pytest.mark.parametrize(
    "error", [ValueError, TypeError, AttributeError, ZeroDivisionError, MemoryError, AssertionError]
)
def test_an_unforeseen_error_is_told_by_its_kind_only(prepare, numbers, monkeypatch, error):
    """Words of other libraries may quote a value."""

    def fail(*_):
        raise error("secret-4711")

    monkeypatch.setattr(Local, "run", fail)
    trial = prepare(numbers)[0].trial(Setting.of(sm.RWN(k=3)), 0)
    assert trial.failure == (f"something unforeseen happened ({error.__name__}); please report it.")


def test_an_interrupt_is_no_failure(prepare, numbers, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Local, "run", stop)
    with pytest.raises(KeyboardInterrupt):
        prepare(numbers)[0].trial(Setting.of(sm.RWN(k=3)), 0)


def test_repr_tells_the_size_only(prepare, numbers):
    assert repr(prepare(numbers)[0]) == "<TrialRunner of 60 rows>"


def test_prediction_masks_the_training_part_only(prepare, numbers, monkeypatch):
    """The rows on which the model is tested are as they were, and the others are not."""
    seen = []
    score = Prediction.score

    def look(self, comparison):
        seen.append(comparison)
        return score(self, comparison)

    monkeypatch.setattr(Prediction, "score", look)
    runner, _ = prepare(numbers, measures=["pscr", "prediction", "margins"])
    trial = runner.trial(Setting.of(sm.RWN(k=5)), 0)
    assert not trial.failure
    assert list(trial.values) == ["pscr", "prediction", "margins"]
    (comparison,) = seen
    train, test = Prediction().split(comparison)
    before, after = (
        np.stack([v.values for v in data.variables])
        for data in (comparison.original, comparison.released)
    )
    assert (before[:, test] == after[:, test]).all()
    assert (before[:, train] != after[:, train]).any()
    own = [np.isin(after[:, train][j], before[:, train][j]).all() for j in range(len(before))]
    assert all(own)


def test_prediction_of_made_values_and_categories_works_too(prepare, table):
    runner, _ = prepare(table, measures=["prediction"])
    for method in (sm.Microaggregation(k=3), sm.Cart(), sm.MatchedSwap(k=3)):
        trial = runner.trial(Setting.of(method), 0)
        assert not trial.failure
        assert -1.0 <= trial.values["prediction"] <= 1.0
