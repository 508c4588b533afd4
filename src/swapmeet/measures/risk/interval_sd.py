"""Interval disclosure by standard deviations: sdcMicro's dRisk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from swapmeet.base.params import Number
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.score import CONFIDENCE, Score
from swapmeet.intruders.nearest_records import of_1000
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.measures.risk.closeness import blind, by_values, format_share


@dataclass(frozen=True, kw_only=True)
class IntervalSD(RiskMeasure):
    """The share of records with all known values within `k` standard deviations of the released.

    The interval is closed, and the standard deviation that of the released column. An unchanged
    release scores 1. A column in which the original or the released value is missing does not
    count, so that suppressing a value cannot hide the others; a record without any column left is
    not disclosed (sdcMicro counts it as disclosed).

    Reference: sdcMicro, `dRisk`, whose default is k = 0.05; the RWN paper takes k = 1.
    """

    name = "interval-sd"
    growth = "rows × columns"
    question = "For how many people are all values close to the released ones?"
    coverage = Coverage.ALL
    ordered = True

    k: Annotated[
        float, Number(), "half the width of the interval, in standard deviations of the column"
    ] = 0.05

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        known, width = comparison.once(by_values), np.array([self.k])
        within = known.within(width)
        value, chance = within.expected / within.rows, blind(known, width)
        sentence = (
            f"An intruder who assumes that true values lie within {self.k:g} standard deviations "
            f"of the released ones is right about {known.in_words} for {of_1000(value)} people; "
            f"with columns shuffled at random, for {format_share(chance)}."
        )
        return self.make_score(
            value,
            sentence,
            interval=of_share(within.expected, within.rows, CONFIDENCE),
            records=within.records,
            details={**known.details, "columns shuffled": chance},
        )
