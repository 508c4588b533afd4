from __future__ import annotations

import numpy as np
import pytest

from swapmeet.methods.kl_theta.columns import Divisor, _marks, encode_keys, encode_sensitive
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
