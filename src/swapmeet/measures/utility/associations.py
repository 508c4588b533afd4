"""What became of the associations between columns of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from operator import add
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import numpy as np

from swapmeet.core.base.params import Switch
from swapmeet.core.tables.schema import Kind
from swapmeet.measures.base import Coverage, Measure
from swapmeet.measures.comparison import BeforeAfter, Comparison
from swapmeet.measures.score import Family, Undefined
from swapmeet.measures.utility.association import Crossed, Grouped
from swapmeet.measures.utility.pearson import correlations_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.core.tables.microdata import Microdata, Variable
    from swapmeet.measures.score import Score
    from swapmeet.measures.utility.columns import Numbers, Standards
    from swapmeet.measures.utility.pearson import Matrices

_Part = TypeVar("_Part", Grouped, Crossed)
KINDS = ("two numeric columns", "a numeric and a nominal column", "two nominal columns")


@dataclass(frozen=True)
class _Pair:
    """Two columns and how strongly they hang together before and after."""

    kind: str
    names: tuple[str, str]
    before: float
    after: float

    @property
    def change(self) -> float:
        return abs(self.after - self.before)


@dataclass(frozen=True, kw_only=True)
class Associations(Measure):
    """The mean absolute change of the association of two columns of any kind.

    An association is a number from 0 to 1: |r| for two numeric columns (ordinal ones by their
    rank), the correlation ratio η for a numeric and a nominal one, Cramér's V for two nominal
    ones. 0 for an unchanged release; for one whose columns were shuffled each on its own, about
    the mean association of the original.

    η and V are above 0 even for columns that have nothing to do with each other, the more so the
    more levels there are; `corrected` takes that off (Kelley's ε, Bergsma's V).

    Pairs of two unmasked columns are left out, and columns that do not vary or never repeat in the
    original. A pair is compared over the rows in which both have a value; if none of its variation
    is left in the release it counts as 0 there.

    Reference: Bergsma (2013) for the correction of V; Kelley (1935) for that of η.
    """

    name: ClassVar[str] = "associations"
    family: ClassVar[Family] = Family.UTILITY
    public: ClassVar[bool] = True
    question: ClassVar[str] = "How much do the associations between columns of any kind change?"
    coverage: ClassVar[Coverage] = Coverage.ALL

    corrected: Annotated[bool, Switch(), "take the bias of many levels off η and V"] = False

    def score(self, comparison: Comparison) -> Score:
        pairs = [pair for pair in self._pairs(comparison) if not np.isnan(pair.before)]
        if not pairs:
            raise Undefined("there are no two columns that vary, a masked one among them")
        changes = np.array([pair.change for pair in pairs])
        most = pairs[int(np.argmax(changes))]
        size = float(np.mean([pair.before for pair in pairs]))
        sentence = (
            f"The association of two columns, from 0 to 1, changes by {changes.mean():.3f} on "
            f"average (0 would be none, and their mean is {size:.2f}); that between "
            f"{most.names[0]} and {most.names[1]} changes most, from {most.before:.2f} to "
            f"{most.after:.2f}."
        )
        details: dict[str, Any] = {
            "signed mean": float(np.mean([pair.after - pair.before for pair in pairs])),
            "largest change": most.change,
            "between": f"{most.names[0]} and {most.names[1]}",
            "mean before": size,
            "pairs": len(pairs),
        }
        for kind in KINDS:
            some = [pair.change for pair in pairs if pair.kind == kind]
            if some:
                details[f"mean change between {kind}"] = float(np.mean(some))
                details[f"pairs of {kind}"] = len(some)
        return self.make_score(changes.mean(), sentence, details=details)

    def _pairs(self, comparison: Comparison) -> Iterator[_Pair]:
        found = comparison.once(correlations_of)
        nominal = [v.name for v in comparison.original.variables if _is_telling(v)]
        masked = set(comparison.masked)
        yield from _numeric_pairs(found)
        mixed = [
            (name, number)
            for name, number in product(nominal, found.numbers.names)
            if name in masked or number in masked
        ]
        for (name, number), groups in zip(mixed, _groups(comparison, found, mixed), strict=True):
            ratios = (some.ratio(corrected=self.corrected) for some in _each(groups))
            yield _pair(KINDS[1], (number, name), *ratios)
        for one, other in combinations(nominal, 2):
            if one in masked or other in masked:
                tables = comparison.gather(_Tables(one, other), (one, other))
                values = (some.v(corrected=self.corrected) for some in _each(tables))
                yield _pair(KINDS[2], (one, other), *values)


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
    return Grouped.of(data[name].values, data[name].levels, scales.scores(data, (number,))[0])


@dataclass(frozen=True)
class _Tables:
    """The table of two nominal columns."""

    one: str
    other: str

    def __call__(self, piece: Comparison) -> BeforeAfter[Crossed]:
        pairs = [(data[self.one], data[self.other]) for data in (piece.original, piece.released)]
        return BeforeAfter(*(
            Crossed.of(first.values, first.levels, second.values, second.levels)
            for first, second in pairs
        ))  # fmt: skip


def _each(found: BeforeAfter[_Part]) -> tuple[_Part, _Part]:
    return found.before, found.after


def _pair(kind: str, names: tuple[str, str], before: float, after: float) -> _Pair:
    return _Pair(kind, names, before, _or_none(after))


def _or_none(association: float) -> float:
    """0 where there is none left."""
    return 0.0 if np.isnan(association) else association


def _is_telling(variable: Variable) -> bool:
    """Whether a nominal column varies, and has a value that repeats."""
    if variable.kind is not Kind.NOMINAL:
        return False
    counts = variable.known.counts
    return bool(len(counts) > 1 and counts.max() > 1)


def _numeric_pairs(found: Matrices) -> Iterator[_Pair]:
    names = found.numbers.names
    for i, j in zip(*found.numbers.pairs, strict=True):
        before, after = abs(found.original[i, j]), abs(found.released[i, j])
        yield _Pair(KINDS[0], (names[i], names[j]), float(before), float(after))
