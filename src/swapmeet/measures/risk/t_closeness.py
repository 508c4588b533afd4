"""Distance of a class's sensitive values from those of all (Li, Li, Venkatasubramanian 2007)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.algorithms.diversity import (
    count_in_groups,
    measure_equal_distance,
    measure_ordered_distance,
)
from swapmeet.base.arrays import Floats, Ints
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.knowledge import list_names
from swapmeet.comparison.score import Score
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.measures.risk.class_values import list_keys, list_secrets, measure_classes
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind, Role


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
