"""Scores of a comparison that is not in memory: from all rows, by some people, or from a sample."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.measures.base import Measure, Way
from swapmeet.measures.score import Undefined

if TYPE_CHECKING:
    from swapmeet.core.base.parallel import Workers
    from swapmeet.measures.comparison import Comparison
    from swapmeet.measures.score import Score

SAMPLE = 100_000
"""So many random rows are looked at by measures that need all they see in memory."""


@dataclass(frozen=True)
class Scoring:
    """Takes measures of a large comparison, each in its way."""

    comparison: Comparison

    def scores(self, measures: list[Measure], workers: Workers) -> dict[str, Score]:
        """The score of each measure, one after the other."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        found: dict[str, Score] = {}
        with threadpool_limits(1, "blas"):
            for done, measure in enumerate(measures, 1):
                found[measure.name] = self._score(measure)
                workers.progress("measures", done, len(measures))
        return found

    def _score(self, measure: Measure) -> Score:
        if measure.way is Way.SAMPLE:
            return self._sampled(measure)
        score = measure.score_or_reason(self.comparison)
        n, at_most = self.comparison.n, self.comparison.at_most
        if measure.way is Way.ALL or at_most is None or n <= at_most:
            return _told(score, n, self._all(measure), "")
        how = f"{at_most} random people against all rows"
        return _told(score, at_most, how, f" This is told by {at_most:,} random people.")

    def _all(self, measure: Measure) -> str:
        step = self.comparison.resolution
        if measure.ordered and step > 1:
            return f"all rows, of columns in order one value for about {step} rows"
        return "all rows"

    def _sampled(self, measure: Measure) -> Score:
        n = self.comparison.n
        score = measure.score_or_reason(self.comparison.once(_sample))
        if n <= SAMPLE:
            return _told(score, n, "all rows", "")
        if measure.by_pairs and not self.comparison.owners_known:
            return measure.undefined(Undefined(
                "a sample of the rows would hold few people together with rows like theirs, and "
                "make the risk seem smaller than it is; assess the files in memory"
            ))  # fmt: skip
        note = f" This is told by a random sample of {SAMPLE:,} rows{measure.in_sample}."
        return _told(score, SAMPLE, f"a random sample of {SAMPLE} rows", note)


def _sample(comparison: Comparison) -> Comparison:
    """Random people with their released rows, as tables of their own; all, if they are few."""
    n = comparison.n
    if n <= SAMPLE:
        return comparison.sample(np.arange(n))
    stream = comparison.streams.stream("sample of rows")
    return comparison.sample(np.sort(stream.choice(n, SAMPLE, replace=False, shuffle=False)))


def _told(score: Score, rows: int, how: str, note: str) -> Score:
    details: dict[str, Any] = {**score.details, "rows looked at": rows, "how": how}
    sentence = score.sentence if score.undefined else score.sentence + note
    return replace(score, sentence=sentence, details=details, records=None)
