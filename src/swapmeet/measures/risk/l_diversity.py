"""Number of sensitive values an intruder is left with (Machanavajjhala et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from swapmeet.algorithms.diversity import (
    count_distinct,
    count_in_groups,
    measure_entropy,
    measure_recursive,
)
from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.params import Number, OneOf
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.knowledge import list_names
from swapmeet.comparison.score import Direction, Score
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.measures.risk.class_values import list_keys, list_secrets, measure_classes
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Role

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
