from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kl_theta_checker import broken

from swapmeet.methods.kl_theta.conditions import (
    Conditions,
    Divisor,
    _marks,
    encode_keys,
    encode_sensitive,
    number_columns,
)
from swapmeet.methods.kl_theta.paper import check_clusters
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

NAN = np.nan


def numeric(*numbers, name="x"):
    return Variable(name, Kind.NUMERIC, np.array(numbers, float))


def nominal(*codes, name="t"):
    return Variable(name, Kind.NOMINAL, np.array(codes, np.int32), max(codes) + 1)


@pytest.mark.parametrize(
    ("divisor", "expected"),
    [(Divisor.LARGEST, [0.25, 0.5, 1.0]), (Divisor.RANGE, [0.0, 1 / 3, 1.0])],
)
def test_numbers_are_divided_by_the_largest_or_the_range(divisor, expected):
    keys = encode_keys([numeric(20, 40, 80)], {}, divisor)
    assert keys.numbers[:, 0] == pytest.approx(expected)
    assert keys.weights.tolist() == [1.0]
    assert keys.marks.shape == (3, 0)


def test_largest_is_the_largest_absolute_value():
    assert encode_keys([numeric(-4, 2)], {}, Divisor.LARGEST).numbers[:, 0].tolist() == [-1.0, 0.5]


def test_ordinal_columns_go_by_rank():
    variable = Variable("x", Kind.ORDINAL, np.array([9.0, 20.0, NAN, 10.0, 9.0]))
    keys = encode_keys([variable], {}, Divisor.LARGEST)
    assert keys.numbers[:, 0].tolist() == [0.0, 1.0, 0.375, 0.5, 0.0]


def test_two_levels_are_numbers_and_three_are_marks():
    keys = encode_keys([nominal(1, 0, 1, 1), nominal(2, 0, 1, 2)], {"t": 3.0}, Divisor.RANGE)
    assert keys.numbers[:, 0].tolist() == [1.0, 0.0, 1.0, 1.0]
    assert keys.marks[:, 0].tolist() == [4, 1, 2, 4]
    assert (keys.weights.tolist(), keys.costs.tolist()) == ([3.0], [3.0])


def test_missing_nominal_values_are_a_level():
    assert encode_keys([nominal(0, -1, 0)], {}, Divisor.RANGE).numbers[:, 0].tolist() == [
        1.0,
        0.0,
        1.0,
    ]
    assert len(np.unique(encode_keys([nominal(0, -1, 1)], {}, Divisor.RANGE).marks)) == 3


def test_missing_numbers_are_the_mean_and_marked():
    keys = encode_keys([numeric(0, NAN, 10, 2)], {"x": 2.0}, Divisor.RANGE)
    assert keys.numbers.tolist() == [[0.0, 0.0], [0.4, 1.0], [1.0, 0.0], [0.2, 0.0]]
    assert keys.weights.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "variable",
    [numeric(5, 5, 5), numeric(NAN, NAN, NAN), nominal(1, 1, 1), numeric(0, 0, 0)],
)
@pytest.mark.parametrize("divisor", Divisor)
def test_columns_that_do_not_differ_take_no_part(variable, divisor):
    keys = encode_keys([variable], {}, divisor)
    assert (keys.numbers.shape, keys.marks.shape) == ((3, 0), (3, 0))


def test_a_constant_with_missing_values_differs_only_in_being_missing():
    keys = encode_keys([numeric(7, NAN, 7)], {}, Divisor.LARGEST)
    assert keys.numbers.tolist() == [[0.0], [1.0], [0.0]]


def test_weight_0_takes_a_column_out():
    keys = encode_keys([numeric(1, 2, 3), nominal(0, 1, 2)], {"x": 0.0, "t": 0.0}, Divisor.RANGE)
    assert (keys.numbers.shape, keys.marks.shape) == ((3, 0), (3, 0))


@pytest.mark.parametrize("levels", [3, 63, 64, 5_000])
def test_different_sets_of_levels_have_different_sums_of_marks(levels):
    marks = _marks(levels)
    rng = np.random.default_rng(0)
    sets = {frozenset(rng.choice(levels, rng.integers(1, 4)).tolist()) for _ in range(2_000)}
    with np.errstate(over="ignore"):
        assert len({int(marks[sorted(s)].sum()) for s in sets}) == len(sets)
    assert bool((marks & (marks - 1) == 0).all()) == (levels <= 63)


def test_rows_can_be_selected():
    keys = encode_keys([numeric(1, 2, 3), nominal(0, 1, 2)], {}, Divisor.RANGE).of(np.array([2, 0]))
    assert keys.numbers.tolist() == [[1.0], [0.0]]
    assert keys.marks.tolist() == [[4], [1]]


def test_values_are_numbered_through_all_columns_and_missing_is_a_value():
    values = encode_sensitive([nominal(1, -1, 1, 0), numeric(NAN, 2.5, NAN, -np.inf)])
    assert values.codes.T.tolist() == [[2, 0, 2, 1], [5, 4, 5, 3]]
    assert values.ranges.tolist() == [0, 3, 6]
    assert values.in_column.tolist() == [3, 3]


def test_values_of_some_rows_are_numbered_anew():
    values = encode_sensitive([nominal(3, 1, 2, 0)]).of(np.array([0, 2]))
    assert values.codes[:, 0].tolist() == [1, 0]
    assert values.ranges.tolist() == [0, 2]


