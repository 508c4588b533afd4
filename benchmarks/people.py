"""The tables of the benchmarks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from measure import SHARED

NUMERIC = ["age", "wageinc", "wkswrkd"]
NOMINAL = ["educ", "occ", "gender"]


def svcensus(n: int | None = None, seed: int = 0) -> pd.DataFrame:
    """svcensus, or `n` rows drawn from it with a jitter of 1 % of the standard deviation."""
    people = pd.read_csv(SHARED / "data" / "svcensus.csv").astype({"occ": str})
    if n is None:
        return people
    rng = np.random.default_rng(seed)
    drawn = people.iloc[rng.integers(0, len(people), n)].reset_index(drop=True)
    for name in NUMERIC:
        drawn[name] = drawn[name] + rng.normal(0.0, people[name].std() * 0.01, n)
    return drawn


def one_hot(people: pd.DataFrame) -> npt.NDArray[np.float64]:
    """The encoded matrix that other tools work on: [0, 1] and dummies."""
    numbers = [(people[c] - people[c].min()) / np.ptp(people[c]) for c in NUMERIC]
    dummies = pd.get_dummies(people[NOMINAL], dtype=float)
    return np.ascontiguousarray(np.column_stack([*numbers, dummies]))


def adult() -> pd.DataFrame:
    """Adult without its survey weight and without the number that repeats education."""
    whole = pd.read_csv(SHARED / "data" / "adult.csv.gz")
    return whole.drop(columns=["fnlwgt", "education-num"])


def normal(n: int, d: int, seed: int = 0) -> pd.DataFrame:
    """Independent normal columns: the worst case for any tree."""
    values = np.random.default_rng(seed).normal(size=(n, d))
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(d)])
