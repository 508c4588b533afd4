"""What a sampling weight gives away."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.weights import judge_weight

N = 400


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    region = rng.integers(0, 20, N)
    return pd.DataFrame({
        "region": [f"r{code}" for code in region],
        "age": rng.integers(20, 70, N) // 10 * 10.0,
        "sex": rng.choice(["f", "m"], N),
        "income": rng.lognormal(9.0, 1.0, N),
        "w": 10.0 + region,
    })  # fmt: skip


def shuffle(people, names):
    rng = np.random.default_rng(1)
    return people.assign(**{name: rng.permutation(people[name]) for name in names})


def test_weights_that_nobody_else_has_are_counted():
    found = judge_weight(np.array([1.0, 2.0, 2.0, 3.0, 4.0]), {})
    assert (found.alone, found.units) == (3, 5)


def test_the_members_of_a_household_are_one_owner_of_its_weight():
    weights, household = np.array([5.0, 5.0, 6.0, 7.0, 7.0, 7.0]), np.array([0, 0, 1, 2, 2, 3])
    found = judge_weight(weights, {}, household)
    assert (found.alone, found.units) == (2, 4)


def test_the_columns_that_decide_a_weight_are_named(people):
    weights = people["w"].to_numpy()
    keys = {name: people[name].to_numpy() for name in ("sex", "age", "region")}
    assert judge_weight(weights, keys).cells == ("region",)
    both = weights + 100.0 * (people["sex"] == "f").to_numpy()
    assert set(judge_weight(both, keys).cells) == {"sex", "region"}
    rng = np.random.default_rng(2)
    assert judge_weight(rng.permutation(weights), keys).cells == ()


def test_a_column_of_single_rows_decides_nothing(people):
    keys = {"income": people["income"].to_numpy()}
    assert judge_weight(people["w"].to_numpy(), keys).cells == ()


def test_the_card_tells_how_many_rows_a_weight_singles_out(people):
    rng = np.random.default_rng(3)
    lonely = people.assign(w=np.where(np.arange(N) < 40, 100.0 + rng.random(N), 5.0))
    card = sm.assess(lonely, lonely, match="rows", weight="w", measures=["margins"])
    assert any("w: 40 of 400 rows (10.0 %)" in note for note in card.notes)
    shared = lonely.assign(w=np.tile([1.0, 2.0], N // 2))
    quiet = sm.assess(shared, shared, match="rows", weight="w", measures=["margins"])
    assert not any("a weight no other" in note for note in quiet.notes)


def test_a_weight_that_tells_the_region_undoes_its_masking(people):
    """Region is shuffled; the weight, the same for all of a region, brings it back."""
    masked = shuffle(people, ["region"])
    more = {"match": "rows", "measures": ["linkage"], "sensitive": "income"}
    by_role = sm.assess(people, masked, weight="w", **more)
    unaware = sm.assess(people, masked, keep="w", **more)
    assert any("depends on region only" in note for note in by_role.notes)
    assert by_role["linkage"].value > 2.0 * unaware["linkage"].value
    assert "w" in by_role["linkage"].details["intruder"]["knows"]
