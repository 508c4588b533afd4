"""Columns of numbers that add up to the last digit: whole numbers of the smallest decimal unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.errors import TableError
from swapmeet.tables.arrow import CellType, family_of

SAFE = 1 << 62
"""Whole numbers up to this are held in 64 bits; larger ones in as many as they need."""
MOST_DECIMALS = 12
"""A double that shows more decimals than these is taken for what it is, a double."""
MOST_BITS, MOST_SCALE = 500, 150
"""Whole numbers with more bits, or of smaller units, are reckoned with as doubles."""
MOST_PLACES = 300
"""Nothing is rounded to more places than doubles have, before or behind the point."""
MOST_DIGITS = 1e15
"""Doubles have about so many digits."""


@dataclass(frozen=True, repr=False, eq=False)
class Numbers:
    """Numbers `digits` / 10 ** `scale`, exactly; without a scale, doubles.

    `missing` are rows without a value, whose digits are 0.

    >>> one, two = Numbers.of_doubles(np.array([0.1, 1.25])), Numbers.of_doubles(np.array([0.2, 2]))
    >>> one.add(two).doubles().tolist()
    [0.3, 3.25]
    """

    digits: npt.NDArray[Any]
    scale: int | None
    missing: Flags

    def __repr__(self) -> str:
        return f"<Numbers of {len(self.digits)} rows>"

    @classmethod
    def constant(cls, text: str, rows: int) -> Numbers:
        """A number as it is written, in so many rows."""
        present = np.zeros(rows, bool)
        digits, exponent = _read_literal(text)
        if not isinstance(exponent, int) or abs(exponent) > 30 or len(digits) > 60:
            return cls(np.full(rows, float(text)), None, present)
        scale = max(-exponent, 0)
        whole = int("".join(map(str, digits))) * 10 ** max(exponent, 0)
        kind: Any = np.int64 if abs(whole) < SAFE else object
        return cls(np.full(rows, whole, kind), scale, present)

    @classmethod
    def of_doubles(
        cls, values: npt.NDArray[Any], decimals: int | None = None, *, search: bool = True
    ) -> Numbers:
        """Doubles as the decimals that they show; as doubles if they show too many."""
        missing = ~np.isfinite(values)
        if (decimals is None and search) or not show(values[~missing], decimals):
            decimals = find_decimals(values)
        filled = np.where(missing, 0.0, values)
        if decimals is None:
            return cls(filled.astype(np.float64), None, missing)
        digits = np.rint(filled.astype(np.float64) * 10.0**decimals)
        if np.abs(digits).max(initial=0.0) > MOST_DIGITS:
            return cls(filled.astype(np.float64), None, missing)
        return cls(digits.astype(np.int64), decimals, missing)

    @classmethod
    def of_doubles_as_they_are(cls, values: Floats, missing: Flags) -> Numbers:
        """Doubles; what is no number is missing."""
        gone = missing | ~np.isfinite(values)
        return cls(np.where(gone, 0.0, values), None, gone)

    def doubles(self) -> Floats:
        """The nearest doubles; NaN where missing."""
        if self.scale is None:
            doubles = self.digits.astype(np.float64)
        else:
            doubles = np.asarray(self.digits / 10**self.scale, np.float64)
        return np.where(self.missing, np.nan, doubles)

    def add(self, other: Numbers) -> Numbers:
        """The sums."""
        one, two, scale = align(self, other)
        with np.errstate(all="ignore"):
            return self._joined(other, one + two, scale)

    def negate(self) -> Numbers:
        """The same below zero."""
        return Numbers(-self.digits, self.scale, self.missing)

    def multiply(self, other: Numbers) -> Numbers:
        """The products."""
        if self.scale is None or other.scale is None:
            return self._in_doubles(other, np.multiply)
        one, two, scale = self.digits, other.digits, self.scale + other.scale
        size = magnitude(one) * magnitude(two)
        if size.bit_length() > MOST_BITS or scale > MOST_SCALE:
            return self._in_doubles(other, np.multiply)
        if size >= SAFE:
            one, two = one.astype(object), two.astype(object)
        return self._joined(other, one * two, scale)

    def divide(self, other: Numbers) -> Numbers:
        """The quotients as doubles; missing where divided by zero."""
        return self._in_doubles(other, np.divide)

    def divide_whole(self, other: Numbers) -> Numbers:
        """The quotients rounded down; missing where divided by zero."""
        one, two, scale = align(self, other)
        if scale is None:
            return self._in_doubles(other, np.floor_divide)
        zero = two == 0
        quotients = np.where(zero, 0, one // np.where(zero, 1, two))
        return Numbers(quotients, 0, self.missing | other.missing | zero.astype(bool))

    def power(self, other: Numbers) -> Numbers:
        """To the power; exact where it is a small whole number, the same in all rows."""
        times = other.whole_constant()
        if self.scale is None or times is None or not 0 <= times <= 8:
            return self._in_doubles(other, np.power)
        product = Numbers(np.ones_like(self.digits), 0, self.missing | other.missing)
        for _ in range(times):
            product = product.multiply(self)
        return product

    def whole_constant(self) -> int | None:
        """The whole number that stands in all rows, if one does."""
        if self.scale != 0 or not len(self.digits) or (self.digits != self.digits[0]).any():
            return None
        return int(self.digits[0])

    def round_to(self, decimals: int) -> Numbers:
        """Rounded, halves away from zero."""
        decimals = min(max(decimals, -MOST_PLACES), MOST_PLACES)
        if self.scale is None:
            return _round_doubles(self, decimals)
        if self.scale <= decimals:
            return self
        unit = 10 ** (self.scale - decimals)
        digits = self.digits.astype(object) if unit >= SAFE else self.digits
        size = (2 * abs(digits) + unit) // (2 * unit)
        whole = Numbers(np.where(digits < 0, -size, size), max(decimals, 0), self.missing)
        if decimals >= 0:
            return whole
        return whole.multiply(Numbers.constant(str(10**-decimals), len(digits)))

    def round_down(self) -> Numbers:
        """The whole numbers that are not larger."""
        if self.scale is None:
            return _to_whole(np.floor(self.digits), self.missing)
        return Numbers(self.digits // 10**self.scale, 0, self.missing)

    def compare(self, other: Numbers) -> Ints:
        """-1, 0 or 1, row by row; doubles that differ by a billionth are the same."""
        one, two, scale = align(self, other)
        if scale is None:
            near = np.abs(one - two) <= 1e-9 * np.maximum(np.abs(one), np.abs(two))
            return np.where(near, 0, np.sign(one - two)).astype(np.int64)
        return (one > two).astype(np.int64) - (one < two).astype(np.int64)

    def _joined(self, other: Numbers, digits: npt.NDArray[Any], scale: int | None) -> Numbers:
        missing = self.missing | other.missing
        if scale is None:
            return Numbers.of_doubles_as_they_are(digits.astype(np.float64), missing)
        return Numbers(np.where(missing, 0, digits), scale, missing)

    def _in_doubles(self, other: Numbers, work: Any) -> Numbers:
        with np.errstate(all="ignore"):
            doubles = work(self.doubles(), other.doubles())
        return Numbers.of_doubles_as_they_are(doubles, self.missing | other.missing)


def _read_literal(text: str) -> tuple[tuple[int, ...], Any]:
    """Digits and exponent of a number as it is written; none where it is beyond all decimals."""
    from decimal import Decimal, InvalidOperation

    try:
        _, digits, exponent = Decimal(text).as_tuple()
    except InvalidOperation:
        return (), None
    return digits, exponent


def align(one: Numbers, other: Numbers) -> tuple[Any, Any, int | None]:
    """The digits of both at one scale, with room for their sum; doubles without a scale."""
    if one.scale is None or other.scale is None:
        first, second = (np.where(n.missing, 0.0, n.doubles()) for n in (one, other))
        return first, second, None
    scale = max(one.scale, other.scale)
    factors = [10 ** (scale - one.scale), 10 ** (scale - other.scale)]
    digits = [one.digits, other.digits]
    sizes = [magnitude(d) * f for d, f in zip(digits, factors, strict=True)]
    if sum(sizes) >= SAFE or max(factors) >= SAFE:
        digits = [d.astype(object) for d in digits]
    return digits[0] * factors[0], digits[1] * factors[1], scale


def choose_numbers(
    flags: Flags, one: Numbers, other: Numbers, known: Flags | None = None
) -> Numbers:
    """The numbers of `one` where flagged, else those of the other; none where nothing is known."""
    first, second, scale = align(one, other)
    missing = np.where(flags, one.missing, other.missing)
    missing = missing if known is None else missing | ~known
    return Numbers(np.where(missing, 0, np.where(flags, first, second)), scale, missing)


def magnitude(digits: npt.NDArray[Any]) -> int:
    """The largest size of whole numbers."""
    if not len(digits):
        return 0
    return max(abs(int(digits.max())), abs(int(digits.min())))


def find_decimals(values: npt.NDArray[Any]) -> int | None:
    """The decimals that doubles show, at most; None if some show too many to be decimals.

    >>> find_decimals(np.array([12.5, np.nan, 3.25])), find_decimals(np.array([1 / 3]))
    (2, None)
    """
    present = values[np.isfinite(values)]
    largest = float(np.abs(present).max(initial=0.0))
    for decimals in range(MOST_DECIMALS + 1):
        if largest * 10.0**decimals > MOST_DIGITS:
            return None
        if show(present, decimals):
            return decimals
    return None


def show(values: npt.NDArray[Any], decimals: int | None) -> bool:
    """Return whether finite doubles show no more decimals than these.

    >>> show(np.array([0.25]), 2), show(np.array([0.25]), 1)
    (True, False)
    """
    if decimals is None:
        return True
    unit = 10.0**decimals
    shown = np.rint(values.astype(np.float64) * unit) / unit
    return np.array_equal(shown.astype(values.dtype), values)


def _round_doubles(numbers: Numbers, decimals: int) -> Numbers:
    with np.errstate(over="ignore"):
        scaled = np.abs(numbers.digits) * 10.0**decimals
    if not np.isfinite(scaled).all():
        return numbers
    near = scaled + 0.5 + 1e-9 * np.minimum(scaled, 1.0)
    rounded = np.copysign(np.floor(near), numbers.digits)
    if decimals < 0 or np.abs(rounded).max(initial=0.0) > MOST_DIGITS:
        return Numbers(rounded / 10.0**decimals, None, numbers.missing)
    return Numbers(rounded.astype(np.int64), decimals, numbers.missing)


def _to_whole(values: Floats, missing: Flags) -> Numbers:
    if np.abs(values).max(initial=0.0) > MOST_DIGITS:
        return Numbers(values, None, missing)
    return Numbers(values.astype(np.int64), 0, missing)


NUMERIC = {CellType.INTEGER, CellType.FLOAT, CellType.DECIMAL, CellType.BOOLEAN, CellType.TIME}
WORD = 1 << 64
DAY = 86_400
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def holds_numbers(column: Any) -> bool:
    """Return whether the values of a column can be reckoned with; moments count as days."""
    import pyarrow.types as pt

    if pt.is_time(column.type) or pt.is_duration(column.type):
        return False
    return family_of(column, ordered=False) in NUMERIC


def read_numbers(column: Any, decimals: int | None = None, *, search: bool = True) -> Numbers:
    """The column as exact numbers; doubles as the `decimals` that they show, if they do."""
    import pyarrow as pa
    import pyarrow.types as pt

    missing = np.asarray(column.is_null(nan_is_null=True))
    if pt.is_floating(column.type):
        filled = column.to_numpy(zero_copy_only=False)
        return Numbers.of_doubles(filled, decimals, search=search)
    if pt.is_decimal(column.type):
        return Numbers(_read_decimals(column, missing), max(column.type.scale, 0), missing)
    if pt.is_temporal(column.type):
        return _read_days(column, missing)
    if pt.is_uint64(column.type):
        digits = column.fill_null(0).to_numpy(zero_copy_only=False)
        wide = digits.astype(object) if magnitude(digits) >= SAFE else digits.astype(np.int64)
        return Numbers(wide, 0, missing)
    if pt.is_boolean(column.type):
        column = column.cast(pa.int8())
    digits = column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    wide = digits.astype(object) if magnitude(digits) >= SAFE else digits
    return Numbers(wide, 0, missing)


def write_numbers(numbers: Numbers, kind: Any, name: str, decimals: int | None = None) -> Any:
    """Numbers as an Arrow array of a type, rounded to what it holds, doubles to `decimals`."""
    import pyarrow as pa
    import pyarrow.types as pt

    try:
        if pt.is_floating(kind):
            rounded = numbers if decimals is None else numbers.round_to(decimals)
            return pa.array(rounded.doubles(), mask=numbers.missing).cast(kind, safe=False)
        if pt.is_decimal(kind):
            return _write_decimals(numbers.round_to(kind.scale), kind)
        if pt.is_temporal(kind):
            return _write_days(numbers, kind)
        if pt.is_boolean(kind):
            return pa.array(numbers.digits != 0, pa.bool_(), mask=numbers.missing)
        digits = numbers.round_to(0).digits
        if digits.dtype == object:
            return pa.array(digits.tolist(), kind, mask=numbers.missing)
        return pa.array(digits.astype(np.int64), mask=numbers.missing).cast(kind)
    except (pa.ArrowException, OverflowError):
        raise TableError(
            f"column {name!r} of type {kind} cannot hold all the values that follow from the "
            "released ones. Widen its type."
        ) from None


def count_decimals(column: Any) -> int | None:
    """The decimals of a column: those of its type, or that its doubles show; None if too many."""
    import pyarrow.types as pt

    from swapmeet.tables.expressions.numbers import find_decimals

    if pt.is_decimal(column.type):
        return int(column.type.scale)
    if pt.is_floating(column.type):
        return find_decimals(column.to_numpy(zero_copy_only=False))
    return 0


def _read_decimals(column: Any, missing: Any) -> Any:
    """The whole numbers that a decimal type keeps, in words of 64 bits, the lowest first."""
    import pyarrow as pa

    if column.type.bit_width < 128:
        column = column.cast(pa.decimal128(38, column.type.scale))
    count = column.type.bit_width // 64
    words = np.frombuffer(column.buffers()[1], np.int64).reshape(-1, count)
    words = np.where(missing[:, None], 0, words[column.offset : column.offset + len(column)])
    low, *others = words.T
    unit = 10 ** max(-column.type.scale, 0)
    if all(np.array_equal(word, low >> 63) for word in others) and magnitude(low) * unit < SAFE:
        return low * unit
    wide = others[-1].astype(object)
    for word in words.T[-2::-1]:
        wide = wide * WORD + word.view(np.uint64).astype(object)
    return wide * unit


def _write_decimals(numbers: Numbers, kind: Any) -> Any:
    import pyarrow as pa

    if numbers.scale is None:
        doubles = pa.array(np.round(numbers.doubles(), kind.scale), mask=numbers.missing)
        return doubles.cast(kind, safe=False)
    digits = _scale_digits(numbers.digits.astype(object), kind.scale - numbers.scale)
    is_wide = kind.bit_width > 128
    if magnitude(digits) >= 10 ** (76 if is_wide else 38):
        raise OverflowError
    words = np.empty((len(digits), 4 if is_wide else 2), np.uint64)
    for place in range(words.shape[1]):
        words[:, place] = (digits // WORD**place % WORD).astype(np.uint64)
    valid = pa.array(~numbers.missing).buffers()[1]
    whole = pa.decimal256(76, kind.scale) if is_wide else pa.decimal128(38, kind.scale)
    return pa.Array.from_buffers(whole, len(digits), [valid, pa.py_buffer(words)]).cast(kind)


def _scale_digits(digits: Any, places: int) -> Any:
    return digits * 10**places if places >= 0 else digits // 10**-places


def _read_days(column: Any, missing: Any) -> Numbers:
    import pyarrow as pa
    import pyarrow.types as pt

    if pt.is_date32(column.type):
        days = column.cast(pa.int32()).fill_null(0).to_numpy(zero_copy_only=False)
        return Numbers(days.astype(np.int64), 0, missing)
    unit = _PER_SECOND[getattr(column.type, "unit", "ms")] * DAY
    moments = column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    if not (moments % unit).any():
        return Numbers(moments // unit, 0, missing)
    return Numbers.of_doubles_as_they_are(moments / unit, missing)


def _write_days(numbers: Numbers, kind: Any) -> Any:
    import pyarrow as pa
    import pyarrow.types as pt

    if pt.is_date32(kind):
        days = numbers.round_to(0).digits.astype(np.int32)
        return pa.array(days, mask=numbers.missing).cast(kind)
    unit = _PER_SECOND[getattr(kind, "unit", "ms")] * DAY
    if numbers.scale == 0:
        moments = numbers.digits.astype(np.int64) * unit
    else:
        moments = np.rint(np.nan_to_num(numbers.doubles()) * unit).astype(np.int64)
    return pa.array(moments, mask=numbers.missing).cast(kind)
