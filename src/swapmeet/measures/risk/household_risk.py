"""The risk that somebody of a person's household is found in the population."""

from __future__ import annotations

from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.sentences import figure
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score, Undefined
from swapmeet.intruders.links.household_pairs import NO_UNITS
from swapmeet.measures.base import RiskMeasure
from swapmeet.measures.risk.population_risk import find_population_risks
from swapmeet.measures.weights import name_weight
from swapmeet.tables.schema import Role


class HouseholdRisk(RiskMeasure):
    """The mean chance that somebody of a person's household is found: 1 − Π(1 − r).

    Someone who finds one member has found them all, since the numbers of households tie their rows
    together. r is the `individual-risk` of each member. For an unchanged release it is sdcMicro's
    household risk; for a blind one nearly 0. It takes the members' links as independent of each
    other; for one who knows them all and looks for them together, see `household-linkage`.

    Reference: sdcMicro's `measure_risk` with a household identifier.
    """

    name = "household-risk"
    growth = "rows × columns"
    question = "How likely is it that a member of a person's household is found?"
    needs = (Role.WEIGHT, Role.HOUSEHOLD)

    def score(self, comparison: Comparison) -> Score:
        if comparison.households is None:
            raise Undefined(NO_UNITS.format(role=Role.HOUSEHOLD))
        population = comparison.once(find_population_risks)
        assert population.records is not None
        household = comparison.households[0]
        after, before = (_join(risks, household) for risks in population.records)
        details: dict[str, Any] = {
            "risk of the original": float(before.mean()),
            "expected re-identifications": float(after.sum()),
            "expected re-identifications in the original": float(before.sum()),
            "households": int(household.max()) + 1,
            **name_weight(comparison),
        }
        sentence = (
            f"Of {comparison.n:,} people {figure(float(after.sum()), 3)} are expected to live in "
            "a household with a member who is found in the population; in the original, "
            f"{figure(float(before.sum()), 3)} would."
        )
        return self.make_score(float(after.mean()), sentence, records=after, details=details)


def _join(risks: Floats, household: Ints) -> Floats:
    """The chance that one of the household is found, for each member."""
    with np.errstate(divide="ignore"):
        none = np.bincount(household, np.log1p(-np.minimum(risks, 1.0)))
    risk: Floats = -np.expm1(none)[household]
    return risk
