"""The fingerprint of a release: 64 keyed bits of each row, by which an audit record knows its own.

The key comes from the seed, so that nobody without the record can make rows that pass for others.

A cell has the same 64 bits for the same value in whatever type, frame or file it is held: a release
leaves this program as one thing and comes back as another: whole numbers as doubles, categories as
text, texts as numbers, dates as text, `NA` as nothing. What cannot be told apart in every format
counts as the same here: a number and the text that shows it, true and 1, a day and its midnight, an
empty text and none. Fractions count up to single precision, since some columns have no more and
some readers err in the last digit; moments count up to the hour, since sheets round them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from swapmeet.base.parallel import ranges
from swapmeet.tables.arrow import CellType, codes_of, family_of, numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from swapmeet.base.arrays import Bits, Flags, Floats, Ints
    from swapmeet.base.seeds import Seed
    from swapmeet.tables.frame import Table


ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True, repr=False, eq=False)
class RowPrints:
    """The bits of rows, and for each column the sum of those of its cells, whatever their order."""

    rows: Bits
    totals: Bits

    def __repr__(self) -> str:
        return f"<RowPrints of {len(self.rows)} rows>"

    @classmethod
    def join(cls, parts: Sequence[RowPrints]) -> RowPrints:
        """Join the parts into one for all rows."""
        rows = np.concatenate([np.empty(0, np.uint64), *(part.rows for part in parts)])
        totals = np.array([part.totals for part in parts], np.uint64).sum(axis=0, dtype=np.uint64)
        return cls(rows, totals)


@dataclass(frozen=True, repr=False, eq=False)
class RowPrinter:
    """Rule that turns rows into bits: the columns and how exactly they count; holds the seed."""

    seed: Seed
    precisions: Mapping[str, Precision]

    def __repr__(self) -> str:
        return f"<RowPrinter of {len(self.precisions)} columns>"

    def exactly(self, names: Iterable[str]) -> RowPrinter:
        """The same for other columns, to the last digit."""
        return replace(self, precisions=dict.fromkeys(names, Precision.EXACT))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that take part."""
        return tuple(self.precisions)

    def print_rows(self, table: Table) -> RowPrints:
        """The bits of all rows of a table, or of a piece of one."""
        rows, totals = np.zeros(len(table), np.uint64), np.zeros(len(self.names), np.uint64)
        for place, (name, precision) in enumerate(self.precisions.items()):
            for begin, bits in _hash_pieces(table.cells(name), precision):
                cells = self._mix(name, bits)
                rows[begin : begin + len(cells)] += cells
                totals[place : place + 1] += cells.sum(keepdims=True)
        return RowPrints(mix_bits(rows), totals)

    def _mix(self, name: str, bits: Bits) -> Bits:
        first, second = np.frombuffer(self.seed.derive("fingerprint", name).key[:16], np.uint64)
        return mix_bits(mix_bits(bits + first) ^ second)


@dataclass(frozen=True, repr=False, eq=False)
class Fingerprint:
    """The rows of a release as they were published, in the order of the rows they stand for.

    `prints.totals` may be empty, where they were not added up.
    """

    precisions: Mapping[str, Precision]
    prints: RowPrints

    def __repr__(self) -> str:
        return "<Fingerprint: secret>"

    @classmethod
    def of(cls, seed: Seed, table: Table, names: Iterable[str]) -> Self:
        """That of a released table in memory."""
        precisions = choose_precisions({name: table.cells(name).type for name in names})
        return cls(precisions, RowPrinter(seed, precisions).print_rows(table))

    def printer(self, seed: Seed) -> RowPrinter:
        """Return the rule that makes the bits of a table to compare with."""
        return RowPrinter(seed, self.precisions)

    def describe(self) -> dict[str, Any]:
        """Return all that a file holds about it besides the bits of rows."""
        return {
            "precisions": {name: str(kind) for name, kind in self.precisions.items()},
            "totals": [int(total) for total in self.prints.totals],
        }

    @classmethod
    def read(cls, facts: Mapping[str, Any] | None, rows: Bits | None, n: int) -> Self | None:
        """From a file; None from older files, which have none."""
        if facts is None or rows is None:
            return None
        precisions = {str(name): Precision(kind) for name, kind in facts["precisions"].items()}
        totals = np.array(facts["totals"], np.uint64)
        if rows.dtype != np.uint64 or rows.shape != (n,) or len(totals) not in {0, len(precisions)}:
            raise ValueError
        return cls(precisions, RowPrints(rows, totals))


