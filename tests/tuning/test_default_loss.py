"""The default loss, on made people and on real ones: it sees relations of every kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.overall import LOSS
from swapmeet.tuning.goal import DEFAULT_LOSS, Goal


def losses(frame, released, schema):
    """The default loss, and that of the SJPPDS paper."""
    card = sm.assess(
        frame, released, schema=schema, match="rows", limits={}, measures=[*DEFAULT_LOSS, *LOSS]
    )
    values = {score.measure: score.value for score in card}
    paper = Goal(loss=dict.fromkeys(LOSS, 1.0))
    return tuple(float(goal.of({"linkage": 0.0, **values})["loss"]) for goal in (Goal(), paper))


def people(n=3_000, seed=0, effect=1.0, gap=13.0):
    """Men are taller; each level of education earns more; the other columns say nothing."""
    rng = np.random.default_rng(seed)
    male, level = rng.random(n) < 0.5, rng.integers(0, 4, n)
    income = effect * 0.6 * (level - 1.5) / np.sqrt(1.25) + np.sqrt(1 - 0.36 * effect**2) * (
        rng.normal(size=n)
    )
    frame = pd.DataFrame({
        "sex": np.where(male, "m", "f"),
        "height": 165.0 + gap * (male - 0.5) + rng.normal(0.0, 7.0, n),
        "education": np.array(["none", "school", "college", "university"])[level],
        "income": 30_000.0 + 9_000.0 * income,
        **{f"x{i}": rng.normal(size=n) for i in range(4)},
        **{f"t{i}": rng.integers(0, 9, n).astype(str) for i in range(4)},
    })  # fmt: skip
    nominal = ["sex", "education", *(f"t{i}" for i in range(4))]
    return frame, sm.Schema.infer(frame).assign(nominal=nominal)


def draw(frame, seed=1):
    rows = np.random.default_rng(seed).integers(0, len(frame), len(frame))
    return frame.iloc[rows].reset_index(drop=True)


def shuffle(frame, share, seed=2):
    """Each column shuffled on its own, in a share of the rows."""
    rng = np.random.default_rng(seed)
    released = frame.copy()
    for name in frame:
        rows = np.flatnonzero(rng.random(len(frame)) < share)
        values = frame[name].to_numpy().copy()
        values[rows] = values[rng.permutation(rows)]
        released[name] = values
    return released


def test_a_release_that_lost_the_gap_between_groups_has_lost_something():
    """The loss of the paper, which looks at numbers only, calls it harmless."""
    frame, schema = people()
    lost = frame.assign(height=np.random.default_rng(1).permutation(frame["height"]))
    found, paper = losses(frame, lost, schema)
    harmless, _ = losses(frame, draw(frame), schema)
    assert found > 0.2 > 10 * harmless
    assert paper < 0.05


def test_a_release_whose_effect_of_education_has_halved_has_lost_something():
    frame, schema = people()
    halved, _ = people(effect=0.5)
    found, _ = losses(frame, frame.assign(income=halved["income"]), schema)
    harmless, _ = losses(frame, draw(frame), schema)
    assert found > 0.07 > 3 * harmless


def test_a_gap_that_is_turned_round_is_worse_than_none():
    frame, schema = people()
    turned, none = (people(gap=gap)[0] for gap in (-13.0, 0.0))
    worse, _ = losses(frame, frame.assign(height=turned["height"]), schema)
    lost, _ = losses(frame, frame.assign(height=none["height"]), schema)
    assert worse > lost > 0.2


def check_ranking(frame, schema):
    """From unchanged to destroyed, each loses more than the one before; a new draw nearly nothing.

    The margin of .01 between neighbours is several times what another draw changes.
    """
    assert losses(frame, frame, schema)[0] == pytest.approx(0.0, abs=1e-12)
    assert losses(frame, draw(frame), schema)[0] < 0.03
    found = [losses(frame, shuffle(frame, share), schema)[0] for share in (0.05, 0.2, 0.5, 1.0)]
    assert (np.diff([0.0, *found]) > 0.01).all()
    assert found[-1] > 0.35


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param("fair", marks=pytest.mark.slow), "randhie"])
def test_releases_of_built_in_people_rank_from_harmless_to_destroyed(name):
    schema, frame = sm.datasets.schema(name), sm.datasets.load(name)
    check_ranking(frame.sample(2_500, random_state=0).reset_index(drop=True), schema)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["adult.csv.gz", "svcensus.csv"])
def test_releases_of_survey_data_rank_from_harmless_to_destroyed(shared, name):
    frame = pd.read_csv(shared / "data" / name).sample(2_500, random_state=0)
    frame = frame.reset_index(drop=True)
    check_ranking(frame, sm.Schema.infer(frame))


def test_the_risk_is_not_diluted_by_measures_that_ask_for_all_columns():
    """Half of the people are found, although no row is near in all columns."""
    values = {"linkage": 0.5, "dbrl": 0.4, "rid": 0.0, "sdid": 0.0}
    lost = dict.fromkeys((*DEFAULT_LOSS, *LOSS), 0.0)
    assert Goal().of({**values, **lost})["risk"] == 0.5
    assert Goal.of_sjppds_paper().of({**values, **lost})["risk"] < 0.15
