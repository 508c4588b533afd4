"""How often do intervals from a release cover the truth, and what does the tool say about it?

People are drawn from a known population, masked, and a linear model is fitted to each release: the
truth is how often its 95 % intervals hold the population's coefficients. Beside it stands what
`assess(coverage=...)` tells from one sample, as the mean and the standard deviation over several.

    python benchmarks/coverage_truth.py                                # 1,000 samples, an hour
    python benchmarks/coverage_truth.py --samples 100 --told 2         # a first look
"""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import swapmeet as sm
from swapmeet.errors import TableError
from swapmeet.measures.side_by_side.interval_coverage import LEVEL
from swapmeet.measures.side_by_side.model import Model
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from swapmeet.measures.side_by_side.fit import Estimate

FORMULA = "income ~ age + educ + hours + noise + C(sex) + C(region)"
TRUTH = {"age": 0.12, "educ": 0.9, "hours": 0.25, "noise": 0.0}
REGIONS = {"n": 0.0, "s": -1.0, "e": 1.5, "w": -2.0}
SCHEMA = sm.Schema(
    tuple(sm.Column(name, Kind.NUMERIC) for name in ("income", *TRUTH))
    + tuple(sm.Column(name, Kind.NOMINAL) for name in ("sex", "region"))
)
METHODS = (
    sm.MatchedSwap(k=5),
    sm.RWN(k=5),
    sm.Microaggregation(k=5),
    sm.Noise(level=0.3),
    sm.RankSwap(),
)
NUMBERS_ONLY = {"noise"}


def draw_people(n: int, number: int) -> pd.DataFrame:
    """A sample of the population."""
    rng = np.random.default_rng([7, number])
    age, woman = 18 + 60 * rng.beta(1.6, 2.2, n), rng.random(n) < 0.5
    educ = np.clip(np.round(12 + 2.5 * rng.normal(size=n) - 0.02 * (age - 45)), 6, 20)
    hours = np.clip(38 - 4 * woman + 7 * rng.normal(size=n), 4, 70)
    region, noise = rng.choice(list(REGIONS), n, p=[0.4, 0.3, 0.2, 0.1]), rng.normal(size=n)
    effect = pd.Series(region).map(REGIONS).to_numpy() - 2.5 * woman
    income = 2 + 0.12 * age + 0.9 * educ + 0.25 * hours + effect + 5 * rng.normal(size=n)
    return pd.DataFrame(
        {"income": income, "age": age, "educ": educ, "hours": hours, "noise": noise,
         "sex": np.where(woman, "f", "m"), "region": region}
    )  # fmt: skip


def find_schema(method: sm.Method) -> sm.Schema:
    """Categories stay where the method takes numbers only."""
    return SCHEMA.assign(keep=["sex", "region"]) if method.name in NUMBERS_ONLY else SCHEMA


def count_covered(method: sm.Method, rows: int, samples: int) -> dict[str, float]:
    """How often the interval of each number covers, over samples whose release can be fitted."""
    found = [fit_release(method, draw_people(rows, number)) for number in range(samples)]
    fitted = [one for one in found if one is not None]
    print(f"{method.name}: {len(fitted)} of {samples} releases can be fitted", file=sys.stderr)
    return {
        name: float(np.mean([covers(one, name, truth) for one in fitted]))
        for name, truth in TRUTH.items()
    }


def fit_release(method: sm.Method, people: pd.DataFrame) -> Estimate | None:
    """The model in a release of these people; None where a category is gone from it."""
    released = sm.mask(people, method, schema=find_schema(method)).data
    tables = Table.of(people), Table.of(released)
    before, after = Microdata.of_all(tables, list(SCHEMA))
    try:
        return Model.parse(FORMULA).estimate(after, before)
    except TableError:
        return None


def covers(estimate: Estimate, name: str, truth: float) -> bool:
    """Whether the interval of a coefficient holds the truth."""
    j = estimate.names.index(name)
    reach = estimate.half_width(LEVEL) * estimate.errors[j]
    return bool(abs(estimate.beta[j] - truth) <= reach)


def tell(method: sm.Method, rows: int, number: int, replicates: int) -> dict[str, float]:
    """What the tool tells of each number from one sample."""
    people = draw_people(rows, 10**6 + number)
    release = sm.mask(people, method, schema=find_schema(method))
    card = sm.assess(
        people, release, schema=find_schema(method), measures=["spread"], coverage=[FORMULA],
        replicates=replicates,
    )  # fmt: skip
    return {term.name: term.coverage for term in card.coverage[0].terms if term.name in TRUTH}


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--samples", type=int, default=1_000)
    parser.add_argument("--told", type=int, default=8, help="samples from which the tool tells")
    parser.add_argument("--replicates", type=int, default=60)
    chosen = parser.parse_args()
    print(f"| | {' | '.join(TRUTH)} |\n|{' --- |' * (len(TRUTH) + 1)}")
    for method in METHODS:
        truth = count_covered(method, chosen.rows, chosen.samples)
        print(f"| {method.name}: truth |", *(f"{truth[name]:.2f} |" for name in TRUTH))
        told = pd.DataFrame(
            [tell(method, chosen.rows, i, chosen.replicates) for i in range(chosen.told)],
            columns=list(TRUTH),
        )
        spans = (f"{told[name].mean():.2f} ± {told[name].std():.2f} |" for name in TRUTH)
        print("| estimated from one sample |", *spans, flush=True)


if __name__ == "__main__":
    main()
