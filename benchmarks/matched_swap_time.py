"""How fast is matched swapping, against permuted microaggregation, and how does its time grow?

A million rows take about half a minute; `matched_swap_time.py 100000` stops before them.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from itertools import pairwise
from math import log

import numpy as np
import pandas as pd
from measure import Figure, cpu_seconds
from people import mixed

import swapmeet as sm

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
COLUMNS, K = 12, 10


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    most = int(sys.argv[1]) if len(sys.argv) > 1 else SIZES[-1]
    for table in (draw_numbers(3_000), mixed(3_000)):
        sm.mask(table, sm.MatchedSwap(k=K))
        sm.mask(table, sm.Microaggregation(k=K, permute=True))
    for what, table in (("numbers", draw_numbers(100_000)), ("mixed", mixed(100_000))):
        peer = cpu_seconds(lambda t=table: sm.mask(t, sm.Microaggregation(k=K, permute=True)))
        ours = cpu_seconds(lambda t=table: sm.mask(t, sm.MatchedSwap(k=K)))
        Figure(f"100,000 x {COLUMNS} {what} (CPU) / permuted", ours, peer, 2.0).show()
    taken = {rows: measure(mixed(rows)) for rows in SIZES if rows <= most}
    for (small, less), (large, more) in pairwise(taken.items()):
        growth = log(more / less) / log(large / small)
        print(f"from {small:,} to {large:,} rows: {less:.2f} to {more:.2f} CPU s, n^{growth:.2f}")


def draw_numbers(rows: int) -> pd.DataFrame:
    """Correlated numbers."""
    rng = np.random.default_rng(1)
    numbers = rng.standard_normal((rows, COLUMNS)) + rng.standard_normal((rows, 1))
    return pd.DataFrame(numbers, columns=[f"x{j}" for j in range(COLUMNS)])


def measure(people: pd.DataFrame) -> float:
    """CPU seconds of a call; how well relations stayed, and the memory so far, are printed."""
    begin, clock = time.process_time(), time.perf_counter()
    release = sm.mask(people, sm.MatchedSwap(k=K, by="tree"))
    taken, clock = time.process_time() - begin, time.perf_counter() - clock
    numbers = people.select_dtypes("number")
    change = np.abs(np.corrcoef(release.data[numbers.columns].T) - np.corrcoef(numbers.T))
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{len(people):,} rows: {taken:.1f} CPU s, {clock:.1f} s, {gigabytes:.2f} GB; correlations "
        f"{change[np.triu_indices(len(change), 1)].mean():.1e} on average; {release.notes[-1]}",
        flush=True,
    )
    return taken


if __name__ == "__main__":
    main()
