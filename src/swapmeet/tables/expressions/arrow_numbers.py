"""Columns of Arrow as exact numbers, and back in the type of a column."""

from __future__ import annotations

from typing import Any

import numpy as np

from swapmeet.errors import TableError
from swapmeet.tables.arrow import Family, family_of
from swapmeet.tables.expressions.numbers import SAFE, Numbers, magnitude

NUMERIC = {Family.INTEGER, Family.FLOAT, Family.DECIMAL, Family.BOOLEAN, Family.TIME}
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
