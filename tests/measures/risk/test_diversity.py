from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.algorithms.diversity import (
    count_distinct,
    count_in_groups,
    measure_entropy,
    measure_equal_distance,
    measure_ordered_distance,
    measure_recursive,
)
from swapmeet.measures.risk.diversity import LDiversity

PEOPLE = pd.DataFrame({"town": list("aaaabbbbbbcc"), "ill": list("xxyz" + "xxxyyz" + "xy")})


def score(frame, measure=None, **kinds):
    columns = tuple(
        sm.Column(name, kinds.get(name, "nominal"), "key" if name == "town" else "sensitive")
        for name in frame
    )
    measure = measure or LDiversity()
    card = sm.assess(frame, frame, schema=sm.Schema(columns), match="rows", measures=[measure])
    return card[measure.name]


# by hand


def test_the_three_kinds_by_hand():
    """Counts by town: a 2 1 1, b 3 2 1, c 1 1."""
    assert score(PEOPLE, LDiversity(kind="distinct")).value == 2.0
    entropy = score(PEOPLE)
    assert entropy.value == 2.0
    of_a = np.exp(-(0.5 * np.log(0.5) + 2 * 0.25 * np.log(0.25)))
    of_b = np.exp(-sum(p * np.log(p) for p in (1 / 2, 1 / 3, 1 / 6)))
    assert entropy.records == pytest.approx([of_a] * 4 + [of_b] * 6 + [2.0] * 2)
    assert entropy.details["mean"] == pytest.approx(entropy.records.mean())
    assert entropy.sentence.startswith(
        "Someone who knows town of a record is left with at least an"
    )


def test_recursive_diversity_by_hand():
    """b with c = 1.5: 3 < 1.5 * 6, 3 < 1.5 * 3, but not 3 < 1.5 * 1; a and c reach all values
    but one: 2 < 1.5 * 2, not 2 < 1.5 * 1; 1 < 1.5 * 1."""
    found = score(PEOPLE, LDiversity(kind="recursive", c=1.5))
    assert found.records.tolist() == [2] * 4 + [2] * 6 + [2] * 2
    tight = score(PEOPLE, LDiversity(kind="recursive", c=0.5))
    assert tight.records.tolist() == [0] * 4 + [0] * 6 + [0] * 2
    assert tight.value == 0.0


def test_one_value_in_a_class_is_no_diversity():
    frame = PEOPLE.assign(ill=list("xxyz" + "xxxyyz" + "xx"))
    for kind in ("entropy", "distinct"):
        assert score(frame, LDiversity(kind=kind)).value == 1.0


def test_the_worst_of_several_columns_counts_and_is_named():
    found = score(PEOPLE.assign(sure="x"))
    assert (found.value, found.details["column"]) == (1.0, "sure")
    assert found.details["distinct of ill"] == 2.0
    assert (found.records == 1.0).all()


def test_a_missing_value_is_a_value():
    frame = PEOPLE.assign(ill=[None, "x", "x", "x", *"xxxyyz", "x", None])
    assert score(frame, LDiversity(kind="distinct")).value == 2.0


# oracle


def test_figures_are_those_of_pycanon():
    """Version 1.3.6: l 3 and 6, entropy 2 and 5 (which it rounds down)."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], 60),
            "region": rng.choice(["n", "s"], 60),
            "ill": rng.choice(["x", "y", "z", "u"], 60, p=[0.5, 0.25, 0.15, 0.1]),
            "wage": rng.integers(1, 9, 60),
        }
    )
    schema = sm.Schema.infer(table).assign(key=["sex", "region"], sensitive=["ill", "wage"])
    card = sm.assess(table, table, schema=schema, match="rows", measures=["l-diversity"])
    details = card["l-diversity"].details
    assert [details["distinct of ill"], details["distinct of wage"]] == [3.0, 6.0]
    assert [int(details["entropy of ill"]), int(details["entropy of wage"])] == [2, 5]


# properties


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=60))
def test_counts_are_those_of_a_loop_over_groups(pairs):
    groups, values = np.array(pairs).T
    groups = np.unique(groups, return_inverse=True)[1]
    found = count_in_groups(groups, values)
    distinct, entropy = count_distinct(found), measure_entropy(found)
    recursive = measure_recursive(found, 2.0)
    for group in range(groups.max() + 1):
        counts = -np.sort(-np.unique(values[groups == group], return_counts=True)[1])
        shares = counts / counts.sum()
        assert distinct[group] == len(counts)
        assert entropy[group] == pytest.approx(np.exp(-(shares * np.log(shares)).sum()))
        held = [2.0 * counts[i:].sum() > counts[0] for i in range(len(counts))]
        assert recursive[group] == sum(held)
    assert (entropy <= distinct + 1e-9).all()


def test_without_sensitive_columns_it_is_not_defined():
    card = sm.assess(PEOPLE, PEOPLE, match="rows", measures=["l-diversity", "t-closeness"])
    assert "no sensitive column" in card["l-diversity"].undefined
    assert "no sensitive column" in card["t-closeness"].undefined


def measure_t(town, values, kind):
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
    before = measure_t("aaabbbccc", [3, 4, 5, 6, 11, 8, 7, 9, 10], "numeric")
    assert before.records[[0, 3]] == pytest.approx([0.375, 1 / 6])
    assert before.value == pytest.approx(0.375)
    assert before.details["mean"] == pytest.approx(before.records.mean())
    after = measure_t("aaabbbccc", [3, 5, 9, 6, 11, 8, 4, 7, 10], "numeric")
    assert after.value == pytest.approx(1 / 6)


def test_nominal_values_are_all_equally_far_apart():
    """Whole: x 1/2, y 1/4, z 1/4; a has x and y half each, b x and z."""
    assert measure_t("aabb", list("xyxz"), "nominal").value == pytest.approx(0.25)
    assert measure_t("aabb", list("xxyy"), "nominal").value == pytest.approx(0.5)
    assert measure_t("abab", list("xxyy"), "nominal").value == 0.0


def test_only_the_order_of_numbers_counts():
    one = measure_t("aabbc", [1.0, 2, 3, 4, 5], "numeric").records
    other = measure_t("aabbc", [1.0, 20, 21, 22, 900], "numeric").records
    assert np.array_equal(one, other)


def test_a_missing_value_is_far_from_any():
    """Half of the table is missing: a class without missing values is 1/2 away, at least."""
    assert measure_t("aabb", [1.0, 2, np.nan, np.nan], "numeric").value == pytest.approx(0.5)
    assert measure_t("aabb", ["x", "y", None, None], "nominal").value == pytest.approx(0.5)
    assert measure_t("aabb", ["x", None, "y", None], "nominal").value == pytest.approx(0.25)
    assert measure_t("abab", [1.0, 1.0, np.nan, np.nan], "numeric").value == 0.0


def test_a_column_of_one_value_tells_nothing():
    assert measure_t("aabb", [7.0] * 4, "numeric").value == 0.0


# oracle


def test_figures_are_those_of_pycanon_for_t_closeness():
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
