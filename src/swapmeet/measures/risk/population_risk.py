"""Risks that people of a sample, or somebody of their household, are found in the population."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.sentences import figure, percent
from swapmeet.comparison.comparison import Comparison, EquivalenceClasses
from swapmeet.comparison.knowledge import list_names
from swapmeet.comparison.score import Score, Undefined
from swapmeet.comparison.sums import OF_ROWS, Sums
from swapmeet.comparison.weights import name_weight
from swapmeet.intruders.links.household_pairs import NO_UNITS
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.tables.schema import Role

NEARLY_ALL = 1e-4
"""A share outside the sample below which a series stands for differences that cancel."""
NO_WEIGHT = (
    "no column has the role weight, so nothing is known about the population; name one with "
    "`weight`, if the rows are a sample"
)


def estimate_risks(frequencies: Floats, sizes: Floats) -> Floats:
    """The individual risk of Benedetti and Franconi, as sdcMicro has it.

    Of a combination of keys that `frequencies` rows have, and `sizes` people of the population (the
    sum of the rows' weights), it is the mean of 1 / F over the negative binomial distribution of F,
    the true number of these people: exact for one row and for two, sdcMicro's approximation for
    more. Where rows stand for nobody else it is 1 / f.

    >>> estimate_risks(np.array([1.0, 2.0, 1.0, 4.0]), np.array([11.7, 25.7, 1.0, 4.0])).round(6)
    array([0.229868, 0.066205, 1.      , 0.25    ])
    """
    f = np.asarray(frequencies, np.float64)
    p = np.minimum(f / np.maximum(sizes, f), 1.0)
    q = 1.0 - p
    risks = p / (f - q)
    inside = q > 0.0
    for rows, formula in ((1, _of_one), (2, _of_two)):
        some = (f == rows) & inside
        risks[some] = formula(p[some], q[some])
    return risks


def _of_one(p: Floats, q: Floats) -> Floats:
    return -p * np.log1p(-q) / q


def _of_two(p: Floats, q: Floats) -> Floats:
    whole = p * (p * np.log1p(-q) + q) / q**2
    return np.where(q < NEARLY_ALL, p * (0.5 + q / 6.0 + q**2 / 12.0), whole)


@dataclass(frozen=True, repr=False, eq=False)
class PopulationRisks(Sums):
    """Sums over all rows, in the original and in the release.

    `risk` is the sum of individual risks in the original; `released` that of released rows, as if
    each had its person's keys, and `own` only of those that have. Rows with a combination of their
    own are `unique`, and `others` are the people of the population whom a pair of rows stands for
    besides itself. `kept` people are unique in the original, and so is their released row, with the
    same keys. `records` has the individual risk of each person by their released row, and by their
    original one.
    """

    rows: int
    risk: float
    released: float
    own: float
    unique: int
    others: float
    kept: int
    records: tuple[Floats, Floats] | None = field(default=None, metadata=OF_ROWS)

    @classmethod
    def of(cls, keep: bool, crowd: EquivalenceClasses) -> PopulationRisks:  # noqa: FBT001
        """Sum up rows that share combinations of keys."""
        weight = crowd.data.weight
        assert weight is not None
        assert crowd.weights is not None
        count = int(max(x.max(initial=-1) for x in (crowd.original, crowd.released))) + 1
        before = _Cells.of(crowd.original, crowd.weights, count)
        after = _Cells.of(crowd.released, weight.values, count)
        risks = before.risks[crowd.original]
        same = np.ones(len(risks), np.bool_) if crowd.same is None else crowd.same
        own = after.risks[crowd.original] * same
        alone = before.rows[crowd.original] == 1
        kept = alone & same & (after.rows[crowd.original] == 1)
        pairs = before.rows == 2
        return cls(
            len(risks), float(risks.sum()), float(after.risks[crowd.released].sum()),
            float(own.sum()), int(alone.sum()),
            float(np.maximum(before.people[pairs] - 2.0, 0.0).sum()), int(kept.sum()),
            (own, risks) if keep else None,
        )  # fmt: skip

    @property
    def surely(self) -> float:
        """The chance that a person of the population who fits a unique row is the right one.

        Skinner and Carter's estimate for unequal weights: unique rows, over them and the people
        whom pairs of rows stand for besides.
        """
        return self.unique / (self.unique + self.others) if self.unique else 0.0


@dataclass(frozen=True, repr=False, eq=False)
class _Cells:
    """Sum up by combination of keys: the rows, the people they stand for, and the risk."""

    rows: Ints
    people: Floats
    risks: Floats

    @classmethod
    def of(cls, labels: Ints, weights: Floats, count: int) -> _Cells:
        rows = np.bincount(labels, minlength=count)
        people = np.bincount(labels, weights, minlength=count).astype(np.float64)
        return cls(rows, people, estimate_risks(np.maximum(rows, 1), people))


def find_population_risks(comparison: Comparison) -> PopulationRisks:
    """Return what the keys of the verdict's intruder reveal, in the weighted population."""
    weight = comparison.original.weight
    if weight is None:
        raise Undefined(NO_WEIGHT)
    keys = name_keys(comparison)
    look = partial(PopulationRisks.of, comparison.in_memory)
    return comparison.gather_classes(look, keys, [n for n in [weight.name] if n not in keys])


def name_keys(comparison: Comparison) -> tuple[str, ...]:
    """The columns that the intruder of the verdict knows; of the weight itself nobody does."""
    names = comparison.keys or comparison.known
    return tuple(n for n in names if comparison.original[n].role is not Role.WEIGHT) or names


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
