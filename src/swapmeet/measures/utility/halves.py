"""Two halves of a table, by what is in its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.tables.schema import Kind
from swapmeet.measures.arrays import hash_values

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Flags, Hashes, Ints
    from swapmeet.core.tables.microdata import Microdata, Variable
    from swapmeet.measures.comparison import Comparison


def split_in_halves(comparison: Comparison, rows: Ints) -> tuple[Flags, Flags]:
    """Flag the original and released rows that are in the first half, as if by a coin.

    The coin is the row's content and, of rows with the same content, their number. So the same
    tables have the same halves, whatever the order of their rows, and those of an unchanged release
    are those of the original.
    """
    ranks = [_ranks(variable) for variable in comparison.original.variables]
    one, other = (
        _toss(_contents(data, ranks, rows)) for data in (comparison.original, comparison.released)
    )
    return one, other


def _ranks(variable: Variable) -> Ints | None:
    """Numbers for the levels of a nominal column, by frequency: codes depend on the rows' order."""
    if variable.kind is not Kind.NOMINAL:
        return None
    counts = np.zeros(variable.levels + 1, np.int64)
    counts[variable.known.values] = variable.known.counts
    ranks = np.empty(len(counts), np.int64)
    ranks[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return ranks


def _contents(data: Microdata, ranks: list[Ints | None], rows: Ints) -> Hashes:
    mixed = np.zeros(len(rows), np.uint64)
    for place, (variable, rank) in enumerate(zip(data.variables, ranks, strict=True)):
        values = variable.values[rows]
        mixed ^= hash_values(values if rank is None else rank[values], place)
    return mixed


def _toss(contents: Hashes) -> Flags:
    """A bit for each row; rows with the same content have bits of their own."""
    order = np.argsort(contents, kind="stable")
    ordered = contents[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
    return (hash_values(contents.view(np.int64) ^ (number << 1), 0) >> np.uint64(40)) % 2 == 0
