from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from swapmeet.algorithms.encode import Encoding, Points, Scale
from swapmeet.errors import SchemaError
from swapmeet.tables.microdata import LARGEST, Microdata, Variable
from swapmeet.tables.schema import Kind

NAN = np.nan


def microdata(**columns):
    variables = []
    for name, values in columns.items():
        if isinstance(values, tuple):
            codes = np.array(values, np.int32)
            levels = int(codes.max(initial=-1)) + 1
            variables.append(Variable(name, Kind.NOMINAL, codes, levels))
        else:
            variables.append(Variable(name, Kind.NUMERIC, np.array(values, np.float64)))
    n = len(variables[0].values)
    return Microdata(tuple(variables), np.zeros(n, np.int32))


def squares(data, scale=Scale.UNIT, fitted_on=None, **weights):
    """Squared distances between all rows."""
    encoding = Encoding.fit(data if fitted_on is None else fitted_on, scale, weights)
    points = encoding.points(data)
    total = np.zeros((points.n, points.n))
    for x in points.numbers:
        total += (x[:, None] - x[None, :]) ** 2
    for codes, costs in zip(points.codes, points.costs, strict=True):
        apart = costs[codes][:, None] + costs[codes][None, :]
        total += np.where(codes[:, None] != codes[None, :], apart, 0.0)
    return total


# unit


def test_unit_puts_the_range_on_0_to_1():
    data = microdata(age=[20, 30, 60])
    assert Encoding.fit(data, Scale.UNIT, {}).points(data).numbers.tolist() == [[0, 0.25, 1]]


def test_unit_makes_two_levels_the_square_root_of_2_apart():
    assert squares(microdata(sex=(0, 1, 0))).tolist() == [[0, 2, 0], [2, 0, 2], [0, 2, 0]]


def test_unit_mixed_distance_by_hand():
    data = microdata(age=[20, 30, 60], sex=(0, 1, 1), town=(0, 1, 2))
    expected = [[0, 4.0625, 5], [4.0625, 0, 2.5625], [5, 2.5625, 0]]
    assert squares(data).tolist() == expected


def test_weights_multiply_the_scaled_columns():
    data = microdata(age=[20, 30, 60], sex=(0, 1, 1))
    found = squares(data, age=2.0, sex=0.5)
    assert found[0, 1] == pytest.approx((2 * 0.25) ** 2 + 2 * 0.5**2)
    assert found[1, 2] == pytest.approx((2 * 0.75) ** 2)


def test_weight_0_takes_a_column_out():
    data = microdata(age=[20, 30, 60], sex=(0, 1, 1), holed=[1, NAN, 2])
    points = Encoding.fit(data, Scale.UNIT, {"age": 0.0, "sex": 0.0, "holed": 0.0}).points(data)
    assert points.numbers.shape == (0, 3)
    assert points.codes.shape == (0, 3)


# zscore


def test_zscore_has_mean_0_and_standard_deviation_1():
    data = microdata(age=[1, 2, 3])
    assert Encoding.fit(data, Scale.ZSCORE, {}).points(data).numbers.tolist() == [[-1, 0, 1]]


def test_zscore_divides_by_n_minus_1():
    values = [3.0, 1.0, 4.0, 1.0, 5.0]
    data = microdata(age=values)
    expected = (np.array(values) - np.mean(values)) / np.std(values, ddof=1)
    assert np.allclose(Encoding.fit(data, Scale.ZSCORE, {}).points(data).numbers[0], expected)


def test_zscore_scales_each_dummy_by_its_own_standard_deviation():
    """Levels a a a b c: dummies have variances 0.3, 0.2, 0.2."""
    found = squares(microdata(town=(0, 0, 0, 1, 2)), Scale.ZSCORE)
    assert found[0, 1] == 0
    assert found[0, 3] == pytest.approx(1 / 0.3 + 1 / 0.2)
    assert found[3, 4] == pytest.approx(2 / 0.2)


@given(
    codes=st.lists(st.integers(-1, 3), min_size=2, max_size=12),
    weight=st.floats(0.01, 10),
    scale=st.sampled_from(Scale),
)
def test_nominal_distance_is_that_of_one_hot_vectors(codes, weight, scale):
    codes = np.array(codes)
    present = np.unique(codes)
    dummies = (codes[:, None] == present).astype(float)
    if scale is Scale.ZSCORE and len(present) > 1:
        dummies = dummies / dummies.std(axis=0, ddof=1)
    if len(present) == 1:
        dummies *= 0
    expected = ((dummies[:, None] - dummies[None]) ** 2).sum(axis=2) * weight**2
    assert np.allclose(squares(microdata(x=tuple(codes)), scale, x=weight), expected, rtol=1e-9)


