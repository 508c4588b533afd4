"""Sampling weights: which are refused, and what they count for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.comparison.weights import find_effective_weights, find_weights, judge_weight
from swapmeet.errors import SchemaError, TableError
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind, Role


def table(weights):
    n = len(weights)
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=n), "y": rng.normal(size=n), "w": weights})


def microdata(weights):
    column = Variable("w", Kind.NUMERIC, np.array(weights, float), role=Role.WEIGHT)
    return Microdata((column,), np.zeros(len(weights), np.int32))


@pytest.mark.parametrize(
    ("flaw", "words"),
    [
        (np.nan, "missing in 2 rows"),
        (0.0, "0 in 2 rows"),
        (-1.0, "below 0 in 2 rows"),
        (np.inf, "infinite in 2 rows"),
    ],
)
def test_a_weight_that_is_none_is_refused_with_the_count(flaw, words):
    people = table([1.0, 2.0, flaw, 4.0, flaw, 5.0])
    refused = f"weight: 'w' must be a number above 0.*{words}"
    with pytest.raises(TableError, match=refused):
        sm.mask(people, sm.SJPPDS(bins=2), weight="w", seed=1)
    with pytest.raises(TableError, match=refused):
        sm.assess(people, people, match="rows", weight="w", measures=["margins"])
    with pytest.raises(TableError, match=refused):
        sm.tune(people, methods=["sjppds"], weight="w")


def test_a_flaw_of_the_released_weights_is_refused():
    people = table([1.0, 2.0, 3.0, 4.0])
    released = people.assign(w=[1.0, 0.0, 3.0, 4.0])
    with pytest.raises(TableError, match="in the release, it is 0 in 1 row"):
        sm.assess(people, released, match="rows", weight="w", measures=["margins"])


def test_two_weights_are_refused():
    people = table([1.0, 2.0, 3.0]).assign(v=1.0)
    with pytest.raises(SchemaError, match="one weight; w and v have this role"):
        sm.assess(people, people, match="rows", weight=["w", "v"], measures=["margins"])


def test_text_is_no_weight():
    people = table([1.0, 2.0, 3.0]).assign(w=["a", "b", "c"])
    with pytest.raises(SchemaError, match="'w' does not hold numbers"):
        sm.assess(people, people, match="rows", weight="w", measures=["margins"])


def test_few_whole_numbers_are_weights_not_categories():
    people = table(np.tile([1, 2], 20))
    card = sm.assess(people, people, match="rows", weight="w", measures=["margins"])
    assert card["margins"].value == 0.0


def test_weights_are_1_on_average_and_none_if_they_are_the_same():
    assert find_weights(microdata([1.0, 2.0, 3.0])).tolist() == [0.5, 1.0, 1.5]
    assert find_weights(microdata([7.0, 7.0])) is None
    assert find_weights(Microdata((), np.zeros(2, np.int32))) is None


def test_effective_weights_add_up_to_the_effective_number_of_rows():
    weights = np.array([1.0, 2.0, 3.0, 10.0])
    found = find_effective_weights(microdata(weights))
    assert found.sum() == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert found / found[0] == pytest.approx(weights)


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
