from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm


def make(homes=40, seed=1):
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 5, homes)
    return pd.DataFrame(
        {
            "hh_id": np.repeat(np.arange(homes) + 500, size),
            "line": np.concatenate([np.arange(1, n + 1) for n in size]),
            "relation": np.concatenate([["head", *["member"] * (n - 1)] for n in size]),
            "age": rng.integers(0, 90, size.sum()),
        }
    )


def find(people, **roles):
    found = sm.inspect(people, **roles).findings
    return [one.options for one in found if one.columns == ("line",)]


@pytest.mark.parametrize("shuffled", [False, True])
def test_numbers_of_members_stand_for_the_position_where_no_column_does(shuffled):
    people = make().drop(columns="relation")
    people = people.sample(frac=1, random_state=1) if shuffled else people
    assert find(people, household=["hh_id"]) == [("--position", "line")]


def test_beside_a_position_they_are_kept():
    assert find(make(), household=["hh_id"]) == [("--keep", "line")]
    assert find(make(), household=["hh_id"], position=["relation"]) == [("--keep", "line")]


@pytest.mark.parametrize(
    "change", [lambda n: n + 1, lambda n: np.where(n == 2, 3, n), lambda n: n % 2]
)
def test_other_numbers_are_not_taken_for_them(change):
    people = make().drop(columns="relation")
    assert find(people.assign(line=change(people["line"])), household=["hh_id"]) == []


def test_what_has_a_role_is_left_alone():
    assert find(make(), household=["hh_id"], keep=["line"]) == []
    assert find(make()[["line", "age"]]) == []