def choose_precisions(types: Mapping[str, Any]) -> dict[str, Precision]:
    """The columns of these Arrow types whose values come back from every file, and how exactly."""
    precisions = {name: precision_of(kind) for name, kind in types.items()}
    return {name: precision for name, precision in precisions.items() if precision is not None}


def _hash_pieces(column: Any, precision: Precision) -> Iterator[tuple[int, Bits]]:
    """The bits of some cells after the other; levels of categories are looked at only once."""
    import pyarrow.types as pt

    has_levels = pt.is_dictionary(column.type)
    levels = hash_cells(column.dictionary, precision) if has_levels else None
    for begin, end in ranges(len(column), ROWS_AT_ONCE):
        piece = column.slice(begin, end - begin)
        bits = hash_cells(piece, precision) if levels is None else pick_levels(levels, piece)
        yield begin, bits


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
    if family in {CellType.EMPTY, CellType.NESTED}:
        return np.full(len(column), MISSING)
    if family is CellType.CATEGORY:
        return pick_levels(hash_cells(column.dictionary, precision), column)
    if family is CellType.TEXT:
        levels = column.cast(pa.large_string()).dictionary_encode()
        return pick_levels(_hash_texts(levels.dictionary, precision), levels)
    if family is CellType.TIME and precision is not Precision.EXACT:
        return _hash_moments(column)
    if family is CellType.DECIMAL:
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


MOMENT = np.uint64(0x6D6F_6D65_6E74_0000)
"""Characters that distinguish moments from numbers."""
_NOTHING = ("", ".", "NA", "N/A", "n/a", "#N/A", "#NA", "#N/A N/A", "<NA>", "null", "NULL", "None",
            "NaT", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN")  # fmt: skip
"""Texts that readers take for missing; infinite numbers, which sheets cannot hold, are added."""
_BEYOND = r"(?i)^[+-]?(?:nan|inf|infinity)$"
_NUMBER = r"^[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?$"
_TRUE, _FALSE = r"(?i)^true$", r"(?i)^false$"
_MOMENT = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
    r" ?(?:Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?)?$"
)
_BYTES = 1 << 20
"""About so many bytes of text are looked at at once."""


@dataclass(frozen=True, repr=False)
class TextKinds:
    """Words without blanks around them, and which of them show what.

    >>> import pyarrow as pa
    >>> kinds = TextKinds.of(pa.array(["x ", "007", "2,5", "NA", "1970-01-02", "TRUE"]))
    >>> kinds.numeric.tolist(), kinds.numbers.tolist(), kinds.hours.tolist()
    ([1, 2, 5], [7.0, 2.5, 1.0], [24])
    """

    words: Any
    missing: Flags
    numeric: Ints
    timed: Ints

    @classmethod
    def of(cls, texts: Any) -> TextKinds:
        """Look at texts, each of which should be there only once."""
        import pyarrow as pa
        import pyarrow.compute as pc

        words = pc.utf8_trim_whitespace(texts.cast(pa.large_string()).fill_null(""))
        words = pc.replace_substring_regex(words, "\r\n?", "\n")
        nothing = pc.is_in(words, value_set=pa.array(_NOTHING, words.type))
        missing = np.asarray(nothing) | _find(words, _BEYOND)
        numeric = _find(words, _NUMBER) | _find(words, f"{_TRUE}|{_FALSE}")
        return cls(words, missing, np.flatnonzero(numeric), np.flatnonzero(_find(words, _MOMENT)))

    @cached_property
    def numbers(self) -> Floats:
        """The numbers that the numeric ones show."""
        import pyarrow as pa
        import pyarrow.compute as pc

        words = self.words.take(pa.array(self.numeric))
        for form, shown in ((_TRUE, "1"), (_FALSE, "0"), ("^[+]", ""), (",", ".")):
            words = pc.replace_substring_regex(words, form, shown)
        return np.asarray(words.cast(pa.float64()).to_numpy(zero_copy_only=False))

    @cached_property
    def hours(self) -> Ints:
        """The hours since 1970 of those that show a moment."""
        import pyarrow as pa

        words = self.words.take(pa.array(self.timed))
        days = _count_days(*(_digits(words, *at) for at in ((0, 4), (5, 7), (8, 10))))
        minutes = (days * 24 + _digits(words, 11, 13)) * 60 + _digits(words, 14, 16)
        return (minutes - _offsets(words)) // 60


