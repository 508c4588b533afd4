"""Every pair of columns, of whatever kind, and how strongly it hangs together before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, groupby, product
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.sums import BeforeAfter, Sums
from swapmeet.comparison.table_size import draw_pairs
from swapmeet.comparison.weights import find_effective_weights
from swapmeet.measures.utility.association import Crossed, Grouped
from swapmeet.measures.utility.columns import NumericColumns, Standards
from swapmeet.measures.utility.pearson import Matrices, correlations_of
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

Places = npt.NDArray[np.int64]

_Part = TypeVar("_Part", Grouped, Crossed)
MOST_CELLS = 4_000_000
"""Cells of tables that are counted in one pass over the rows."""
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
        """Return how much of the old association is left, in its direction; below 0 if reversed."""
        return self.shared / self.before if self.before > 0.0 else 0.0

    @property
    def change(self) -> float:
        """Change of its strength, or what is gone of it in its own direction: the larger.

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


@dataclass(frozen=True)
class AssociationPairs:
    """The pairs of columns that were looked at, of `possible` ones."""

    pairs: tuple[AssociationPair, ...]
    possible: int
    sampled: bool

    @property
    def extent(self) -> str:
        """A sentence that says how many pairs were looked at, where it was not all."""
        if not self.sampled:
            return ""
        return f" This is from {len(self.pairs):,} of {self.possible:,} pairs, drawn at random."


def association_pairs(comparison: Comparison, *, corrected: bool) -> AssociationPairs:
    """Every pair of columns that vary, a masked one among them; of very many some, at random.

    `corrected` takes off what chance alone gives η and V of many levels.
    """
    looked = comparison.once(_look_at_pairs)
    pairs = (
        *_numeric_pairs(looked.matrices, looked.numeric),
        *_mixed_pairs(looked, corrected=corrected),
        *_nominal_pairs(looked, corrected=corrected),
    )
    there = tuple(pair for pair in pairs if not np.isnan(pair.before))
    return AssociationPairs(there, looked.possible, looked.sampled)


@dataclass(frozen=True, repr=False, eq=False)
class _Looked:
    """Findings about the pairs that are looked at."""

    matrices: Matrices
    numeric: tuple[Places, Places]
    mixed: list[tuple[str, str]]
    groups: list[BeforeAfter[Grouped]]
    nominal: list[tuple[str, str]]
    tables: list[BeforeAfter[Crossed]]
    possible: int
    sampled: bool


def _look_at_pairs(comparison: Comparison) -> _Looked:
    matrices, masked = comparison.once(correlations_of), set(comparison.masked)
    names = [v.name for v in comparison.original.variables if _is_telling(v)]
    firsts, seconds = matrices.numbers.pairs
    mixed = [
        (name, number)
        for name, number in product(names, matrices.numbers.names)
        if name in masked or number in masked
    ]
    nominal = [pair for pair in combinations(names, 2) if not masked.isdisjoint(pair)]
    ends = np.cumsum([len(firsts), len(mixed), len(nominal)])
    chosen = draw_pairs(int(ends[-1]), comparison.streams)
    if chosen is not None:
        parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
        firsts, seconds = firsts[parts[0]], seconds[parts[0]]
        mixed = [mixed[at] for at in parts[1] - ends[0]]
        nominal = [nominal[at] for at in parts[2] - ends[1]]
    return _Looked(
        matrices, (firsts, seconds), mixed, _groups(comparison, matrices, mixed), nominal,
        _cross_all(comparison, nominal), int(ends[-1]), chosen is not None,
    )  # fmt: skip


def _is_telling(variable: Variable) -> bool:
    """Return whether a nominal column varies, and has a value that repeats."""
    if variable.kind is not Kind.NOMINAL:
        return False
    counts = variable.known.counts
    return bool(len(counts) > 1 and counts.max() > 1)


def _numeric_pairs(matrices: Matrices, places: tuple[Places, Places]) -> Iterator[AssociationPair]:
    names = matrices.numbers.names
    for i, j in zip(*places, strict=True):
        before, after = float(matrices.original[i, j]), float(matrices.released[i, j])
        yield AssociationPair(
            NUMBERS, (names[i], names[j]), abs(before), abs(after), before * after,
            before**2, round(float(matrices.rows[i, j]) * matrices.worth),
        )  # fmt: skip