@given(
    values=hnp.arrays(float, st.integers(2, 12), elements=st.sampled_from([NAN, 0, 1, 2.5, -7])),
    weight=st.floats(0.01, 10),
    scale=st.sampled_from(Scale),
)
def test_numeric_distance_is_that_of_filled_value_and_indicator(values, weight, scale):
    missing = np.isnan(values)
    columns = np.zeros((len(values), 2))
    if not missing.all():
        filled = np.where(missing, values[~missing].mean(), values)
        present = values[~missing]
        spread = np.ptp(present)
        if scale is Scale.ZSCORE:
            spread = present.std(ddof=1) if len(present) > 1 else 0.0
        if scale is Scale.RAW:
            spread = 1.0
        columns[:, 0] = filled / spread if np.ptp(present) > 0 else 0.0
        columns[:, 1] = missing
        if scale is Scale.ZSCORE and missing.any():
            columns[:, 1] /= missing.std(ddof=1)
    expected = ((columns[:, None] - columns[None]) ** 2).sum(axis=2) * weight**2
    assert np.allclose(squares(microdata(x=values), scale, x=weight), expected, atol=1e-9)


# missing values


def test_missing_number_sits_at_the_mean_one_indicator_away():
    """Values 0, 4, 8 and a missing one: the mean is 4, half the range from either end."""
    found = squares(microdata(age=[0, 4, 8, NAN]))
    assert found[3].tolist() == [1.25, 1.0, 1.25, 0.0]


def test_weight_of_the_column_is_the_weight_of_its_indicator():
    assert squares(microdata(age=[0, 4, 8, NAN]), age=0.1)[3, 1] == pytest.approx(0.01)


def test_two_missing_numbers_are_in_one_place():
    assert squares(microdata(age=[0, NAN, NAN]))[1, 2] == 0


def test_zscore_of_the_indicator():
    """One missing of four: the indicator's variance is 1/4, so 1/sd is 2."""
    assert squares(microdata(age=[1, 2, 3, NAN]), Scale.ZSCORE)[3, 1] == pytest.approx(4.0)


def test_missing_level_is_a_level_of_its_own():
    found = squares(microdata(sex=(0, -1, -1, 1)))
    assert found[1].tolist() == [2, 0, 0, 2]


# columns that separate no rows


@pytest.mark.parametrize("scale", Scale)
@pytest.mark.parametrize(
    "column", [[5, 5, 5], [0.3, 0.3, 0.3], [NAN, NAN, NAN], (0, 0, 0), (-1, -1, -1)]
)
def test_constant_and_empty_columns_take_no_part(column, scale):
    data = microdata(x=column, age=[0, 1, 2])
    assert np.array_equal(squares(data, scale), squares(microdata(age=[0, 1, 2]), scale))


def test_constant_column_with_missing_values_separates_only_these():
    assert squares(microdata(x=[5, 5, NAN])).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize("value", [0.1, 0.3, 1.1, 1e9 + 0.1])
@pytest.mark.parametrize("n", [10, 100, 1000])
def test_rounding_of_the_mean_does_not_make_a_constant_vary(n, value):
    data = microdata(x=[value] * n + [NAN])
    assert Encoding.fit(data, Scale.ZSCORE, {}).axes[0].spread == 0.0


def test_one_row_is_at_distance_0_from_itself():
    for scale in Scale:
        assert squares(microdata(a=[1.5], b=(0,), c=[NAN]), scale).tolist() == [[0]]


# infinite values


@pytest.mark.parametrize("scale", Scale)
@pytest.mark.parametrize("value", [np.inf, -np.inf, LARGEST * 1.01])
def test_infinite_values_are_counted_not_shown(value, scale):
    with pytest.raises(SchemaError) as caught:
        Encoding.fit(microdata(age=[1, value, value, NAN]), scale, {})
    assert str(caught.value) == (
        "column 'age' holds 2 infinite values (or beyond 1e+150); finite numbers are needed. "
        "Recode them, or give the column the role keep or drop."
    )


def test_very_large_and_very_small_values_keep_their_places():
    data = microdata(big=[-LARGEST, 0, LARGEST], tiny=[0, 1e-200, 2e-200])
    assert squares(data)[0].tolist() == pytest.approx([0, 0.5, 2])


# replay


def test_encoding_places_other_rows_in_the_same_space():
    fitted = microdata(age=[0.0, 10.0], sex=(0, 1))
    other = microdata(age=[5.0, 20.0, 0.0], sex=(1, 1, 0))
    points = Encoding.fit(fitted, Scale.UNIT, {}).points(other)
    assert points.numbers.tolist() == [[0.5, 2.0, 0.0]]
    assert points.codes.tolist() == [[1, 1, 0]]


def test_replay_on_the_same_rows_gives_the_same_points():
    data = microdata(age=[3.0, NAN, 5.0], sex=(0, 1, -1))
    encoding = Encoding.fit(data, Scale.ZSCORE, {"sex": 0.3})
    one, two = encoding.points(data), encoding.points(data)
    assert np.array_equal(one.numbers, two.numbers)
    assert np.array_equal(one.codes, two.codes)


def test_a_missing_value_where_none_was_sits_at_the_mean():
    fitted, other = microdata(age=[0.0, 4.0, 8.0]), microdata(age=[NAN, 4.0])
    assert Encoding.fit(fitted, Scale.UNIT, {}).points(other).numbers.tolist() == [[0.5, 0.5]]