@pytest.mark.parametrize("divisor", Divisor)
def test_keys_of_a_block_are_those_of_its_rows_in_the_whole(divisor):
    ordinal = Variable("g", Kind.ORDINAL, np.array([9.0, 20.0, NAN, 10.0, 9.0, 30.0]))
    levels = (nominal(0, 2, 1, 0, -1, 3), nominal(0, 1, 1, 0, 0, 1))
    variables = (numeric(0, NAN, 10, 2, -8, 3), ordinal, *levels)
    whole = Microdata(variables, np.zeros(6, np.int32))
    rows = np.array([0, 1, 2, 3])
    expected = encode_keys(whole.variables, {}, divisor).of(rows)
    for one, other in zip(
        encode_keys(whole.block(rows).variables, {}, divisor), expected, strict=True
    ):
        assert np.array_equal(one, other)


def test_very_many_ordinal_levels_are_ranked_in_the_block(monkeypatch):
    monkeypatch.setattr("swapmeet.tables.statistics.MOST_ORDINAL_LEVELS", 2)
    ordinal = Variable("g", Kind.ORDINAL, np.array([5.0, 7.0, 9.0, NAN, NAN]))
    whole = Microdata((ordinal,), np.zeros(5, np.int32))
    for rows, expected in (([0, 2], [[0.0], [1.0]]), ([0], [[]]), ([3, 4], [[], []])):
        keys = encode_keys(whole.block(np.array(rows)).variables, {}, Divisor.RANGE)
        assert keys.numbers.tolist() == expected


ONE_STRATUM = np.zeros(100, np.int32)


def values(*columns):
    return number_columns(np.array(column) for column in columns)


def spread(*counts):
    return np.repeat(np.arange(len(counts)), counts)


# how often a value may come


@pytest.mark.parametrize(
    ("theta", "size", "most"),
    [(0.3, 10, 3), (0.1, 10, 1), (0.29, 100, 29), (0.57, 100, 57), (1 / 3, 12, 4), (0.3, 13, 3),
     (1.0, 7, 7), (0.05, 10, 0)],
)  # fmt: skip
def test_most_is_the_largest_count_within_theta(theta, size, most):
    assert Conditions(2, 1, theta).most(size) == most
    assert most / size <= theta < (most + 1) / size


# the target size


@pytest.mark.parametrize(
    ("k", "distinct", "theta", "counts", "target"),
    [
        (10, 5, 0.3, (20, 20, 20, 20, 20), 10),
        (10, 2, 0.15, (14, 14, 14, 14, 14, 15, 15), 20),
        (10, 2, 0.15, (14, 14, 14, 14, 14, 14, 16), 20),
        (10, 3, 0.5, (49, 49, 2), 50),
        (5, 2, 0.9, (90, 10), 10),
        (2, 4, 0.5, (25, 25, 25, 25), 4),
        (40, 2, 0.5, (50, 50), 40),
    ],
)
def test_target_is_the_least_size_that_leaves_room_for_all(k, distinct, theta, counts, target):
    assert Conditions(k, distinct, theta).target(values(spread(*counts))) == target


# what cannot be


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        (Conditions(101, 2, 0.6), ["the table has 100 rows; `k` = 101 needs"]),
        (Conditions(10, 3, 0.6), ["'x' has 2 distinct values; `l` = 3 needs"]),
        (Conditions(10, 2, 0.5), ["one value has 60.0 % of the rows, more than `theta` = 0.5"]),
        (Conditions(10, 2, 0.6), []),
    ],
)
def test_obstacles_name_the_column_and_the_rule(conditions, told):
    found = [*conditions.obstacles(("x",), values(spread(60, 40)), ONE_STRATUM)]
    assert len(found) == len(told)
    assert all(text in obstacle for text, obstacle in zip(told, found, strict=True))


def test_the_least_feasible_theta_is_told_and_is_feasible():
    third = values(spread(33, 33, 34))
    (obstacle,) = Conditions(2, 2, 0.33).obstacles(("x",), third, ONE_STRATUM)
    assert obstacle.endswith("The least `theta` that can be met is 0.34.")
    assert not [*Conditions(2, 2, 0.34).obstacles(("x",), third, ONE_STRATUM)]


def test_each_stratum_must_be_feasible():
    strata = np.repeat(np.array([0, 1, 2], np.int32), [50, 46, 4])
    column = values(np.concatenate([spread(25, 25), spread(40, 6), spread(4)]))
    told = " ".join(Conditions(5, 2, 0.6).obstacles(("x",), column, strata))
    assert "1 of 3 strata have as few as 4 rows" in told
    assert "'x' has 1 distinct values in one of the strata" in told
    assert "100 % of the rows in one of the strata" in told


# the verdict


@given(st.data())
def test_verdict_agrees_with_counting_by_hand(data):
    n = data.draw(st.integers(1, 40))
    rows = st.lists(st.integers(-1, 5), min_size=n, max_size=n)
    labels = np.array(data.draw(rows))
    columns = [data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)) for _ in range(2)]
    k, distinct = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 3))
    theta = data.draw(st.sampled_from([0.25, 0.3, 0.5, 0.6, 1.0]))
    found = check_clusters(labels, values(*columns), Conditions(k, distinct, theta))
    assert len(found) == max(labels.max() + 1, 0)
    for cluster, verdict in enumerate(found):
        mine = np.where(labels == cluster, 0, -1)
        assert verdict == ((mine == 0).any() and not broken(mine, columns, k, distinct, theta))
