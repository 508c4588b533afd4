"""Similarity of two files, owners aside: DR3 and the confidence metrics CM2 and CM3."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, Rows
from swapmeet.base.sentences import figure
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import SAMPLED, Score, Undefined
from swapmeet.comparison.table_size import WIDE
from swapmeet.measures.base import RiskMeasure
from swapmeet.measures.risk.closeness import by_ranks, find_worst, pairings

MOST_SORTED = 5
"""A wide table is sorted by so many of its columns."""


class DR3(RiskMeasure):
    """1 - CM3: how much the other columns agree when both files are sorted by one; the maximum.

    For each known column with numbers, both files are sorted by it, rows are paired by place, and
    the ranks of the other columns are compared by their canonical correlations r: CM2 is the
    product of 1 - r² (0: the files determine each other, 1: nothing), CM3 its minimum over the
    columns. An unchanged release scores 1, columns that are each shuffled at random nearly 0.
    Columns that are correlated make the score high by themselves. Needs no owners; where they are
    known, the details have CM2 and the correlations of the true pairs.

    Ties have their mean rank, and so has a missing value: it says nothing. Constant columns, and
    such as follow from others, add nothing. Of more than 100 columns five, drawn at random, are
    sorted by: the maximum over all may be larger.

    Reference: SJPPDS paper, A1.3.
    """

    name = "dr3"
    growth = "rows × columns³; beyond 100 columns rows × columns²"
    question = "How well do the files fit together when sorted by one column?"
    in_sample = ", so that it may be a little lower or higher in the whole file"
    by_pairs = True

    def score(self, comparison: Comparison) -> Score:
        ruler = comparison.once(by_ranks)
        numbers = ruler.all()
        one, other = _space(numbers.original), _space(numbers.released)
        count = len(numbers.names)
        _refuse(count, one, other, comparison.n)
        sorted_by = _choose_places(comparison, count)
        shares = {
            pairing.column: 1.0 - _cm2(canonical_correlations(
                one, other, (pairing.original, pairing.released), place
            ))
            for place, pairing in enumerate(pairings(comparison)) if place in sorted_by
        }  # fmt: skip
        column, value = find_worst(shares)
        chance = expect_unrelated(one.rank - 1, other.rank - 1, comparison.n)
        sentence = (
            f"When both files are sorted by {column}, their other columns fit together to a degree "
            f"of {value:.2f}, where 1 is completely and unrelated columns would reach about "
            f"{figure(chance, 2)}; this is the paper's "
            "worst-case sorting, which does not know the owners, and columns that depend on each "
            "other make it high by themselves. Where dbrl has a value, rely on that instead."
            f"{_tell_sorted(len(shares), count)}"
        )
        details = {
            **ruler.details,
            "worst column": column,
            "CM3": 1.0 - value,
            **_of_true_pairs(comparison, one, other),
            **{f"sorted by {name}": share for name, share in shares.items()},
        }
        hidden = SAMPLED if len(shares) < count else ""
        return self.make_score(value, sentence, details=details, hidden=hidden)


def _choose_places(comparison: Comparison, count: int) -> Collection[int]:
    """The columns to sort by; of a wide table some, at random."""
    if count <= WIDE:
        return range(count)
    stream = comparison.streams.stream("columns to sort by")
    return set(stream.choice(count, MOST_SORTED, replace=False, shuffle=False).tolist())


def _tell_sorted(tried: int, count: int) -> str:
    if tried == count:
        return ""
    return (
        f" {tried} of {count:,} columns, drawn at random, were used for sorting; others may give "
        "more."
    )


def _space(shares: Floats) -> FileSpace:
    """The ranks, missing ones in the middle."""
    return FileSpace(np.where(np.isnan(shares), 0.5, shares))


def _refuse(columns: int, one: FileSpace, other: FileSpace, n: int) -> None:
    if columns < 2:
        raise Undefined(
            "it takes two known columns with numbers, one to sort by and one to compare"
        )
    if min(one.rank, other.rank) == 0:
        raise Undefined("all records are alike in what the intruder knows")
    if n <= one.rank + other.rank:
        raise Undefined(f"{n} rows are too few to correlate {columns} columns with as many")


def _of_true_pairs(comparison: Comparison, one: FileSpace, other: FileSpace) -> dict[str, Any]:
    if not comparison.owners_known:
        return {}
    correlations = canonical_correlations(one, other)
    return {"CM2": _cm2(correlations), "canonical correlations": correlations.tolist()}


def _cm2(correlations: Floats) -> float:
    return float(np.prod((1.0 - correlations) * (1.0 + correlations)))


def expect_unrelated(one: int, other: int, n: int) -> float:
    """The 1 - CM2 to expect of `one` and `other` unrelated normal columns of n rows (Wilks)."""
    freedom = n - 1.0 - other
    parts = freedom - np.arange(one)
    return float(1.0 - np.prod(parts / (parts + other)))


TOLERANCE = 1e-7
"""A column that the others leave less of than this share adds no dimension."""


class FileSpace:
    """The columns of a file as a space, of which single columns can be left out.

    The rows are decomposed once; whatever pairing of rows and whatever choice of columns comes
    after costs one product of two matrices.
    """

    def __init__(self, columns: Floats) -> None:
        centred = columns.T - columns.mean(axis=1)
        lengths = np.sqrt((centred**2).sum(axis=0))
        self.basis, self.places = np.linalg.qr(centred / np.where(lengths > 0.0, lengths, 1.0))

    def without(self, column: int | None) -> Floats:
        """Directions, within the basis, of the space that the other columns span."""
        places = self.places if column is None else np.delete(self.places, column, axis=1)
        return _directions(places)

    @property
    def rank(self) -> int:
        """The number of dimensions of all columns together."""
        return self.without(None).shape[1]


def canonical_correlations(
    one: FileSpace,
    other: FileSpace,
    pairs: tuple[Rows, Rows] | None = None,
    without: int | None = None,
) -> Floats:
    """From the largest down; row `pairs[0][i]` of the one belongs to row `pairs[1][i]`."""
    left, right = one.basis, other.basis
    if pairs is not None:
        left, right = left[pairs[0]], right[pairs[1]]
    product = one.without(without).T @ (left.T @ right) @ other.without(without)
    if not product.size:
        return np.empty(0)
    return np.clip(np.linalg.svd(product, compute_uv=False), 0.0, 1.0)


def _directions(places: Floats) -> Floats:
    from scipy.linalg import qr

    if not places.size:
        return np.empty((len(places), 0))
    directions, triangle, _ = qr(places, mode="economic", pivoting=True)
    return directions[:, np.abs(np.diag(triangle)) > TOLERANCE]
