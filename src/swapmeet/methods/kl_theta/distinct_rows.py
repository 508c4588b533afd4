"""Rows that agree in every key and in every sensitive value are one distinct row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from swapmeet.methods.kl_theta.tree import arrange, leaves_for

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.methods.kl_theta.keys import EncodedKeys


class DistinctRows(NamedTuple):
    """Numbers, marks and sensitive values of each distinct row, and the distinct row of each row.

    Distinct rows stand in slots, in the order of the leaves of a tree, all of which have the same
    number of slots; some slots are for no row.
    """

    numbers: Floats
    marks: Ints
    codes: Ints
    of_row: Ints


def find_distinct_rows(keys: EncodedKeys, codes: Ints) -> tuple[DistinctRows, int]:
    """The distinct rows, and the number of leaves."""
    number, example = _number_alike([*keys.numbers.T, *keys.marks.T, *codes.T])
    leaves = leaves_for(len(example))
    order = arrange(keys.numbers[example], keys.marks[example], keys.weights, keys.costs, leaves)
    slot = np.empty(len(order), np.int64)
    slot[order] = np.arange(len(order))
    row = example[np.where(order < len(example), order, 0)]
    return DistinctRows(keys.numbers[row], keys.marks[row], codes[row], slot[number]), leaves


def _number_alike(columns: list[npt.NDArray[Any]]) -> tuple[Ints, Ints]:
    """A number for each row, the same where all columns agree, and for each number a row."""
    order = np.lexsort(columns)
    differs = np.zeros(len(order), bool)
    differs[0] = True
    for column in columns:
        ordered = column[order]
        differs[1:] |= ordered[1:] != ordered[:-1]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(differs) - 1
    return number, order[differs]
