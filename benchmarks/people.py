"""The tables of the benchmarks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from measure import SHARED

import swapmeet as sm

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


def growing(n: int, p: int, seed: int = 0) -> pd.DataFrame:
    """`p` correlated numbers, a town out of 50 and an illness out of 8."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=n)
    columns = {f"x{j}": 0.6 * shared + 0.8 * rng.normal(size=n) for j in range(p)}
    columns["town"] = np.array([f"town {i}" for i in range(50)])[rng.integers(50, size=n)]
    columns["illness"] = np.array([f"illness {i}" for i in range(8)])[rng.integers(8, size=n)]
    return pd.DataFrame(columns)


def roles(people: pd.DataFrame, method: str) -> sm.Schema:
    """What each method masks of `growing`: numbers; all where it takes names; K-L-θ the illness."""
    numbers = [name for name in people if name.startswith("x")]
    schema = sm.Schema(tuple(
        sm.Column(name, "numeric" if name in numbers else "nominal") for name in people
    ))  # fmt: skip
    if method == "kl-theta":
        return schema.assign(sensitive=["illness"])
    if method in {"rwn", "nbrs", "cart"}:
        return schema
    return schema.assign(keep=["town", "illness"])
