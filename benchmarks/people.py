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


def mixed(n: int, seed: int = 1) -> pd.DataFrame:
    """Seven numbers, some skewed, and five categories, one with missing values: three factors."""
    rng = np.random.default_rng(seed)
    first, second, third = rng.normal(size=(3, n))
    noise = rng.normal(size=(9, n))
    education = np.digitize(second + 0.8 * noise[6], [-1.2, -0.3, 0.5, 1.3])
    job = np.clip(2.0 * (second + noise[7]) + 6.0, 0, 11).astype(int)
    married = np.where(first + noise[8] > -0.3, "yes", "no").astype(object)
    married[rng.random(n) < 0.05] = None
    return pd.DataFrame(
        {
            "age": np.clip(45 + 14 * first + 5 * noise[0], 16, 95).round(),
            "income": np.exp(8 + 0.6 * second + 0.3 * first + 0.4 * noise[1]).round(),
            "hours": np.clip(38 + 8 * second - 3 * third + 5 * noise[2], 0, 80).round(),
            "wealth": np.exp(9 + 0.7 * first + 0.8 * second + 0.7 * noise[3]).round(),
            "height": (170 + 8 * third + 4 * noise[4]).round(1),
            "weight": (70 + 9 * third + 3 * first + 8 * noise[5]).round(1),
            "visits": rng.poisson(np.exp(0.5 + 0.4 * first)).astype(float),
            "sex": np.where(third + 0.7 * rng.normal(size=n) > 0, "m", "f"),
            "education": np.array(list("abcde"))[education],
            "job": np.array([f"job {i}" for i in range(12)])[job],
            "region": np.array([f"region {i}" for i in range(20)])[
                (20 * rng.random(n) ** 1.7).astype(int)
            ],
            "married": married,
        }
    )


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
