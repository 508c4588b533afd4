"""How fast is SJPPDS: against the authors' R script, and against one permutation and one take?"""

from __future__ import annotations

import warnings
from statistics import median

import numpy as np
import pandas as pd
from measure import Figure, compare, cpu_seconds, seconds

import swapmeet as sm

R_SCRIPT = 7.4
"""CPU seconds of the simplified variant at 100,000 x 12, on a machine like this one."""


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    method = sm.SJPPDS(bins=100)
    table, schema = normal(100_000, 12)
    sm.mask(table, method, schema=schema)
    turns = [cpu_seconds(lambda: sm.mask(table, method, schema=schema)) for _ in range(7)]
    Figure("SJPPDS 100,000 x 12 (CPU) / R script", median(turns), R_SCRIPT, 0.02).show()
    table, schema = normal(10_000_000, 10)
    compare(
        "SJPPDS 10,000,000 x 10 / a permutation and a take per column",
        lambda: sm.mask(table, method, schema=schema),
        lambda: permute_and_take(table),
        bound=3.0,
        repeats=2,
    )
    growth(method)


def permute_and_take(table: pd.DataFrame) -> list[np.ndarray]:
    generator = np.random.default_rng()
    return [table[name].to_numpy()[generator.permutation(len(table))] for name in table]


def growth(method: sm.SJPPDS) -> None:
    for n, p in ((300_000, 10), (1_000_000, 10), (3_000_000, 10), (1_000_000, 20)):
        table, schema = normal(n, p)
        took = min(seconds(lambda t=table, s=schema: sm.mask(t, method, schema=s)) for _ in "ab")
        print(f"{n:>10,} x {p}: {took:6.2f} s, {1e9 * took / (n * p):5.0f} ns per cell", flush=True)


def normal(n: int, p: int) -> tuple[pd.DataFrame, sm.Schema]:
    columns = np.random.default_rng(1).normal(size=(p, n))
    table = pd.DataFrame({f"c{j}": column for j, column in enumerate(columns)})
    return table, sm.Schema(tuple(sm.Column(name, "numeric") for name in table))


if __name__ == "__main__":
    main()
