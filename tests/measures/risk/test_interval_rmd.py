from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sdcmicro_golden import SETS, table

import swapmeet as sm
from swapmeet.comparison.comparison import Comparison
from swapmeet.measures.risk.interval_rmd import (
    STRETCH,
    IntervalRMD,
    figures,
    is_disclosed,
    stands_alone,
)
from swapmeet.tables.microdata import Microdata

NOTHING = Comparison(
    Microdata((), np.zeros(0, np.int32)), Microdata((), np.zeros(0, np.int32)), (), ()
)


def interval_rmd(original, released, **parameters):
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    measures = [IntervalRMD(**parameters)]
    return sm.assess(original, released, match="rows", schema=schema, measures=measures)[
        "interval-rmd"
    ]


def normal(n=200, p=3, seed=0):
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(n, p)), columns=list("abcdef")[:p])


def standardised(frame):
    return ((frame - frame.mean()) / frame.std()).to_numpy(float)


# by hand


def test_one_value_is_enough_and_the_interval_is_open():
    original = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    released = np.array([[0.5, 9.0], [0.4, 9.0], [9.0, -0.6]])
    assert is_disclosed(original, released, np.array([0.5, 0.5, 0.7])).tolist() == [
        False,
        True,
        True,
    ]


def test_figures_weigh_records_by_their_outlyingness():
    close, lonely = np.array([True, True, False, True]), np.array([False, True, False, False])
    found = figures(close, lonely, np.array([1.0, 2.0, 4.0, 8.0]))
    assert found == {"risk2": 0.25, "wrisk1": 0.75 * 11.0, "wrisk2": 0.25 * 2.0}


def test_who_stands_alone():
    released = np.array([[0.0, 0.0], [0.3, 0.4], [3.0, 0.0], [3.0, 0.0], [9.0, 9.0]])
    assert stands_alone(released, 0.5, NOTHING).tolist() == [False, False, False, False, True]
    assert stands_alone(released, 0.49, NOTHING).tolist() == [True, True, False, False, True]


def test_outliers_have_wider_intervals():
    """The same noise hides the middle better than the outskirts."""
    frame = normal(2000)
    released = frame + np.random.default_rng(1).normal(scale=0.02, size=frame.shape)
    records = interval_rmd(frame, released).records
    away = np.sqrt((standardised(frame) ** 2).sum(axis=1))
    assert (
        records[away > np.quantile(away, 0.9)].mean() > 1.5 * records[away < np.median(away)].mean()
    )


def test_wider_intervals_disclose_more():
    frame = normal()
    released = frame + np.random.default_rng(1).normal(scale=0.05, size=frame.shape)
    found = [interval_rmd(frame, released, k=k).value for k in (0.001, 0.05, 1.0)]
    assert found == sorted(found)
    assert found[0] < 0.1 < 0.9 < found[-1]


def test_twins_in_the_release_do_not_stand_alone():
    frame = normal()
    released = frame.copy()
    released.iloc[1::2] = released.iloc[::2].to_numpy()
    assert interval_rmd(frame, frame).details["risk2"] > 0.5
    assert interval_rmd(frame, released).details["risk2"] == 0.0


# what is missing, constant or on a plane


def test_records_with_a_missing_number_are_left_out():
    frame = normal()
    released = frame.copy()
    released.loc[:49, "b"] = np.nan
    original = frame.copy()
    original.loc[45:59, "c"] = np.nan
    score = interval_rmd(original, released)
    assert score.value == 1.0
    assert score.records.tolist() == [0.0] * 60 + [1.0] * 140
    assert (score.details["rows"], score.details["rows left out"]) == (140, 60)


def test_a_constant_column_is_left_out():
    frame = normal().assign(d=7.0)
    score = interval_rmd(frame, frame)
    assert score.details["columns"] == 3
    assert score.value == 1.0