def hash_text(words: Any) -> Bits:
    """64 bits of each text: the sum of those of its bytes, each in its place."""
    import pyarrow as pa

    words = words.cast(pa.large_binary()).fill_null(b"")
    _, places, content = words.buffers()
    ends = np.frombuffer(places, np.int64)[words.offset : words.offset + len(words) + 1]
    data = np.frombuffer(content, np.uint8) if content else np.empty(0, np.uint8)
    bits, begin = np.zeros(len(words), np.uint64), 0
    while begin < len(words):
        end = max(int(np.searchsorted(ends, ends[begin] + _BYTES, "right")) - 1, begin + 1)
        bits[begin:end] = _hash_some(data, ends[begin : end + 1])
        begin = end
    return bits


def _hash_some(data: npt.NDArray[np.uint8], ends: Ints) -> Bits:
    lengths = np.diff(ends)
    places = np.arange(ends[0], ends[-1]) - np.repeat(ends[:-1], lengths)
    cells = places.astype(np.uint64) << np.uint64(8) | data[ends[0] : ends[-1]]
    sums = np.concatenate(([np.uint64(0)], np.cumsum(mix_bits(cells))))
    return mix_bits(np.diff(sums[ends - ends[0]]) + lengths.astype(np.uint64))


def _find(words: Any, form: str) -> Flags:
    import pyarrow.compute as pc

    return np.asarray(pc.match_substring_regex(words, form), bool)


def _digits(words: Any, begin: int, end: int) -> Ints:
    """The number that stands there; 0 where nothing does."""
    import pyarrow as pa
    import pyarrow.compute as pc

    part = pc.utf8_slice_codeunits(words, begin, end)
    part = pc.if_else(pc.equal(part, ""), pa.scalar("0", part.type), part)
    return np.asarray(part.cast(pa.int64()).to_numpy(zero_copy_only=False))


def _offsets(words: Any) -> Ints:
    """Return the minutes by which the clocks of a zone are ahead of Greenwich."""
    import pyarrow.compute as pc

    zone = pc.replace_substring_regex(words, r"^.{10}(?:[T ][0-9:.]+ ?)?(?:Z|UTC)?", "")
    bare = pc.replace_substring_regex(zone, "[+:-]", "")
    minutes = _digits(bare, 0, 2) * 60 + _digits(bare, 2, 4)
    return np.where(np.asarray(pc.starts_with(zone, "-"), bool), -minutes, minutes)


def _count_days(year: Ints, month: Ints, day: Ints) -> Ints:
    """Days since 1970 in the Gregorian calendar; impossible dates get some number, too."""
    months = np.clip(year * 12 + month - 1 - 1970 * 12, -(10**6), 10**6)
    first = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return first + day - 1


def mix_bits(bits: Bits) -> Bits:
    """The scrambling of splitmix64: each bit depends on all."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
