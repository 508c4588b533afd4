"""The risk that a person of a sample is found in the population, by their sampling weight."""

from __future__ import annotations

from typing import Any

from swapmeet.base.sentences import figure
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.knowledge import list_names
from swapmeet.comparison.score import Score
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.measures.risk.population_risk import find_population_risks, name_keys
from swapmeet.measures.weights import name_weight
from swapmeet.tables.schema import Role


class IndividualRisk(RiskMeasure):
    """The mean chance that a person is found in the population by the keys of their released row.

    A row that f rows of a sample share, which stand for F people, is linked rightly with a
    probability of about 1 / F; since F is estimated from the weights, it is the mean of 1 / F that
    Benedetti and Franconi give, as sdcMicro computes it. It counts only where the released row has
    its person's own keys: a link by other keys leads to somebody else. Where owners are unknown,
    every row counts.

    For an unchanged release it is sdcMicro's global risk of the table, which the details have as
    that of the original; for a blind one nearly 0.

    Where most combinations of keys are rare, the estimate is far too low: see
    `population-uniqueness`, which rests on how many rows come in pairs.

    Reference: Benedetti and Franconi (1998); Templ (2008), sdcMicro's `measure_risk`.
    """

    name = "individual-risk"
    growth = "rows × columns"
    question = "How likely is a person found in the population, given their weight?"
    coverage = Coverage.ALL
    needs = (Role.WEIGHT,)

    def score(self, comparison: Comparison) -> Score:
        risks = comparison.once(find_population_risks)
        n, value = risks.rows, risks.own / risks.rows
        details: dict[str, Any] = {
            "risk of the original": risks.risk / n,
            "expected re-identifications": risks.own,
            "expected re-identifications in the original": risks.risk,
            "risk if every released row had its person's keys": risks.released / n,
            "chance that a unique match is right (Skinner and Carter)": risks.surely,
            **name_weight(comparison),
        }
        sentence = (
            f"Of {n:,} people {figure(risks.own, 3)} are expected to be found in the population by "
            f"{list_names(name_keys(comparison))}, given what the weights say about it; in the "
            f"original, {figure(risks.risk, 3)} would be."
        )
        records = None if risks.records is None else risks.records[0]
        return self.make_score(value, sentence, records=records, details=details)
