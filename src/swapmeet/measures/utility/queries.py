"""Changes of the answers to counting queries (KLθ paper, 4.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.base.params import ByColumn, ColumnName, Count, Names, Number, Optional
from swapmeet.base.sentences import percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import CONFIDENCE, Score, Undefined
from swapmeet.comparison.weights import name_weight
from swapmeet.errors import did_you_mean
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.columns import to_count
from swapmeet.measures.utility.workload import Workload, chi_squared

REPEATS = 400
WORK = 10**8
"""Rows times queries; of large tables fewer queries are asked."""
FEWEST = 50
CLASSES = (("below 1 %", 0.0, 0.01), ("1 to 10 %", 0.01, 0.1), ("above 10 %", 0.1, 2.0))
"""Shares of the rows that a query selects."""


@dataclass(frozen=True, kw_only=True)
class Queries(UtilityMeasure):
    """Errors of the answers to random counting queries, relative to a blind release.

    A query counts how often each value of one column, `target`, occurs among the rows that fulfil
    some `conditions`: a nominal column has one of a random half of its values, a numeric one lies
    between two random values. Its error is Σ (x − y)² / (x + y) over the counts x in the original
    and y in the release. The value is the sum of errors over that of a blind release, in which the
    target's values were shuffled at random: 0 for an unchanged release, about 1 for a blind one,
    more if the conditions select different rows as well.

    A numeric target is counted in ten classes, equally frequent in the original. A missing value
    fulfils no condition, and is a value of the target. With sampling weights, rows count by them
    (1 on average), in a blind release as well. Of more than 100,000 rows fewer queries are
    asked.

    With `keys` every query selects by all of them, as the paper's do; `sizes` are the number of
    levels and the width of ranges. The paper's own, read from its author's program: target
    occupation, keys race, education, sex, age, of which 3, 8, 2 and a range of 35 years. The same
    queries are asked of every release of a table, so that the ratio of two mean errors (χ², in the
    details) is the paper's error relative to another release.

    Departures: the value relates errors to those of a blind release; without `keys`, columns to
    select by are picked at random if there are more than `conditions`.

    Reference: KLθ paper, section 4.5.
    """

    name = "queries"
    growth = "rows × columns"
    public = True
    question = "How far off are the answers to counting queries?"
    bounds = (0.0, np.inf)
    coverage = Coverage.ALL
    ordered = True

    target: Annotated[
        str | None,
        Optional(ColumnName()),
        "column whose values are counted (default: the first sensitive nominal one, else the last "
        "nominal one)",
    ] = None
    conditions: Annotated[int, Count(1), "columns that a query selects by, at most"] = 3
    queries: Annotated[int, Count(1, 1_000_000), "number of random queries"] = 1_000
    keys: Annotated[
        tuple[str, ...] | None,
        Optional(Names()),
        "columns that every query selects by, all of them (default: any others)",
    ] = None
    sizes: Annotated[
        float | dict[str, float] | None,
        Optional(ByColumn(Number(0.0, above=True), "all keys")),
        "with `keys`: how many levels of a nominal one are wanted, how wide the range of a numeric "
        "one is (default: a random half, or between two random values)",
    ] = None

    def score(self, comparison: Comparison) -> Score:
        target = to_count(comparison, self.target)
        workload = self._workload(comparison, target)
        if not workload.keys:
            raise Undefined(f"there is no column besides {target!r} to select rows by")
        number = min(self.queries, max(WORK // comparison.n, FEWEST))
        errors, blind, shares = self._errors(comparison, workload, number)
        value = float(errors.sum() / max(blind.sum(), 1.0))
        sentence = (
            f"{number:,} random queries that count {target} among people selected by "
            f"{workload.conditions} other column{'s' * (workload.conditions > 1)} are off by "
            f"{percent(value)} of what they would be had {target} been shuffled at random (0 %: "
            "exact answers)."
        )
        details: dict[str, Any] = {
            "target": target,
            "queries": number,
            "mean error (χ²)": float(errors.mean()),
            "mean error of a blind release (χ²)": float(blind.mean()),
            "mean share of rows selected": float(shares.mean()),
            "value of other random queries": self._resample(comparison, errors, blind),
            **_by_selectivity(errors, blind, shares),
            **name_weight(comparison),
        }
        return self.make_score(value, sentence, details=details)

    def _workload(self, comparison: Comparison, target: str) -> Workload:
        if self.keys is None:
            return Workload.of(comparison, target, self.conditions)
        strange = [name for name in self.keys if name not in comparison.original.names]
        if strange:
            guess = did_you_mean(strange[0], comparison.original.names)
            raise Undefined(f"there is no column {strange[0]!r}{guess} to select by")
        return Workload.by_keys(comparison, target, self.keys, self.sizes)

    def _errors(
        self, comparison: Comparison, workload: Workload, number: int
    ) -> tuple[Floats, Floats, Floats]:
        """Errors of the release and of a blind one, and the share of rows selected, by query."""
        generator = comparison.streams.stream(self.name)
        errors, blind, shares = np.zeros((3, number))
        for i, (before, after, dealt) in enumerate(workload.counts(number, generator)):
            errors[i] = chi_squared(before, after)
            blind[i] = chi_squared(before, dealt)
            shares[i] = before.sum() / comparison.n
        return errors, blind, shares

    def _resample(self, comparison: Comparison, errors: Floats, blind: Floats) -> list[float]:
        """Between which values others lie, by resampling queries; it says nothing of people."""
        generator = comparison.streams.stream(self.name, "interval")
        rows = generator.integers(0, len(errors), (REPEATS, len(errors)))
        ratios = errors[rows].sum(axis=1) / np.maximum(blind[rows].sum(axis=1), 1.0)
        tail = 100.0 * (1.0 - CONFIDENCE) / 2.0
        low, high = np.percentile(ratios, [tail, 100.0 - tail])
        return [float(low), float(high)]


def _by_selectivity(errors: Floats, blind: Floats, shares: Floats) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for label, low, high in CLASSES:
        some = (shares >= low) & (shares < high)
        if some.any():
            figures[f"queries that select {label} of rows"] = int(some.sum())
            ratio = errors[some].sum() / max(float(blind[some].sum()), 1.0)
            figures[f"value of queries that select {label} of rows"] = float(ratio)
    return figures
