"""The fingerprint of a release: 64 keyed bits of each row, by which an audit record knows its own.

The key comes from the seed, so that nobody without the record can make rows that pass for others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from swapmeet.base.parallel import ranges
from swapmeet.tables.cell_hash import Precision, hash_cells, mix_bits, pick_levels, precision_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from swapmeet.base.arrays import Bits
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
