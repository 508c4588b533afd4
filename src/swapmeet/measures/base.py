"""Base of all measures, of risk and of utility."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np

from swapmeet.base.params import Parameters
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Direction, Family, Inapplicable, Score, Undefined
from swapmeet.tables.role import Role

GROWS_WITH_PEOPLE = (
    "people × rows × columns; beyond 100 columns fewer people, so that it is bounded"
)
"""Growth of measures that look for people among all rows."""


class Coverage(StrEnum):
    """Rows that a measure looks at where a table is too large for memory."""

    ALL = "all rows"
    LINKED = "random people against all rows"
    SAMPLE = "a random sample of the rows"


@dataclass(frozen=True, kw_only=True)
class Measure(Parameters):
    """A measure of risk or of utility; its fields are its parameters.

    `question` is what it answers, in words for people. `family` has no default: a measure says
    itself whether it is one of risk or of utility, or derives from RiskMeasure or UtilityMeasure.
    Only what is `public` may be in the public report: a figure that would help an intruder must
    not.

    `coverage` says which rows it looks at where not all rows are in memory, and `ordered` whether
    it needs columns in order. Of a measure that then takes a sample, `sample_rows` says how many
    rows it may have where memory allows (0: as many as any), and `in_sample` what that does to its
    value; if risk is `hidden_in_sample`, a limit that is met there is not
    decided. With `by_pairs` it is not defined unless the sample holds people with their own rows.
    Without columns of the roles that it `needs` it has nothing to measure, and is not taken unless
    it is asked for. `remedy` is what to do where its limit is not met, as a sentence. `growth` is
    what its time grows with, such as "rows × columns".
    """

    name: ClassVar[str]
    family: ClassVar[Family]
    public: ClassVar[bool] = False
    question: ClassVar[str]
    direction: ClassVar[Direction] = Direction.LOWER
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    coverage: ClassVar[Coverage] = Coverage.SAMPLE
    ordered: ClassVar[bool] = False
    sample_rows: ClassVar[int] = 0
    in_sample: ClassVar[str] = ""
    hidden_in_sample: ClassVar[bool] = False
    by_pairs: ClassVar[bool] = False
    needs: ClassVar[tuple[Role, ...]] = ()
    remedy: ClassVar[str] = ""
    growth: ClassVar[str] = ""

    @abstractmethod
    def score(self, comparison: Comparison) -> Score:
        """Measure; raise Undefined where there is nothing to measure."""

    @property
    def first_look(self) -> Measure:
        """Return the measure that a search takes of every trial; a dearer one is for the best only.

        A first look may find less risk than there is, never more.
        """
        return self

    def make_score(self, value: float, sentence: str, **more: Any) -> Score:
        """A score of this measure."""
        return Score(
            self.name, float(value), sentence, self.direction, self.bounds, self.family,
            self.public, **more,
        )  # fmt: skip

    def score_or_reason(self, comparison: Comparison) -> Score:
        """The score, or one without a value that says why there is none."""
        try:
            return self.score(comparison)
        except Undefined as reason:
            return self.undefined(reason)

    def undefined(self, reason: Undefined) -> Score:
        """A score without a value."""
        return self.make_score(
            np.nan, f"Not defined here: {reason}.", undefined=str(reason),
            applies=not isinstance(reason, Inapplicable),
        )  # fmt: skip


class RiskMeasure(Measure):
    """A measure of what an intruder can do."""

    family = Family.RISK


class UtilityMeasure(Measure):
    """A measure of what an analyst loses."""

    family = Family.UTILITY
