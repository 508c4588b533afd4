"""The exact distribution of what the paper's algorithms release, on tables of a few rows."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import permutations, product
from typing import TYPE_CHECKING

import numpy as np

from parts.sjppds.literal import categorize

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

Rows = tuple[tuple[float, ...], ...]
Distribution = dict[Rows, Fraction]


def enumerate_paper(table: Rows, bins: int, *, variant: str) -> Distribution:
    """Algorithm 3 with `full`, `simplified` or `cumulative`: all draws, each with its probability.

    Each call ends in a shuffle of all rows, so that only which rows there are matters.
    """
    found: Distribution = {_put_in_order(table): Fraction(1)}
    for _ in table[0]:
        after: Distribution = defaultdict(Fraction)
        for rows, chance in found.items():
            for result, share in _shuffle(rows, bins, variant).items():
                after[_put_in_order(row[1:] + row[:1] for row in result)] += chance * share
        found = after
    return found


def enumerate_one_pass(table: Rows, bins: int) -> Distribution:
    """Every column permuted inside its own bins, independently of the others."""
    values = np.array(table)
    codes = categorize(values, bins)
    orders = [[*_permute_within(codes[:, [column]])] for column in range(values.shape[1])]
    found: Distribution = defaultdict(Fraction)
    share = Fraction(1, int(np.prod([len(one) for one in orders])))
    for chosen in product(*orders):
        columns = (values[list(order), column] for column, order in enumerate(chosen))
        found[_put_in_order(zip(*columns, strict=True))] += share
    return found


def find_largest_difference(one: Distribution, other: Distribution) -> Fraction:
    """Of the probability of any release."""
    return max(abs(one.get(rows, 0) - other.get(rows, 0)) for rows in {*one, *other})


def _shuffle(rows: Rows, bins: int, variant: str) -> Distribution:
    """Algorithm 1 or 2 without the last shuffle of rows."""
    original = np.array(rows)
    codes = categorize(original, bins)
    columns = original.shape[1]
    passes = [columns - 1] if variant == "simplified" else range(1, columns)
    found: Distribution = {rows: Fraction(1)}
    for i in passes:
        orders = [*_permute_within(codes[:, i:])]
        after: Distribution = defaultdict(Fraction)
        for so_far, chance in found.items():
            source = np.array(so_far) if variant == "cumulative" else original
            for order in orders:
                result = np.array(so_far)
                result[:, :i] = source[list(order), :i]
                after[tuple(map(tuple, result.tolist()))] += chance / len(orders)
        found = after
    return found


def _permute_within(codes: npt.NDArray[np.int64]) -> Iterator[tuple[int, ...]]:
    """All orders of rows in which every row has the codes that it had."""
    for order in permutations(range(len(codes))):
        if (codes[list(order)] == codes).all():
            yield order


def _put_in_order(rows: object) -> Rows:
    return tuple(sorted(tuple(float(cell) for cell in row) for row in rows))
