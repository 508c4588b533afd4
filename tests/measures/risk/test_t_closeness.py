from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.algorithms.diversity import (
    count_in_groups,
    measure_equal_distance,
    measure_ordered_distance,
)


def score(town, values, kind):
    frame = pd.DataFrame({"town": list(town), "secret": values})
    columns = (sm.Column("town", "nominal"), sm.Column("secret", kind, "sensitive"))
    schema = sm.Schema(columns)
    return sm.assess(frame, frame, schema=schema, match="rows", measures=["t-closeness"])[
        "t-closeness"
    ]


# by hand


def test_salaries_of_the_paper():
    """Li et al., section 4 and Table 5: 3k 4k 5k is 0.375 away, 6k 8k 11k is 0.167; published in
    other classes, the table is 0.167-close in salary."""
    before = score("aaabbbccc", [3, 4, 5, 6, 11, 8, 7, 9, 10], "numeric")
    assert before.records[[0, 3]] == pytest.approx([0.375, 1 / 6])
    assert before.value == pytest.approx(0.375)
    assert before.details["mean"] == pytest.approx(before.records.mean())
    after = score("aaabbbccc", [3, 5, 9, 6, 11, 8, 4, 7, 10], "numeric")
    assert after.value == pytest.approx(1 / 6)


def test_nominal_values_are_all_equally_far_apart():
    """Whole: x 1/2, y 1/4, z 1/4; a has x and y half each, b x and z."""
    assert score("aabb", list("xyxz"), "nominal").value == pytest.approx(0.25)
    assert score("aabb", list("xxyy"), "nominal").value == pytest.approx(0.5)
    assert score("abab", list("xxyy"), "nominal").value == 0.0


def test_only_the_order_of_numbers_counts():
    one = score("aabbc", [1.0, 2, 3, 4, 5], "numeric").records
    other = score("aabbc", [1.0, 20, 21, 22, 900], "numeric").records
    assert np.array_equal(one, other)


def test_a_missing_value_is_far_from_any():
    """Half of the table is missing: a class without missing values is 1/2 away, at least."""
    assert score("aabb", [1.0, 2, np.nan, np.nan], "numeric").value == pytest.approx(0.5)
    assert score("aabb", ["x", "y", None, None], "nominal").value == pytest.approx(0.5)
    assert score("aabb", ["x", None, "y", None], "nominal").value == pytest.approx(0.25)
    assert score("abab", [1.0, 1.0, np.nan, np.nan], "numeric").value == 0.0


def test_a_column_of_one_value_tells_nothing():
    assert score("aabb", [7.0] * 4, "numeric").value == 0.0


# oracle


def test_figures_are_those_of_pycanon():
    """Version 1.3.6."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], 60),
            "region": rng.choice(["n", "s"], 60),
            "ill": rng.choice(["x", "y", "z", "u"], 60, p=[0.5, 0.25, 0.15, 0.1]),
            "wage": rng.integers(1, 9, 60),
        }
    )
    columns = [sm.Column(name, "nominal") for name in ("sex", "region", "ill")]
    schema = sm.Schema((*columns, sm.Column("wage", "numeric")))
    schema = schema.assign(sensitive=["ill", "wage"])
    card = sm.assess(table, table, schema=schema, match="rows", measures=["t-closeness"])
    found = card["t-closeness"]
    assert found.details["t of ill"] == pytest.approx(0.2119047619047619)
    assert found.details["t of wage"] == pytest.approx(0.0857142857142857)
    assert (found.value, found.details["column"]) == (found.details["t of ill"], "ill")


# properties


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 7)), min_size=1, max_size=60))
def test_distances_are_those_of_whole_distributions(pairs):
    groups, values = (np.unique(column, return_inverse=True)[1] for column in np.array(pairs).T)
    whole = np.bincount(values) / len(values)
    found = count_in_groups(groups, values)
    equal, ordered = (
        measure(found, whole) for measure in (measure_equal_distance, measure_ordered_distance)
    )
    for group in range(groups.max() + 1):
        inside = values[groups == group]
        apart = np.bincount(inside, minlength=len(whole)) / len(inside) - whole
        assert equal[group] == pytest.approx(np.abs(apart).sum() / 2, abs=1e-12)
        steps = np.abs(np.cumsum(apart)).sum() / max(len(whole) - 1, 1)
        assert ordered[group] == pytest.approx(steps, abs=1e-12)
