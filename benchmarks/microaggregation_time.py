"""How fast is microaggregation, against sdcMicro on normal data, and how does its time grow?"""

from __future__ import annotations

import warnings
from itertools import pairwise
from math import log
from statistics import median

import numpy as np
import pandas as pd
from measure import Figure, cpu_seconds

import swapmeet as sm

COLUMNS = 12
K = 7
SDCMICRO = {
    ("mdav", 10_000): 0.3,
    ("mdav", 50_000): 8.7,
    ("mdav", 100_000): 39.0,
    ("pca", 10_000): 0.5,
    ("pca", 50_000): 2.8,
    ("pca", 100_000): 5.6,
    ("pppca", 1_000): 2.5,
    ("pppca", 10_000): 250.0,
}
"""CPU seconds of sdcMicro 5.8.1 on a machine like this one; the last one is an estimate."""
BOUNDS = {"mdav": 0.2, "pca": 0.2, "pppca": 0.05}
SIZES = (25_000, 50_000, 100_000, 200_000)


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    for by in BOUNDS:
        seconds_for(by, 1_000)
    for (by, rows), peer in SDCMICRO.items():
        question = f"{by}, {rows:,} x {COLUMNS}, k = {K} (CPU) / sdcMicro"
        bound = BOUNDS[by] if rows > 10_000 or by == "pppca" else 1.0
        Figure(question, seconds_for(by, rows), peer, bound).show()
    taken = {rows: seconds_for("mdav", rows) for rows in SIZES}
    for (small, less), (large, more) in pairwise(taken.items()):
        growth = log(more / less) / log(large / small)
        print(f"mdav from {small:,} to {large:,} rows: {less:.2f} to {more:.2f} s, n^{growth:.2f}")


def seconds_for(by: str, rows: int) -> float:
    """CPU seconds of a whole call, all threads together."""
    numbers = np.random.default_rng(1).standard_normal((rows, COLUMNS))
    table = pd.DataFrame(numbers, columns=[f"x{j}" for j in range(COLUMNS)])
    method = sm.Microaggregation(k=K, by=by)
    return median(cpu_seconds(lambda: sm.mask(table, method)) for _ in range(3))


if __name__ == "__main__":
    main()
