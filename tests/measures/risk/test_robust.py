from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sdcmicro_golden import table

from swapmeet.comparison.score import Undefined
from swapmeet.measures.risk.robust import RAW, REWEIGHTED, robust_scatter

LEFT_OUT = {"census10": ("census", ["POTHVAL", "ERNVAL"]), "diabetes_nosex": ("diabetes", ["sex"])}
GOLDEN = ["census10", "diabetes_nosex", "bodyfat", "tarragona", "breast_cancer"]


def golden_case(shared, case):
    """Standardised data, and what R found for them."""
    name, dropped = LEFT_OUT.get(case, (case, []))
    frame = table(shared, name).drop(columns=dropped)
    suffix = f"_{case}" if dropped else ""
    folder = shared / "reference" / "sdcmicro" / name
    found = json.loads((folder / f"covMcd_on_scaled_data{suffix}.json").read_text())
    return standardised(frame), found, folder, suffix


def standardised(frame):
    return (frame - frame.mean()) / frame.std()


def scatter(frame, seed=0):
    return robust_scatter(frame.to_numpy(float), frame.columns, np.random.default_rng(seed))


@pytest.mark.slow
@pytest.mark.parametrize("case", GOLDEN)
def test_the_half_is_at_least_as_good_as_that_of_r(shared, case):
    """Also than the best of R's runs with other seeds."""
    frame, found, *_ = golden_case(shared, case)
    ours = scatter(frame).determinant
    assert ours <= min(found["logdet_crit_over_seeds_1_to_NS"]) + 1e-6
    assert ours <= found["seed1"]["crit"] + 1e-6
    assert ours <= found["deterministic"]["crit"] + 1e-6


def test_from_the_same_half_comes_the_same_covariance(shared):
    frame, found, folder, suffix = golden_case(shared, "census10")
    ours = scatter(frame)
    assert ours.covariance == pytest.approx(np.array(found["seed1"]["cov"]), rel=1e-6)
    assert ours.centre == pytest.approx(list(found["seed1"]["center"].values()), rel=1e-6)
    golden = pd.read_csv(folder / f"robust_mahalanobis_on_scaled_data{suffix}.csv")
    values = frame.to_numpy(float)
    distances = ours.distances(values, values.mean(axis=0))
    assert distances == pytest.approx(golden["sqrt_md_zero_center_covMcd_seed1"], rel=1e-6)


@pytest.mark.parametrize("case", GOLDEN)
def test_the_corrections_for_small_samples_are_those_of_r(shared, case):
    frame, found, *_ = golden_case(shared, case)
    assert RAW.factor(*frame.shape) == pytest.approx(found["seed1"]["raw.cnp2"][1], rel=1e-12)
    assert REWEIGHTED.factor(*frame.shape) == pytest.approx(found["seed1"]["cnp2"][1], rel=1e-12)


@pytest.mark.slow
def test_chance_has_no_part_in_it(shared):
    frame, *_ = golden_case(shared, "diabetes_nosex")
    found = [scatter(frame, seed).determinant for seed in range(3)]
    assert found == pytest.approx([found[0]] * 3, abs=1e-9)


def test_what_r_fails_on_is_named(shared):
    with pytest.raises(Undefined, match="of 1080 records lie on one plane, where PTOTVAL"):
        scatter(standardised(table(shared, "census")))
    with pytest.raises(Undefined, match="235 of 442 records have the same sex"):
        scatter(standardised(table(shared, "diabetes")))


@pytest.mark.slow_case("5")
@pytest.mark.parametrize("p", [1, 2, 5])
def test_normal_data_get_back_their_covariance(p):
    """4,000 rows: within 10 %, where about 3 % is the standard error."""
    rng = np.random.default_rng(p)
    scales = np.arange(1.0, p + 1.0)
    found = robust_scatter(rng.normal(size=(4000, p)) * scales, map(str, range(p)), rng)
    assert np.diag(found.covariance) == pytest.approx(scales**2, rel=0.1)
    assert found.centre == pytest.approx(np.zeros(p), abs=0.1 * p)


@pytest.mark.parametrize("p", [1, 2, 5])
def test_a_third_of_outliers_leave_the_shape_and_stand_out(p):
    rng = np.random.default_rng(p)
    scales = np.arange(1.0, p + 1.0)
    values = rng.normal(size=(1000, p)) * scales
    values[:300] += 50.0 * scales
    found = robust_scatter(values, map(str, range(p)), rng)
    relative = np.diag(found.covariance) / scales**2
    assert relative == pytest.approx(np.full(p, relative.mean()), rel=0.2)
    assert found.distances(values, found.centre)[:300].min() > 20.0


def test_few_records_are_refused():
    values = np.random.default_rng(0).normal(size=(14, 3))
    with pytest.raises(Undefined, match=r"in 3 columns take 15 records .* and there are 14"):
        robust_scatter(values, "abc", np.random.default_rng(0))


def test_a_half_whose_spread_is_lost_to_rounding_is_refused():
    values = np.append(np.arange(12) * 1e-200, np.arange(1.0, 9.0))[:, np.newaxis]
    with pytest.raises(Undefined, match="rounding hides it"):
        robust_scatter(values, ["income"], np.random.default_rng(0))
