"""How fast is rank swapping: against sdcMicro's rankSwap, and against sorting every column?"""

from __future__ import annotations

import warnings
from math import log2
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from measure import Figure, compare, cpu_seconds

import swapmeet as sm
from swapmeet.base.seeds import Seed
from swapmeet.engines import Local
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

if TYPE_CHECKING:
    from collections.abc import Callable

SDCMICRO = {10_000: 0.2, 50_000: 4.9, 100_000: 37.0}
"""CPU seconds of rankSwap on 12 normal columns, on a machine like this one."""
BOUNDS = {10_000: 0.25, 50_000: 0.03, 100_000: 0.01}
"""sdcMicro looks at the whole window of each value, so that the ratio falls with the rows."""


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    for n, peer in SDCMICRO.items():
        table, schema = normal(n, 12)
        ours = cpu(lambda t=table, s=schema: sm.mask(t, sm.RankSwap(window=0.15), schema=s))
        Figure(f"mask, {n:,} x 12 (CPU) / sdcMicro", ours, peer, BOUNDS[n]).show()
    table, schema = normal(100_000, 12)
    for variant in ("distribution", "buckets"):
        method = sm.RankSwap(window=0.15, variant=variant)
        ours = cpu(lambda m=method: sm.mask(table, m, schema=schema))
        Figure(
            f"mask, {variant}, 100,000 x 12 (CPU) / sdcMicro", ours, SDCMICRO[100_000], 0.01
        ).show()
    data, method = Microdata.of(Table(table), schema), sm.RankSwap(window=0.15)
    compare(
        "method alone, 100,000 x 12, one thread / sorting each column",
        lambda: Local(threads=1).run(method, data, Seed.fresh()),
        lambda: [np.argsort(variable.values, kind="stable") for variable in data.variables],
        bound=2.0,
        repeats=7,
    )
    growth(method)


def growth(method: sm.RankSwap) -> None:
    """Time per cell, divided by the logarithm of the rows, stays about the same."""
    for n in (10_000, 100_000, 1_000_000):
        table, schema = normal(n, 12)
        data = Microdata.of(Table(table), schema)
        took = cpu(lambda d=data: Local(threads=1).run(method, d, Seed.fresh()), times=3)
        cell = 1e9 * took / (n * 12)
        print(
            f"{n:>10,} x 12: {cell:5.0f} ns per cell, {cell / log2(n):5.1f} by log2(rows)",
            flush=True,
        )


def cpu(work: Callable[[], object], times: int = 7) -> float:
    work()
    return median(cpu_seconds(work) for _ in range(times))


def normal(n: int, p: int) -> tuple[pd.DataFrame, sm.Schema]:
    columns = np.random.default_rng(1).normal(size=(p, n))
    table = pd.DataFrame({f"c{j}": column for j, column in enumerate(columns)})
    return table, sm.Schema(tuple(sm.Column(name, "numeric") for name in table))


if __name__ == "__main__":
    main()
