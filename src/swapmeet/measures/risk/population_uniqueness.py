"""People of a sample who are unique in the population, and still are in the release."""

from __future__ import annotations

from typing import Any

from swapmeet.base.sentences import figure, percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.knowledge import list_names
from swapmeet.comparison.score import Score
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.measures.risk.population_risk import find_population_risks, name_keys
from swapmeet.measures.weights import name_weight
from swapmeet.tables.schema import Role


class PopulationUniqueness(RiskMeasure):
    """The share of people who are, by estimate, unique in the population and in the release.

    A person who is unique in a sample need not be so in the population. Rows that come in pairs
    show how often: with U unique rows, and pairs that stand for V people besides themselves, a
    person of the population who fits a unique row is the right one in U / (U + V) of the cases.
    That is the estimate of Skinner and Carter, which holds for unequal weights and rests on no
    model of the population; it is taken for the share of unique rows that are unique in the
    population, which is true if the numbers of people behind them fall off geometrically.

    The value is this share times that of people who are unique by their keys in the original, and
    whose released row has the same keys and is also unique. For an unchanged release it is that of
    the original, for a blind one nearly 0.

    Reference: Skinner and Carter (2003), Survey Methodology 29; Skinner and Elliot (2002).
    """

    name = "population-uniqueness"
    growth = "rows × columns"
    question = "How many people are unique in the population, and still found?"
    coverage = Coverage.ALL
    needs = (Role.WEIGHT,)

    def score(self, comparison: Comparison) -> Score:
        risks = comparison.once(find_population_risks)
        n, before = risks.rows, risks.surely * risks.unique
        value = risks.surely * risks.kept / n
        details: dict[str, Any] = {
            "unique in the original": risks.unique,
            "of whom unique in the release, with the same keys": risks.kept,
            "chance that a unique match is right (Skinner and Carter)": risks.surely,
            "unique in the population, by estimate": before,
            "share of the original": before / n,
            **name_weight(comparison),
        }
        sentence = (
            f"Of {n:,} people {risks.unique:,} are unique in {list_names(name_keys(comparison))}; "
            f"by estimate {percent(risks.surely)} of them are also unique in the population, and "
            f"{figure(value * n, 3)} of these still are in the release, with their own keys."
        )
        return self.make_score(value, sentence, details=details)