def _mixed_pairs(looked: _Looked, *, corrected: bool) -> Iterator[AssociationPair]:
    for (name, number), both in zip(looked.mixed, looked.groups, strict=True):
        before, after = both.before, both.after
        yield AssociationPair(
            MIXED, (number, name), before.ratio(corrected=corrected),
            _or_none(after.ratio(corrected=corrected)), before.shared(after),
            before.shared(before), min(before.rows, after.rows), before.levels - 1,
        )  # fmt: skip


def _nominal_pairs(looked: _Looked, *, corrected: bool) -> Iterator[AssociationPair]:
    for (one, other), both in zip(looked.nominal, looked.tables, strict=True):
        before, after = both.before, both.after
        yield AssociationPair(
            CATEGORIES, (one, other), before.v(corrected=corrected),
            _or_none(after.v(corrected=corrected)), before.shared(after),
            before.shared(before), min(before.rows, after.rows), max(before.levels) - 1,
        )  # fmt: skip


def _groups(
    comparison: Comparison, matrices: Matrices, pairs: list[tuple[str, str]]
) -> list[BeforeAfter[Grouped]]:
    """For each nominal column and number, the number by the levels of the column."""
    if not pairs:
        return []
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return comparison.gather(partial(_group_both, pairs, matrices.numbers), names).parts


def _cross_all(comparison: Comparison, pairs: list[tuple[str, str]]) -> list[BeforeAfter[Crossed]]:
    """The tables of pairs of nominal columns, so many of them at once as have few cells."""
    tables: list[BeforeAfter[Crossed]] = []
    levels = {v.name: v.levels for v in comparison.original.variables}
    together: list[tuple[str, str]] = []
    cells = 0
    for one, other in pairs:
        size = min(levels[one] * levels[other], 2 * comparison.n)
        if together and cells + size > MOST_CELLS:
            tables += _cross(comparison, together)
            together, cells = [], 0
        together.append((one, other))
        cells += size
    return tables + (_cross(comparison, together) if together else [])


def _cross(comparison: Comparison, pairs: list[tuple[str, str]]) -> list[BeforeAfter[Crossed]]:
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return comparison.gather(partial(_cross_both, pairs), names).parts


@dataclass(frozen=True, repr=False, eq=False)
class _Pieces(Sums, Generic[_Part]):
    """Findings about several pairs."""

    parts: list[BeforeAfter[_Part]]


def _group_both(
    pairs: list[tuple[str, str]], numbers: NumericColumns, piece: Comparison
) -> _Pieces[Grouped]:
    """Numbers by the levels of nominal columns."""
    before = _group_all(piece.original, numbers.original, pairs)
    after = _group_all(piece.released, numbers.released, pairs)
    return _Pieces(list(map(BeforeAfter, before, after)))


def _group_all(
    data: Microdata, scales: Standards, pairs: list[tuple[str, str]]
) -> Iterator[Grouped]:
    """Pairs of one number come one after the other: it is scaled once."""
    weights = find_effective_weights(data)
    by_number = sorted(range(len(pairs)), key=lambda at: pairs[at][1])
    groups: dict[int, Grouped] = {}
    for number, places in groupby(by_number, key=lambda at: pairs[at][1]):
        scores = scales.scores(data, (number,))[0]
        for at in places:
            variable = data[pairs[at][0]]
            groups[at] = Grouped.of(variable.values, variable.levels, scores, weights)
    return (groups[at] for at in range(len(pairs)))


def _cross_both(pairs: list[tuple[str, str]], piece: Comparison) -> _Pieces[Crossed]:
    """The tables of pairs of nominal columns."""

    def cross(data: Microdata) -> list[Crossed]:
        weights = find_effective_weights(data)
        both = ((data[one], data[other]) for one, other in pairs)
        return [
            Crossed.of(one.values, one.levels, other.values, other.levels, weights)
            for one, other in both
        ]

    return _Pieces(list(map(BeforeAfter, cross(piece.original), cross(piece.released))))


def _or_none(association: float) -> float:
    """0 where there is none left."""
    return 0.0 if np.isnan(association) else association
