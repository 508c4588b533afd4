"""64 bits of each cell, the same for the same value in whatever type, frame or file it is held.

A release leaves this program as one thing and comes back as another: whole numbers as doubles,
categories as text, texts as numbers, dates as text, `NA` as nothing. What cannot be told apart in
every format counts as the same here: a number and the text that shows it, true and 1, a day and its
midnight, an empty text and none. Fractions count up to single precision, since some columns have no
more and some readers err in the last digit; moments count up to the hour, since sheets round them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.core.base.bit_mixing import mix_bits
from swapmeet.core.tables.arrow import Family, codes_of, family_of, numbers_of
from swapmeet.core.tables.cell_text import MOMENT, TextKinds, hash_text

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Bits, Floats, Ints

MISSING = np.uint64(0xFFF8_0000_0000_0001)
"""The bits of a cell that holds nothing."""
LARGEST_WHOLE = 10**15
_PER_HOUR = {"s": 3_600, "ms": 3_600 * 10**3, "us": 3_600 * 10**6, "ns": 3_600 * 10**9}


class Precision(StrEnum):
    """Difference up to which two values of a column count as the same."""

    EXACT = "exact"
    USUAL = "usual"
    SINGLE = "single"


def precision_of(kind: Any) -> Precision | None:
    """That of a column of this Arrow type; None where values do not come back from every file."""
    import pyarrow.types as pt

    if pt.is_dictionary(kind):
        return precision_of(kind.value_type)
    if pt.is_float16(kind) or pt.is_float32(kind):
        return Precision.SINGLE
    plain = (
        pt.is_boolean, pt.is_integer, pt.is_float64, pt.is_decimal, pt.is_date, pt.is_timestamp,
        pt.is_string, pt.is_large_string, pt.is_string_view, pt.is_null,
    )  # fmt: skip
    return Precision.USUAL if any(test(kind) for test in plain) else None


def hash_cells(column: Any, precision: Precision = Precision.USUAL) -> Bits:
    """The bits of each cell of an Arrow array; nested values, which nothing compares, have none.

    >>> import pyarrow as pa
    >>> one, other = hash_cells(pa.array([5, None])), hash_cells(pa.array(["5.0", "NA"]))
    >>> bool((one == other).all())
    True
    """
    import pyarrow as pa

    family = family_of(column, ordered=False)
    if family in {Family.EMPTY, Family.NESTED}:
        return np.full(len(column), MISSING)
    if family is Family.CATEGORY:
        return pick_levels(hash_cells(column.dictionary, precision), column)
    if family is Family.TEXT:
        levels = column.cast(pa.large_string()).dictionary_encode()
        return pick_levels(_hash_texts(levels.dictionary, precision), levels)
    if family is Family.TIME and precision is not Precision.EXACT:
        return _hash_moments(column)
    if family is Family.DECIMAL:
        column = column.cast(pa.string()).cast(pa.float64())
    return _hash_numbers(numbers_of(column), precision)


def pick_levels(levels: Bits, column: Any) -> Bits:
    """The bits of each cell of an array with a dictionary, whose levels have these bits."""
    return np.append(levels, MISSING)[codes_of(column).codes]


def _hash_numbers(values: Floats, precision: Precision) -> Bits:
    """Whole numbers count exactly as far as sheets keep them, all others to single precision."""
    if precision is Precision.EXACT:
        return np.where(np.isnan(values), MISSING, (values + 0.0).view(np.uint64))
    with np.errstate(over="ignore"):
        single = values.astype(np.float32).astype(np.float64)
    if precision is Precision.USUAL:
        kept = (np.rint(values) == values) & (np.abs(values) < LARGEST_WHOLE)
        single = np.where(kept, values, single)
    return np.where(np.isfinite(values), (single + 0.0).view(np.uint64), MISSING)


def _hash_moments(column: Any) -> Bits:
    """Moments by the hour, in the time of Greenwich where there are zones."""
    import pyarrow as pa
    import pyarrow.types as pt

    if pt.is_date(column.type):
        column = column.cast(pa.timestamp("s"))
    counts = column.cast(pa.int64())
    hours = counts.fill_null(0).to_numpy(zero_copy_only=False) // _PER_HOUR[column.type.unit]
    return np.where(np.asarray(counts.is_null()), MISSING, _hash_hours(hours))


def _hash_hours(hours: Ints) -> Bits:
    return mix_bits(hours.view(np.uint64) ^ MOMENT)


def _hash_texts(levels: Any, precision: Precision) -> Bits:
    """Texts by what they show: a number, a moment, nothing, or themselves."""
    if precision is Precision.EXACT:
        return hash_text(levels)
    kinds = TextKinds.of(levels)
    bits = hash_text(kinds.words)
    bits[kinds.missing] = MISSING
    bits[kinds.numeric] = _hash_numbers(kinds.numbers, precision)
    bits[kinds.timed] = _hash_hours(kinds.hours)
    return bits
