"""Every pair of columns, of whatever kind, and how strongly it hangs together before and after."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.tables.schema import Kind
from swapmeet.measures.comparison import BeforeAfter, Comparison
from swapmeet.measures.utility.association import Crossed, Grouped
from swapmeet.measures.utility.pearson import correlations_of
from swapmeet.measures.weights import find_effective_weights

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.core.tables.microdata import Microdata, Variable
    from swapmeet.measures.utility.columns import Numbers, Standards
    from swapmeet.measures.utility.pearson import Matrices

NUMBERS, MIXED, CATEGORIES = KINDS = (
    "two numeric columns", "a numeric and a nominal column", "two nominal columns",
)  # fmt: skip
VISIBLE = 0.005
"""A smaller change does not show in two digits."""
OPPOSITE = 0.5
"""Beyond this share of what it could be, the opposite is said to be said."""


@dataclass(frozen=True)
class AssociationPair:
    """Two columns, and how strongly they hang together before and after, from 0 to 1.

    `shared` is the product of both associations if they say the same, its negative if they say
    the opposite, as where the sign of a correlation or the order of group means is reversed; 0 if
    they have nothing to do with each other. `square` is the same of the original with itself. Both
    are uncorrected. `rows` are those of the table that has fewer, and `freedom` / `rows` is what
    the square of an association is by chance where there is none.
    """

    kind: str
    names: tuple[str, str]
    before: float
    after: float
    shared: float
    square: float
    rows: int
    freedom: int = 1

    @property
    def kept(self) -> float:
        """How much of the association before is left, in its own direction; below 0 if reversed."""
        return self.shared / self.before if self.before > 0.0 else 0.0

    @property
    def change(self) -> float:
        """By how much its strength changed, or what is gone of it in its own direction: the larger.

        It is |r − r*| for two numeric columns; at most 1 is counted.
        """
        return min(max(abs(self.after - self.before), self.before - self.kept), 1.0)

    @property
    def as_largest_change(self) -> str:
        """A clause that says how far the pair changes, which changes most."""
        if self.change < VISIBLE:
            return f"no pair changes by more than {VISIBLE:g}"
        return (
            f"that between {self.names[0]} and {self.names[1]} changes most, from "
            f"{self.before:.2f} to {self.signed_after:.2f}"
        )

    @property
    def change_by_chance(self) -> float:
        """The squared change to be expected if rows were drawn at random from the original.

        Sampling errors move an association, and where there is hardly any they feign one.
        """
        n = max(self.rows, 1)
        feigned = np.hypot(self.before, np.sqrt(self.freedom / n)) - self.before
        return float(max((1.0 - self.before**2) ** 2 / n, feigned**2))

    @property
    def signed_after(self) -> float:
        """The association after, below 0 where it says rather the opposite of the one before."""
        opposite = self.shared < -OPPOSITE * self.before * self.after
        return -self.after if opposite else self.after


def association_pairs(comparison: Comparison, *, corrected: bool) -> list[AssociationPair]:
    """Every pair of columns that vary, a masked one among them.

    `corrected` takes off what chance alone gives η and V of many levels.
    """
    found = comparison.once(correlations_of)
    nominal = [v.name for v in comparison.original.variables if _is_telling(v)]
    pairs = [
        *_numeric_pairs(found),
        *_mixed_pairs(comparison, found, nominal, corrected=corrected),
        *_nominal_pairs(comparison, nominal, corrected=corrected),
    ]
    return [pair for pair in pairs if not np.isnan(pair.before)]


def _is_telling(variable: Variable) -> bool:
    """Whether a nominal column varies, and has a value that repeats."""
    if variable.kind is not Kind.NOMINAL:
        return False
    counts = variable.known.counts
    return bool(len(counts) > 1 and counts.max() > 1)


def _numeric_pairs(found: Matrices) -> Iterator[AssociationPair]:
    names = found.numbers.names
    for i, j in zip(*found.numbers.pairs, strict=True):
        before, after = float(found.original[i, j]), float(found.released[i, j])
        yield AssociationPair(
            NUMBERS, (names[i], names[j]), abs(before), abs(after), before * after,
            before**2, round(float(found.rows[i, j]) * found.worth),
        )  # fmt: skip


def _mixed_pairs(
    comparison: Comparison, found: Matrices, nominal: list[str], *, corrected: bool
) -> Iterator[AssociationPair]:
    masked = set(comparison.masked)
    pairs = [
        (name, number)
        for name, number in product(nominal, found.numbers.names)
        if name in masked or number in masked
    ]
    for (name, number), both in zip(pairs, _groups(comparison, found, pairs), strict=True):
        before, after = both.before, both.after
        yield AssociationPair(
            MIXED, (number, name), before.ratio(corrected=corrected),
            _or_none(after.ratio(corrected=corrected)), before.shared(after),
            before.shared(before), min(before.rows, after.rows), before.levels - 1,
        )  # fmt: skip


def _nominal_pairs(
    comparison: Comparison, nominal: list[str], *, corrected: bool
) -> Iterator[AssociationPair]:
    masked = set(comparison.masked)
    for one, other in combinations(nominal, 2):
        if one not in masked and other not in masked:
            continue
        both = comparison.gather(_Tables(one, other), (one, other))
        before, after = both.before, both.after
        yield AssociationPair(
            CATEGORIES, (one, other), before.v(corrected=corrected),
            _or_none(after.v(corrected=corrected)), before.shared(after),
            before.shared(before), min(before.rows, after.rows), max(before.levels) - 1,
        )  # fmt: skip


def _groups(
    comparison: Comparison, found: Matrices, pairs: list[tuple[str, str]]
) -> list[BeforeAfter[Grouped]]:
    """For each nominal column and number, the number by the levels of the column."""
    if not pairs:
        return []
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return comparison.gather(_Groups(tuple(pairs), found.numbers), names).groups


@dataclass(frozen=True, repr=False, eq=False)
class _Grouped:
    groups: list[BeforeAfter[Grouped]]

    def __add__(self, other: _Grouped) -> _Grouped:
        return _Grouped(list(map(add, self.groups, other.groups)))


@dataclass(frozen=True, repr=False, eq=False)
class _Groups:
    """Numbers by the levels of nominal columns."""

    pairs: tuple[tuple[str, str], ...]
    numbers: Numbers

    def __call__(self, piece: Comparison) -> _Grouped:
        return _Grouped([
            BeforeAfter(
                _by_level(piece.original, self.numbers.original, *pair),
                _by_level(piece.released, self.numbers.released, *pair),
            )
            for pair in self.pairs
        ])  # fmt: skip


def _by_level(data: Microdata, scales: Standards, name: str, number: str) -> Grouped:
    scores = scales.scores(data, (number,))[0]
    return Grouped.of(data[name].values, data[name].levels, scores, find_effective_weights(data))


@dataclass(frozen=True)
class _Tables:
    """The table of two nominal columns."""

    one: str
    other: str

    def __call__(self, piece: Comparison) -> BeforeAfter[Crossed]:
        before, after = (self._cross(data) for data in (piece.original, piece.released))
        return BeforeAfter(before, after)

    def _cross(self, data: Microdata) -> Crossed:
        one, other = data[self.one], data[self.other]
        weights = find_effective_weights(data)
        return Crossed.of(one.values, one.levels, other.values, other.levels, weights)


def _or_none(association: float) -> float:
    """0 where there is none left."""
    return 0.0 if np.isnan(association) else association
