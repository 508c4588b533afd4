"""Kinds of texts, each by itself: a number, a moment, nothing, or words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.core.base.bit_mixing import mix_bits

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.core.base.arrays import Bits, Flags, Floats, Ints

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
