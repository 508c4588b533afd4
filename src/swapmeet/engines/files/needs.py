"""Needs of a file in memory and disk, found out before any work is done."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from math import isqrt, sqrt
from typing import TYPE_CHECKING, Self

from swapmeet.errors import OutputError, ParameterError, UsageError
from swapmeet.tables.schema_guess import HEAD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from swapmeet.io.format import Source
    from swapmeet.tables.schema import Column, Schema

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
BASE = 420 * 10**6
"""Memory that the program takes without any data."""
PER_BYTE = 4.0
"""Bytes of memory for each byte of a block's rows as Arrow holds them."""
PER_CELL = 50.0
"""Bytes of memory for each masked cell of a block: numbers, donors, and what methods need."""
CELL = 8
PRINTS = 3
"""Number of copies of a release's fingerprint: as it was, as it is found, and in order."""
LEAST_BLOCK = 1_000
"""Blocks of fewer rows are not chosen unless they are asked for: rows find few others in them."""
GUEST = 0.5
"""Memory of a guest, as a share of a row that is masked."""


def bytes_of(memory: str | int) -> int:
    """The number of bytes that a text such as 4GB stands for.

    >>> bytes_of("4GB"), bytes_of("1.5 gb"), bytes_of(4096)
    (4000000000, 1500000000, 4096)
    """
    is_none = isinstance(memory, int) and (isinstance(memory, bool) or memory >= 10**18)
    text = "" if is_none else str(memory)
    match = re.fullmatch(r"([0-9]{1,18}(?:\.[0-9]+)?)\s*([A-Z]*)", text.strip().upper())
    unit = None if match is None else UNITS.get(match[2])
    if match is None or unit is None or float(match[1]) * unit < 1:
        raise ParameterError("`memory` must be a size such as 4GB or 500MB.")
    return int(float(match[1]) * unit)


def format_bytes(size: float) -> str:
    """A size for people.

    >>> format_bytes(2_345_000_000), format_bytes(12_300_000)
    ('2.4 GB', '13 MB')
    """
    if size >= UNITS["GB"]:
        return f"{_up(size / 10**8) / 10:g} GB"
    return f"{_up(size / 10**6)} MB"


