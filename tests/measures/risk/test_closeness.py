from __future__ import annotations

import numpy as np
import pytest

from swapmeet.comparison.comparison import Comparison
from swapmeet.measures.risk.closeness import (
    KnownNumbers,
    PairedNumbers,
    blind,
    by_values,
    farthest,
    share_of_widths,
)
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

NAN = np.nan


def numbers(original, released, unit):
    original, released = np.array(original), np.array(released)
    names = tuple("abcdef"[: len(original)])
    return PairedNumbers(names, original, released, np.array(unit))


def table(columns):
    variables = tuple(
        Variable(name, Kind.NUMERIC, np.array(values, float))
        for name, values in zip("abcdef", columns, strict=False)
    )
    return Microdata(variables, np.zeros(len(columns[0]), np.int32))


def ruler(original, released, unit):
    names = tuple("abcdef"[: len(original)])
    comparison = Comparison(table(original), table(released), names, names)
    return KnownNumbers(comparison, names, np.array(unit), 0)


def test_the_farthest_column_counts_in_its_unit():
    found = farthest(numbers([[0.0, 5.0], [1.0, 1.0]], [[2.0, 5.0], [1.0, 4.0]], [4.0, 2.0]))
    assert found.tolist() == [0.5, 1.5]


def test_columns_with_a_missing_value_do_not_count():
    found = farthest(numbers([[0.0, NAN, NAN], [1.0, 1.0, 1.0]],
                             [[NAN, 5.0, NAN], [1.0, 4.0, NAN]], [1.0, 1.0]))  # fmt: skip
    assert found.tolist() == [0.0, 3.0, np.inf]


def test_without_a_unit_only_equal_values_are_near():
    assert farthest(numbers([[1.0, 2.0]], [[1.0, 1.0]], [0.0])).tolist() == [0.0, np.inf]


def test_a_tiny_unit_is_no_overflow():
    assert farthest(numbers([[1e150]], [[-1e150]], [5e-324])).tolist() == [np.inf]


def test_partners_are_released_rows():
    found = farthest(numbers([[1.0, 2.0, 3.0]], [[3.0, 1.0, 2.0]], [1.0]), np.array([1, 2, 0]))
    assert found.tolist() == [0.0, 0.0, 0.0]


def test_intervals_are_closed_up_to_rounding():
    widths = np.array([0.0, 0.01, 0.07, 0.1, 0.1 + 1e-9, 0.3 - 0.2, np.inf])
    assert share_of_widths(widths) == pytest.approx([1.0, 1.0, 0.4, 0.1, 0.0, 0.1, 0.0])


def test_the_mean_over_the_widths_is_that_of_the_records():
    released = np.random.default_rng(0).normal(scale=0.1, size=(1, 500))
    within = ruler(np.zeros((1, 500)), released, [1.0]).within()
    assert within.records.mean() == pytest.approx(within.shares.mean())
    assert within.shares[4] == (np.abs(released) <= 0.05).mean()


def test_the_deviation_of_a_constant_is_exactly_0():
    files = table([[0.1] * 3, [NAN] * 3, [1.0, NAN, 3.0]])
    unit = by_values(Comparison(files, files, files.names, files.names)).unit
    assert unit.tolist() == pytest.approx([0.0, 0.0, 2**0.5])


@pytest.mark.parametrize("n", [7, 300])
def test_blind_is_the_mean_over_all_ways_to_shuffle(n):
    """Columns are independent then: the product of the shares of all pairs that are near."""
    rng = np.random.default_rng(n)
    original, released = rng.normal(size=(2, 2, n)).round(1)
    unit = np.array([2.0, 5.0])
    widths = np.array([0.1, 0.4])
    shares = [
        [
            (np.abs(one[:, None] - other) <= width * scale + 1e-9).mean()
            for one, other, scale in zip(original, released, unit, strict=True)
        ]
        for width in widths
    ]
    assert blind(ruler(original, released, unit), widths) == pytest.approx(
        np.prod(shares, axis=1).mean()
    )
    assert blind(ruler(original, released, unit), widths, but="a") == pytest.approx(
        np.mean([share[1] for share in shares])
    )


def test_blind_looks_at_a_sample_of_many_rows():
    values = np.random.default_rng(0).random((1, 50_001))
    found = blind(ruler(values, values, [1.0]), np.array([0.1]))
    assert found == pytest.approx(0.19, abs=0.002)
