"""Small cells in the two-way tables of a release."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from swapmeet.measures import Comparison, Measure, Score, Undefined
from swapmeet.params import Count
from swapmeet.risk.combinations import Labels, frequencies
from swapmeet.risk.linkage import of_1000

MOST_LEVELS = 100
"""A column with more distinct values is not tabulated."""


@dataclass(frozen=True, kw_only=True)
class SmallCells(Measure):
    """The share of people in a small cell of a two-way table that the release shows truly.

    All pairs of known columns with few values are tabulated. A cell of the release with fewer than
    `least` records gives somebody away if it really is a small cell of the original and a record
    in it is that of a person who belongs there. Where the owners are unknown, every small cell of
    both tables counts.
    """

    name: ClassVar[str] = "small-cells"
    question: ClassVar[str] = "How many people stand in a small cell of a table, and truly so?"

    least: Annotated[int, Count(2), "cells with fewer records are small"] = 3

    def score(self, comparison: Comparison) -> Score:
        few = [name for name in comparison.known if _levels(comparison, name) <= MOST_LEVELS]
        if len(few) < 2:
            raise Undefined("fewer than two known columns have few enough values for a table")
        exposed = np.zeros(comparison.n, bool)
        small = np.zeros(comparison.released.n, bool)
        for pair in combinations(few, 2):
            original, released = comparison.combinations(pair)
            here = frequencies(released, released) < self.least
            small |= here
            exposed |= self._truly(comparison, original, released)
        sentence = (
            f"{of_1000(exposed.mean())} people stand in a cell of fewer than {self.least} records "
            f"in some table of two of {len(few)} known columns, as they do in the original; "
            f"{of_1000(small.mean())} released records stand in any small cell."
        )
        details = {"columns tabulated": len(few), "records in small cells": int(small.sum())}
        return self.scored(exposed.mean(), sentence, records=exposed.astype(float), details=details)

    def _truly(
        self, comparison: Comparison, original: Labels, released: Labels
    ) -> npt.NDArray[np.bool_]:
        rare = frequencies(original, original) < self.least
        shown = frequencies(original, released)
        seen = rare & (shown > 0) & (shown < self.least)
        return seen & (original == released) if comparison.owners_known else seen


def _levels(comparison: Comparison, name: str) -> int:
    return len(np.unique(comparison.original[name].values))