def test_data_stay_as_they_are():
    values = np.array([3.0, NAN, 5.0])
    data = Microdata((Variable("x", Kind.NUMERIC, values),), np.zeros(3, np.int32))
    points = Encoding.fit(data, Scale.UNIT, {}).points(data)
    points.numbers[:] = 9
    assert np.array_equal(values, [3.0, NAN, 5.0], equal_nan=True)


def test_repr_hides_what_was_learned():
    data = microdata(age=[48_211.5, 61_044.5], sex=(0, 1))
    encoding = Encoding.fit(data, Scale.UNIT, {})
    assert repr(encoding) == "Encoding(axes=(<NumericAxis 'age'>, <NominalAxis 'sex'>))"


# two tables in one space


def in_one_space(one, other, scale, *, each_by_its_own):
    first, second = Encoding.of_both(one, other, scale, each_by_its_own=each_by_its_own)
    return first.points(one), second.points(other)


@pytest.mark.parametrize("scale", Scale)
def test_both_tables_lie_in_the_space_of_the_first(scale):
    one, other = microdata(age=[0.0, 10.0, 20.0]), microdata(age=[5.0, 40.0, 10.0])
    first, second = in_one_space(one, other, scale, each_by_its_own=False)
    encoding = Encoding.fit(one, scale, {})
    assert np.array_equal(first.numbers, encoding.points(one).numbers)
    assert np.array_equal(second.numbers, encoding.points(other).numbers)


def test_each_table_may_be_scaled_by_its_own_figures():
    one, other = microdata(age=[0.0, 10.0, 20.0]), microdata(age=[0.0, 100.0, 200.0])
    first, second = in_one_space(one, other, Scale.ZSCORE, each_by_its_own=True)
    assert np.allclose(first.numbers, second.numbers)


@pytest.mark.parametrize("scale", Scale)
def test_missing_values_of_only_one_table_are_apart_from_all_others(scale):
    one, other = microdata(age=[0.0, 10.0, 20.0]), microdata(age=[0.0, NAN, 20.0])
    for pair in ((one, other), (other, one)):
        first, second = in_one_space(*pair, scale, each_by_its_own=False)
        assert len(first.codes) == len(second.codes) == 1
        assert first.costs.max() > 0
        assert np.array_equal(first.costs, second.costs)


# a block of a table


@pytest.mark.parametrize("scale", Scale)
def test_rows_of_a_block_lie_where_they_lie_in_the_whole(scale):
    rng = np.random.default_rng(2)
    age = np.where(rng.random(60) < 0.2, NAN, rng.normal(40, 10, 60))
    whole = microdata(age=age, pay=rng.lognormal(8, 1, 60), sex=tuple(rng.integers(-1, 3, 60)))
    rows = np.flatnonzero(~np.isnan(age))[:9]
    block, places = whole.block(rows), Encoding.fit(whole, scale, {}).points(whole).of(rows)
    found = Encoding.fit(block, scale, {}).points(block)
    assert np.array_equal(found.numbers, places.numbers)
    assert np.array_equal(found.codes, places.codes)
    assert np.array_equal(found.costs, places.costs)


def test_spread_of_the_missing_indicator_is_that_of_a_column_of_ones_and_zeros():
    for missing in (1, 3, 19):
        age = np.array([NAN] * missing + list(range(20 - missing)))
        axis = Encoding.fit(microdata(age=age), Scale.ZSCORE, {}).axes[0]
        assert axis.missing_cost == pytest.approx(0.5 / np.isnan(age).var(ddof=1))


def make():
    return Points(
        np.array([[0.0, 1.0, 2.0]]),
        np.array([[0, 1, 2], [0, 0, 1]], np.int32),
        np.array([[0.5, 1.0, 2.0], [3.0, 4.0, 0.0]]),
        (3, 2),
    )


def test_least_and_most_look_only_at_levels_that_exist():
    points = make()
    assert points.least.tolist() == [0.5, 3.0]
    assert points.most.tolist() == [2.0, 4.0]


def test_points_without_columns_have_rows_all_the_same():
    points = Points(np.empty((0, 3)), np.empty((0, 3), np.int32), np.zeros((0, 1)), ())
    assert points.n == 3
    assert points.least.shape == points.most.shape == (0,)


def test_walls_are_infinitely_high_and_change_nothing_else():
    points = make()
    walled = points.separate_groups(np.array([0, 1, 1], np.int32))
    assert walled.codes[-1].tolist() == [0, 1, 1]
    assert np.isinf(walled.costs[-1, :2]).all()
    assert np.array_equal(walled.codes[:-1], points.codes)
    assert np.array_equal(walled.costs[:-1, :3], points.costs)
    assert walled.levels == (3, 2, 2)
    assert len(points.codes) == 2


def test_more_walls_than_levels_fit():
    walled = make().separate_groups(np.array([0, 7, 3], np.int32))
    assert walled.levels == (3, 2, 8)
    assert walled.costs.shape == (3, 8)
    assert walled.least.tolist() == [0.5, 3.0, np.inf]


def test_repr_hides_the_values():
    assert repr(make()) == "<Points: 3 rows, 1 numeric, 2 nominal>"