def _up(number: float) -> int:
    return -int(-number // 1)


def require_record(rows: int, columns: int, limit: int) -> int:
    """Memory for the audit record of so many published columns, which may be half of all."""
    record = rows * CELL * (columns + 1 + PRINTS)
    if record > (limit - BASE) / 2:
        raise UsageError(
            f"--audit: the audit record of {rows:,} rows needs {format_bytes(record)} of memory, "
            f"and may take half of it. Raise --memory to {format_bytes(BASE + 2 * record)}, or do "
            "without the record: the same seed makes the same release."
        )
    return record


@dataclass(frozen=True)
class Needs:
    """Memory of each row: as Arrow holds it, and in all while its block is masked."""

    rows: int
    stored: float
    worked: float
    columns: int

    @classmethod
    def of(cls, source: Source, schema: Schema, raw: Mapping[str, str]) -> Needs:
        """Estimate the bytes of a file's rows, judged by its first rows."""
        cells = [raw[name] for name in schema.published if name in raw]
        head = next(source.pieces((*schema.published, *cells), HEAD), (0, source.head))[1]
        stored = head.nbytes / max(len(head), 1) + CELL
        worked = PER_BYTE * stored + PER_CELL * len(schema.masked)
        return cls(source.rows, stored, worked, len(schema.published))

    def piece_rows(self, limit: int) -> int:
        """Number of rows that are read at once."""
        return int(min(max(limit / 64 / self.stored, 1024), 1 << 19))

    def choose_block_rows(
        self, wanted: int, limit: int, *, audited: bool, guests: Callable[[int], float]
    ) -> int:
        """The block rows wanted, or as many as the memory holds; `guests` come to rows of such.

        Blocks of fewer than some rows make no sense: they are not chosen, and refused in the end.
        """
        free = limit - BASE - self._record(limit, audited=audited)
        if self._largest(wanted) * self._worked(guests(wanted)) <= free:
            return wanted
        least = min(LEAST_BLOCK, self.rows)
        worked = self._worked(guests(least))
        fitting = _round_down(_block_rows_within(free / worked)) if free > 0 else 0
        if fitting < least:
            needed = limit - free + self._largest(least) * worked
            raise UsageError(
                f"even blocks of {least} rows need about {format_bytes(needed)} of memory, and "
                f"{format_bytes(limit)} is allowed. Give at least {format_bytes(needed)}, or mask "
                "fewer columns."
            )
        return min(fitting, wanted)

    def _worked(self, guests: float) -> float:
        return self.worked * (1.0 + GUEST * guests)

    def _largest(self, block_rows: int) -> int:
        return min(_largest_block(block_rows), self.rows)

    def _record(self, limit: int, *, audited: bool) -> int:
        return require_record(self.rows, self.columns, limit) if audited else 0

    def require_memory(
        self, block_rows: int, limit: int, *, audited: bool, guests: float = 0.0
    ) -> None:
        """Refuse blocks, or an audit record, that cannot fit; `guests` come to each row."""
        free = limit - BASE
        if free < self.worked * _largest_block(1):
            raise UsageError(
                f"a memory of {format_bytes(limit)} is not enough even for the smallest block; "
                f"give at least {format_bytes(max(2 * BASE, BASE + self._least()))}."
            )
        record = self._record(limit, audited=audited)
        largest, worked = self._largest(block_rows), self._worked(guests)
        if largest * worked > free - record:
            fitting = _round_down(_block_rows_within((free - record) / worked))
            raise UsageError(
                f"a block of {block_rows} rows needs about "
                f"{format_bytes(BASE + largest * worked)} of memory"
                f"{' with its guests' if guests else ''}, and {format_bytes(limit)} is allowed. "
                f"Use blocks of at most {fitting} rows, or raise the memory."
            )

    def _least(self) -> float:
        return self.worked * self._largest(LEAST_BLOCK)

    def require_disk(
        self, source: Path, target: Path, *, guests: float = 0.0, releases: int = 1
    ) -> None:
        """Refuse a disk without room for what is put aside, and the release."""
        needed = (1.0 + releases + guests) * self.rows * self.stored + source.stat().st_size
        free = shutil.disk_usage(target.parent).free
        if needed > free:
            raise OutputError(
                f"{target}: the work needs about {format_bytes(needed)} of free disk in "
                f"{target.parent}, which has {format_bytes(free)}. Free some, or write to another "
                "disk."
            )


def _largest_block(block_rows: int) -> int:
    """The rows of the largest block: rows are dealt at random; 7 sds suffice."""
    return block_rows + 7 * isqrt(block_rows) + 16


def _block_rows_within(rows: float) -> int:
    """The most block rows whose largest block has at most this many rows."""
    return int(((sqrt(max(4.0 * rows - 15.0, 49.0)) - 7.0) / 2.0) ** 2)


def _round_down(number: int) -> int:
    """Two leading digits, the rest cut off."""
    unit = 10 ** max(len(str(number)) - 2, 0)
    return number // unit * unit


VECTORS = 40
"""Bytes for each row of what is held as a whole: who owns it, and a column in order."""
PER_VALUE = 120
"""Bytes for each cell of a piece that is looked at, in both tables."""
LEAST_PIECE, LARGEST_PIECE = 1 << 10, 1 << 19
COPIES = 8
"""Largest number of copies of a column on the disk: both files, dealt, in order, by ranks."""


@dataclass(frozen=True)
class ComparisonNeeds:
    """Estimate what it takes to assess a file with this many rows and columns."""

    rows: int
    columns: int
    record: int

    @classmethod
    def of(cls, source: Source, columns: Sequence[Column], *, audited: bool) -> Self:
        """Estimate the needs of a file; an audit record is held as a whole for a while."""
        record = CELL * (len(columns) + 1 + PRINTS) if audited else 0
        return cls(source.rows, len(columns), record)

    @property
    def _fixed(self) -> int:
        return BASE + self.rows * (VECTORS + self.record)

    def piece_rows(self, limit: int) -> int:
        """Number of rows that are looked at at once."""
        fitting = (limit - self._fixed) // (PER_VALUE * self.columns)
        return int(min(max(fitting, LEAST_PIECE), LARGEST_PIECE))

    def room(self, limit: int) -> int:
        """Bytes for what is held besides what is held in any case."""
        return limit - self._fixed

    def require_memory(self, limit: int) -> None:
        """Refuse a memory that cannot do."""
        needed = self._fixed + LEAST_PIECE * PER_VALUE * self.columns
        if needed > limit:
            raise UsageError(
                f"assessing {self.rows} rows needs about {format_bytes(needed)} of memory"
                f"{', with the audit record' * (self.record > 0)}, and {format_bytes(limit)} is "
                "allowed. Raise the memory."
            )

    def require_disk(self, beside: Path) -> None:
        """Refuse a disk without room for what is put aside."""
        needed = COPIES * CELL * self.columns * self.rows
        free = shutil.disk_usage(beside.parent).free
        if needed > free:
            raise OutputError(
                f"{beside}: the work needs about {format_bytes(needed)} of free disk in "
                f"{beside.parent}, which has {format_bytes(free)}. Free some, or move the file to "
                "another disk."
            )