def test_a_column_released_as_a_constant():
    frame = normal()
    assert interval_rmd(frame, frame.assign(a=1.0)).value == 1.0


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (normal(14), "robust distances in 3 columns take 15 records"),
        (normal() * 0.0, "the numbers that the intruder knows are the same for everybody"),
        (normal() * np.nan, "no record is without a missing number in both files"),
        (normal().assign(d=lambda f: f["a"] + f["b"]), "200 of 200 records lie on one plane"),
        (normal().assign(d=np.arange(200) > 120), "121 of 200 records have the same d"),
    ],
)
def test_where_there_are_no_robust_distances(frame, reason):
    frame = frame.astype(float)
    assert interval_rmd(frame, frame).undefined.startswith(reason)


# golden values


@pytest.mark.parametrize("name", SETS)
def test_from_the_same_distances_come_the_figures_of_sdcmicro(shared, name):
    """Released data that sdcMicro microaggregated; its own robust distances are given."""
    folder = shared / "reference" / "sdcmicro" / name
    frame = table(shared, name)
    file = folder / "robust_mahalanobis_on_scaled_data.csv"
    outlying = STRETCH * pd.read_csv(file)["sqrt_md_zero_center_covMcd_seed1"].to_numpy()
    compared = 0
    for golden in sorted(folder.glob("dRisk_dRiskRMD_dUtility_of_*_pairs.json")):
        for pair, found in json.loads(golden.read_text()).items():
            released = standardised(pd.read_csv(folder / f"microaggregation_{pair}_mx.csv"))
            alone = {k2: stands_alone(released, k2, NOTHING) for k2 in (0.05, 0.5)}
            for setting, theirs in found.get("dRiskRMD_set.seed_1", {}).items():
                k, k2 = (float(part.partition("=")[2]) for part in setting.split(","))
                close = is_disclosed(standardised(frame), released, k * outlying)
                ours = figures(close, close & alone[k2], outlying)
                assert close.mean() == theirs["risk1"]
                assert ours == pytest.approx({name: theirs[name] for name in ours}, rel=1e-12)
                compared += 1
    assert compared >= 20


def microaggregated(values, k):
    """MDAV as sdcMicro has it; the golden values of reduced tables come without their release."""
    scaled = values / values.std(axis=0)
    left, result = np.arange(len(values)), values.copy()

    def without_group_of(row, left):
        away = ((scaled[left] - scaled[row]) ** 2).sum(axis=1)
        group = left[np.lexsort((-left, away))[:k]]
        result[group] = values[group].mean(axis=0)
        return np.setdiff1d(left, group)

    while len(left) >= 2 * k:
        many = len(left) >= 3 * k
        centre = scaled[left].mean(axis=0)
        far = left[np.argmax(((scaled[left] - centre) ** 2).sum(axis=1))]
        opposite = left[np.argmax(((scaled[left] - scaled[far]) ** 2).sum(axis=1))]
        left = without_group_of(far, left)
        left = without_group_of(opposite, left) if many else left
    result[left] = values[left].mean(axis=0)
    return result


def test_the_whole_measure_gives_what_sdcmicro_gives_where_its_covariance_is_sound(shared):
    """Census without two columns, where R finds the same half with nearly every seed."""
    folder = shared / "reference" / "sdcmicro" / "census"
    file = folder / "dRisk_dRiskRMD_dUtility_of_mdav_pairs_census10.json"
    golden = json.loads(file.read_text())["mdav_aggr3"]
    frame = table(shared, "census").drop(columns=["POTHVAL", "ERNVAL"]).astype(float)
    released = pd.DataFrame(microaggregated(frame.to_numpy(), 3), columns=frame.columns)
    theirs = golden["dRiskRMD_set.seed_1"]["k=0.01,k2=0.05"]
    score = interval_rmd(frame, released)
    assert score.value == theirs["risk1"]
    assert score.details["risk2"] == theirs["risk2"]
    assert score.details["wrisk1"] == pytest.approx(theirs["wrisk1"], rel=1e-6)
    assert "972 of 1,000 people" in score.sentence
