from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from matched_examples import make_data, multiply_out, tables
from scipy.stats import chi2_contingency

from swapmeet.methods.matched_swap.trading import Keeping, encode_features
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind


def _relations(data, **keeping):
    found = encode_features(data, Keeping(**keeping))
    return found, multiply_out(found.feature, found.value, found.total) / data.n


def test_products_of_two_numbers_are_their_correlation():
    """With the standard deviations of a sample: less by (n - 1) / n."""
    data = make_data(["number", "number"], 50)
    _, products = _relations(data)
    expected = np.corrcoef(data.variables[0].values, data.variables[1].values)
    np.testing.assert_allclose(products, expected * 49 / 50, atol=1e-9)


def test_products_of_two_nominal_columns_are_their_contingency():
    """Sum of squares, less the 1 that independence gives: Pearson's phi-square."""
    rng = np.random.default_rng(3)
    one = rng.integers(0, 3, 200)
    other = (one + rng.integers(0, 2, 200)) % 4
    columns = [Variable(name, Kind.NOMINAL, v, 4) for name, v in (("a", one), ("b", other))]
    found, products = _relations(Microdata(tuple(columns), np.zeros(200, np.int32)))
    across = products[np.ix_(found.columns == 0, found.columns == 1)]
    table = np.histogram2d(one, other, bins=[3, 4])[0]
    phi = chi2_contingency(table, correction=False).statistic / 200
    assert (across**2).sum() - 1 == pytest.approx(phi)


def test_products_of_a_number_and_a_nominal_column_are_the_correlation_ratio():
    data = make_data(["number", "nominal"], 90)
    number, level = (v.values for v in data.variables)
    found, products = _relations(data)
    across = products[np.ix_(found.columns == 0, found.columns == 1)]
    means = [number[level == one].mean() - number.mean() for one in (-1, 0, 1, 2)]
    sizes = [(level == one).sum() for one in (-1, 0, 1, 2)]
    between = np.dot(sizes, np.square(means)) / 90
    assert (across**2).sum() == pytest.approx(between / number.var() * 89 / 90)


def test_missing_numbers_are_a_level_of_their_own_and_add_nothing_as_numbers():
    data = make_data(["gaps"], 40)
    found = encode_features(data, Keeping())
    missing = data.variables[0].missing
    assert found.numbers == 1
    assert found.total == 3
    number = found.value[found.feature == 0].reshape(-1)
    assert (number[missing] == 0).all()
    assert set(found.feature[missing].ravel()) == {0, 2}


def test_columns_of_one_value_or_none_have_no_features():
    found = encode_features(make_data(["flat", "empty"], 20), Keeping())
    assert found.total == 0
    assert found.begins.tolist() == [0, 0, 0]


def test_rare_levels_are_pooled_and_counted():
    values = np.repeat([0, 1, 2, 3], [10, 10, 3, 1])
    column = Variable("town", Kind.NOMINAL, values, 4)
    found = encode_features(Microdata((column,), np.zeros(24, np.int32)), Keeping())
    assert found.pooled == {"town": 2}
    assert found.shares.tolist() == [10 / 24, 10 / 24, 4 / 24]
    assert len(set(found.feature[20:, 0])) == 1


def test_squares_are_features_of_their_column():
    found = encode_features(make_data(["number"], 30), Keeping(squares=True))
    assert found.numbers == 2
    np.testing.assert_allclose(
        found.value[:, 1], (np.minimum(found.value[:, 0] ** 2, 10) - 1) / np.sqrt(2)
    )


def test_units_come_first_and_what_stays_last():
    data = make_data(["number", "nominal", "number", "number"], 30)
    names = data.names
    found = encode_features(data, Keeping(), [[names[3], names[1]], [names[0]]])
    assert found.begins.tolist() == [0, 2, 3]
    columns = found.columns[found.feature[0]]
    assert columns.tolist() == [3, 1, 0, 2]


def test_a_weight_is_how_much_the_features_of_a_column_count():
    data = make_data(["number", "nominal"], 30)
    found = encode_features(data, Keeping(weights={data.names[1]: 3.0}))
    assert found.scale.tolist() == [1.0] + [3.0] * (found.total - 1)


@given(tables())
def test_every_entry_is_a_feature_and_finite(found):
    assert np.isfinite(found.value).all()
    assert ((found.feature >= 0) & (found.feature < max(found.total, 1))).all()
    assert len(found.scale) == len(found.columns) == len(found.shares) == found.total
    assert found.begins[-1] <= found.feature.shape[1]


# many columns, many levels


def _make_levels(levels, columns, n):
    """Nominal columns of about equally frequent levels."""
    codes = [(np.arange(n) * (i % (levels - 1) + 1)) % levels for i in range(columns)]
    made = (Variable(f"c{i}", Kind.NOMINAL, c, levels) for i, c in enumerate(codes))
    return Microdata(tuple(made), np.zeros(n, np.int32))


@pytest.mark.parametrize(("columns", "own"), [(10, 97), (60, 24), (400, 2), (2000, 1)])
def test_many_columns_have_fewer_levels_of_their_own_and_it_is_said(columns, own):
    """Of 97 levels; 1,500 features for all, of which each column needs one for the others."""
    found = encode_features(_make_levels(97, columns, 970), Keeping())
    assert found.total == columns * (own + 1)
    assert found.pooled.get("c0", 0) == 97 - own
    assert own == 1 or found.total <= 1_500


def test_numbers_take_room_from_levels():
    few = _make_levels(97, 10, 970)
    numbers = make_data(["number"] * 1_000, 970)
    both = Microdata((*few.variables, *numbers.variables), few.strata)
    assert not encode_features(few, Keeping()).pooled
    found = encode_features(both, Keeping())
    assert found.total <= 1_500
    assert found.pooled["c0"] == 97 - 49


def test_classes_are_left_out_where_features_would_be_too_many(monkeypatch):
    monkeypatch.setattr("swapmeet.methods.matched_swap.trading.features.MOST_FEATURES", 35)
    found = [
        encode_features(make_data(["number"] * w, 9_000), Keeping(classes=True)) for w in (2, 4)
    ]
    assert found[0].total > 20
    assert found[1].total == 4
