"""Numbers of expressions are exact: they agree with Python's own fractions."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.errors import TableError
from swapmeet.tables.expressions.numbers import Numbers, find_decimals, read_numbers, write_numbers

PLACES = st.integers(0, 6)


def _decimals(places: int, size: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(-size, size), min_size=1, max_size=5)


@given(st.data(), PLACES, PLACES, st.sampled_from([10**6, 10**17]))
def test_sums_and_products_of_decimals_are_exact(
    data: st.DataObject, one: int, two: int, size: int
) -> None:
    first = data.draw(_decimals(one, size))
    second = data.draw(st.lists(st.integers(-size, size), min_size=len(first), max_size=len(first)))
    a = read_numbers(pa.array([Decimal(x).scaleb(-one) for x in first], pa.decimal128(38, one)))
    b = read_numbers(pa.array([Decimal(x).scaleb(-two) for x in second], pa.decimal128(38, two)))
    pairs = zip(first, second, strict=True)
    exact = [(Fraction(x, 10**one), Fraction(y, 10**two)) for x, y in pairs]
    for found, work in ((a.add(b), lambda x, y: x + y), (a.multiply(b), lambda x, y: x * y)):
        assert found.scale is not None
        shown = [Fraction(int(d), 10**found.scale) for d in found.digits]
        assert shown == [work(x, y) for x, y in exact]
    quotients = a.divide_whole(b)
    wanted = [None if y == 0 else x // y for x, y in exact]
    shown = zip(quotients.digits, quotients.missing, strict=True)
    assert [None if gone else int(digits) for digits, gone in shown] == wanted


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=20), st.integers(0, 5))
def test_doubles_show_the_decimals_they_were_written_with(numbers: list[int], places: int) -> None:
    values = np.array([float(Decimal(x).scaleb(-places)) for x in numbers])
    found = Numbers.of_doubles(values)
    assert found.scale is not None
    assert found.scale <= places
    assert np.array_equal(found.doubles(), values)


def test_doubles_that_are_no_decimals_stay_doubles() -> None:
    assert find_decimals(np.array([1 / 3, 0.5])) is None
    assert Numbers.of_doubles(np.array([1e300, 1.0])).scale is None


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1), st.integers(-2, 4))
def test_rounding_goes_to_the_nearest_and_halves_away_from_zero(
    numbers: list[int], places: int
) -> None:
    found = Numbers(np.array(numbers), 3, np.zeros(len(numbers), bool)).round_to(places)
    for number, shown in zip(numbers, found.doubles(), strict=True):
        exact = Fraction(number, 1000)
        unit = Fraction(10) ** -places
        size = (abs(exact) / unit + Fraction(1, 2)) // 1 * unit
        assert shown == float(size if exact >= 0 else -size)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, None, -(2**62), 2**63 - 1], pa.int64()),
        pa.array([2**64 - 1, 0, None], pa.uint64()),
        pa.array([Decimal("-12345678901234567890.12"), None], pa.decimal128(30, 2)),
        pa.array([Decimal("1.5"), Decimal("-0.5"), None], pa.decimal128(5, 1)),
        pa.array([True, None, False]),
        pa.array([0, 20_000, None], pa.date32()),
        pa.array([0, 86_400_000_000, None, 3_600_000_000], pa.timestamp("us")),
        pa.array([0.1, 2.25, None]),
    ],
)
def test_columns_come_back_as_they_were(column: pa.Array) -> None:
    for array in (column, column.slice(1)):
        assert write_numbers(read_numbers(array), column.type, "x").equals(array)


def test_what_a_type_cannot_hold_is_refused_without_its_value() -> None:
    big = Numbers(np.array([300]), 0, np.array([False]))
    with pytest.raises(TableError, match="'x' of type uint8 cannot hold") as told:
        write_numbers(big, pa.uint8(), "x")
    assert "300" not in str(told.value)


@pytest.mark.parametrize("digits", [20, 40, 60])
def test_long_literals_are_exact(digits: int) -> None:
    whole = int("123456789" * 7) % 10**digits
    assert Numbers.constant(str(whole), 1).digits[0] == whole


@pytest.mark.parametrize("width", [128, 256])
@pytest.mark.parametrize("scale", [-2, 0, 3])
def test_decimals_of_any_width_and_scale_come_back(width: int, scale: int) -> None:
    kind = pa.decimal128(30, scale) if width == 128 else pa.decimal256(60, scale)
    values = [Decimal(v).scaleb(-scale) for v in (0, 1, -7, 10**20 + 3, -(10**22))] + [None]
    column = pa.array(values, kind)
    numbers = read_numbers(column)
    found = [None if gone else Fraction(int(d), 10 ** (numbers.scale or 0))
             for d, gone in zip(numbers.digits, numbers.missing, strict=True)]  # fmt: skip
    assert found == [None if v is None else Fraction(v) for v in values]
    assert write_numbers(numbers, kind, "x").equals(column)


def test_powers_of_powers_end_as_doubles() -> None:
    numbers, eight = Numbers.constant("12345", 3), Numbers.constant("8", 3)
    for _ in range(60):
        numbers = numbers.power(eight)
    assert numbers.scale is None
    assert numbers.missing.all()


@pytest.mark.parametrize("places", [-(10**9), -400, 400, 10**9])
@pytest.mark.parametrize("text", ["12.5", "1e-200", "1e200"])
def test_rounding_to_places_that_no_number_has(places: int, text: str) -> None:
    found = Numbers.constant(text, 2).round_to(places).doubles()
    assert np.allclose(found, 0.0 if places < 0 else float(text), rtol=1e-12, atol=0.0)
