"""What classes of a release show about sensitive values: l-diversity and t-closeness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Protocol

import numpy as np
import numpy.typing as npt

from swapmeet.algorithms.diversity import (
    count_distinct,
    count_in_groups,
    measure_entropy,
    measure_equal_distance,
    measure_ordered_distance,
    measure_recursive,
)
from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.params import Number, OneOf
from swapmeet.comparison.comparison import Comparison, EquivalenceClasses
from swapmeet.comparison.knowledge import list_names
from swapmeet.comparison.score import Direction, Score, Undefined
from swapmeet.comparison.sums import LEAST, MOST, OF_ROWS, Sums
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind, Role


def list_secrets(comparison: Comparison, known: Iterable[str]) -> tuple[str, ...]:
    """The sensitive columns that an intruder does not know."""
    known = tuple(known)
    return tuple(
        variable.name
        for variable in comparison.original.variables
        if variable.role is Role.SENSITIVE and variable.name not in known
    )


class ClassMeasure(Protocol):
    """Figures of each class in a column, a line for each figure; groups have no gaps."""

    def __call__(self, groups: Ints, variable: Variable) -> Floats: ...


@dataclass(frozen=True, repr=False, eq=False)
class ClassFigures(Sums):
    """Figures of classes, over all records: the least, the largest and the sum.

    Each has a line for each sensitive column and a place for each figure. `records` are the figures
    of single records, where all of them are at hand.
    """

    rows: int
    least: Floats = field(metadata=LEAST)
    most: Floats = field(metadata=MOST)
    total: Floats
    records: Floats | None = field(default=None, metadata=OF_ROWS)

    @property
    def mean(self) -> Floats:
        """The mean over records."""
        return self.total / self.rows


def measure_classes(
    comparison: Comparison, secrets: tuple[str, ...], measure: ClassMeasure, figures: int
) -> ClassFigures:
    """The figures of all classes of records that share the keys."""
    if not secrets:
        raise Undefined(
            "there is no sensitive column that the intruder does not know; give one the role "
            "sensitive"
        )
    look = partial(_look_at_classes, secrets, measure, figures, keep=comparison.in_memory)
    return comparison.gather_classes(look, list_keys(comparison), secrets)


def list_keys(comparison: Comparison) -> tuple[str, ...]:
    """The columns by which records are the same to an intruder."""
    return comparison.keys or comparison.known


def _look_at_classes(
    secrets: tuple[str, ...], measure: ClassMeasure, count: int, classes: EquivalenceClasses,
    *, keep: bool,
) -> ClassFigures:  # fmt: skip
    rows = len(classes.released)
    if not rows:
        nothing = np.zeros((len(secrets), count))
        return ClassFigures(0, nothing + np.inf, nothing - np.inf, nothing)
    groups = np.unique(classes.released, return_inverse=True)[1]
    figures = np.stack([measure(groups, classes.data[name]) for name in secrets])
    sizes = np.bincount(groups)
    return ClassFigures(
        rows, figures.min(axis=2), figures.max(axis=2), figures @ sizes,
        figures[:, :, groups] if keep else None,
    )  # fmt: skip


KINDS = ("entropy", "distinct", "recursive")
LEAVES = {
    "entropy": "at least an uncertainty of {least:.3g} equally likely values",
    "distinct": "at least {least:.0f} different values",
    "recursive": "recursive (c, l)-diversity of at least l = {least:.0f} for c = {c:g}",
}


@dataclass(frozen=True, kw_only=True)
class LDiversity(RiskMeasure):
    """Smallest number of sensitive values that are left to someone who knows the keys.

    Released records that share all keys are a class. `kind` distinct counts the values in a class.
    Entropy is exp(H), the number of equally frequent values that would be as hard to guess; it is
    never above distinct. Recursive is the largest l for which the most common value is rarer than
    `c` times all from the l-th most common on, 0 where there is none. The value is that of the
    worst class and the worst sensitive column; a missing value is a value.

    Anchors: 1 where some class has one value only, be the release unchanged or not; a blind release
    with large classes comes near the diversity of the whole column.

    It looks at the release alone. Where values were swapped, a class with one value need not show
    that of its people.

    Reference: Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007), l-Diversity: privacy
    beyond k-anonymity.
    """

    name = "l-diversity"
    growth = "rows × columns"
    question = (
        "How many sensitive values remain possible, at least, for someone who knows a person's "
        "keys?"
    )
    coverage = Coverage.ALL
    direction = Direction.HIGHER
    bounds = (0.0, np.inf)
    needs = (Role.SENSITIVE,)

    kind: Annotated[
        str,
        OneOf(KINDS),
        "what is counted: values as hard to guess (entropy), values, or recursive (c, l)-diversity",
    ] = "entropy"
    c: Annotated[
        float, Number(0.0, 1e6, above=True), "the factor of recursive (c, l)-diversity"
    ] = 3.0

    def score(self, comparison: Comparison) -> Score:
        keys = list_keys(comparison)
        secrets = list_secrets(comparison, keys)
        diversities = measure_classes(comparison, secrets, _Diversity(self.c), len(KINDS))
        this = KINDS.index(self.kind)
        worst = int(np.argmin(diversities.least[:, this]))
        least, mean = float(diversities.least[worst, this]), float(diversities.mean[worst, this])
        details: dict[str, Any] = {"mean": mean, "column": secrets[worst]}
        for name, low, middle in zip(secrets, diversities.least, diversities.mean, strict=True):
            details |= {f"{kind} of {name}": float(low[i]) for i, kind in enumerate(KINDS)}
            details |= {f"mean {kind} of {name}": float(middle[i]) for i, kind in enumerate(KINDS)}
        leaves = LEAVES[self.kind].format(least=least, c=self.c)
        sentence = (
            f"Someone who knows {list_names(keys)} of a record is left with {leaves} in "
            f"column {secrets[worst]} (on average {mean:.3g})."
        )
        records = None if diversities.records is None else diversities.records[:, this].min(axis=0)
        return self.make_score(least, sentence, records=records, details=details)


@dataclass(frozen=True)
class _Diversity:
    """All three diversities of each class."""

    c: float

    def __call__(self, groups: Ints, variable: Variable) -> Floats:
        codes = np.unique(variable.values, return_inverse=True)[1]
        pairs = count_in_groups(groups, codes)
        return np.stack(
            [measure_entropy(pairs), count_distinct(pairs), measure_recursive(pairs, self.c)]
        )


class TCloseness(RiskMeasure):
    """Largest distance of the sensitive values of records with the same keys from those of all.

    Released records that share all keys are a class. The distance is the earth mover's: how much of
    the class must be moved how far until its values are distributed as in the whole release. Values
    of a nominal column are all 1 apart; those of numeric and ordinal columns are as far apart as
    their ranks among the distinct values, the lowest and the highest being 1 apart. The value is
    that of the worst class and the worst sensitive column. A missing value is 1 from any other; of
    columns with an order, the distance then is an upper bound.

    Anchors: 0 where all classes are like the whole; near 1 where a class has a single, rare value.
    An unchanged release with unique records has classes of one value; a blind one with large
    classes comes near 0.

    It looks at the release alone. Where values were swapped, what is peculiar to a class need not
    be so of its people.

    Reference: Li, Li, Venkatasubramanian (2007), t-Closeness: privacy beyond k-anonymity and
    l-diversity.
    """

    name = "t-closeness"
    growth = "rows × columns"
    question = "How much can a person's keys reveal about a sensitive value?"
    coverage = Coverage.ALL
    ordered = True
    needs = (Role.SENSITIVE,)

    def score(self, comparison: Comparison) -> Score:
        keys = list_keys(comparison)
        secrets = list_secrets(comparison, keys)
        wholes = {name: _Whole.of(comparison, name) for name in secrets}
        distances = measure_classes(comparison, secrets, _Distances(wholes), 1)
        worst = int(np.argmax(distances.most[:, 0]))
        most, mean = float(distances.most[worst, 0]), float(distances.mean[worst, 0])
        details: dict[str, Any] = {"mean": mean, "column": secrets[worst]}
        for name, high, middle in zip(
            secrets, distances.most[:, 0], distances.mean[:, 0], strict=True
        ):
            details |= {f"t of {name}": float(high), f"mean t of {name}": float(middle)}
        sentence = (
            f"Among records that share {list_names(keys)}, the values of {secrets[worst]} are "
            f"distributed differently than in the whole release, by up to {most:.3g} (on average "
            f"by {mean:.3g}), where 0 is no difference and 1 the largest."
        )
        records = None if distances.records is None else distances.records[:, 0].max(axis=0)
        return self.make_score(most, sentence, records=records, details=details)


@dataclass(frozen=True, repr=False, eq=False)
class _Whole:
    """The values that a column has in the whole release, in order, and the share of each.

    In a nominal column, missing is a value. In others, shares are those among the values that are
    there; `present` is the share of these.
    """

    values: npt.NDArray[Any]
    shares: Floats
    present: float

    @classmethod
    def of(cls, comparison: Comparison, name: str) -> _Whole:
        variable = comparison.released[name]
        facts = variable.statistics
        if variable.kind is Kind.NOMINAL:
            values = np.append(-1, variable.known.values)
            counts = np.append(facts.missing, variable.known.counts)
            return cls(values, counts / max(facts.rows, 1), 1.0)
        ordered = comparison.in_order(name)[1]
        values, counts = np.unique(ordered[~np.isnan(ordered)], return_counts=True)
        return cls(values, counts / max(counts.sum(), 1), facts.present / max(facts.rows, 1))


@dataclass(frozen=True, repr=False, eq=False)
class _Distances:
    """The distance of each class from the whole."""

    wholes: Mapping[str, _Whole]

    def __call__(self, groups: Ints, variable: Variable) -> Floats:
        whole = self.wholes[variable.name]
        if variable.kind is Kind.NOMINAL:
            places = np.searchsorted(whole.values, variable.values)
            pairs = count_in_groups(groups, places)
            return measure_equal_distance(pairs, whole.shares)[np.newaxis]
        return self._measure_ordered(groups, variable, whole)[np.newaxis]

    def _measure_ordered(self, groups: Ints, variable: Variable, whole: _Whole) -> Floats:
        """The distance among the values that are there, and 1 for those that are not."""
        there = ~variable.missing
        rows = np.bincount(groups)
        present = np.bincount(groups[there], minlength=len(rows)) / rows
        distance = np.zeros(len(rows))
        inside, numbers = np.unique(groups[there], return_inverse=True)
        if len(inside):
            places = np.searchsorted(whole.values, variable.values[there])
            pairs = count_in_groups(numbers, np.minimum(places, len(whole.values) - 1))
            distance[inside] = measure_ordered_distance(pairs, whole.shares)
        common = np.minimum(present, whole.present)
        return np.asarray(common * distance + np.abs(present - whole.present))
