"""How fast are the groups of MEDS, against the algorithm as it is written, and how does it grow?

The peer is the paper's algorithm with nothing clever about it, compiled: all pairs of the rows that
are left are measured in every round. It must find the same groups.
"""

from __future__ import annotations

import warnings
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd
from measure import Figure, cpu_seconds, in_fresh_process
from numba import njit

import swapmeet as sm
from swapmeet.methods.meds import MEDS, equi_depth

if TYPE_CHECKING:
    from collections.abc import Callable

Table = npt.NDArray[np.float64]
SMALL, LARGE = 2_000, 50_000
AGAINST_BRUTE_FORCE = {(2, 5): 0.01, (3, 5): 0.02, (8, 5): 0.04, (8, 50): 0.1}
"""Columns and k, with the bound on the ratio."""
PROTOTYPES = {(2, 5): 1.4, (8, 50): 1.8}
"""Columns and k, with the CPU seconds of earlier prototypes at 50,000 rows."""


@njit(nogil=True)
def brute_force(points: Table, k: int) -> npt.NDArray[np.int64]:
    """Algorithm 1 of the paper, as it is written."""
    p, n = points.shape
    labels = np.full(n, -1, np.int64)
    left, label = n, 0
    while left >= 2 * k:
        best, r, s = -1.0, -1, -1
        for i in range(n):
            if labels[i] < 0:
                for j in range(i + 1, n):
                    if labels[j] < 0:
                        d = 0.0
                        for t in range(p):
                            d += (points[t, i] - points[t, j]) ** 2
                        if d > best:
                            best, r, s = d, i, j
        labels[r], labels[s] = label, label + 1
        for head in (r, s):
            for _ in range(k - 1):
                nearest, who = np.inf, -1
                for j in range(n):
                    if labels[j] < 0:
                        d = 0.0
                        for t in range(p):
                            d += (points[t, head] - points[t, j]) ** 2
                        if d < nearest:
                            nearest, who = d, j
                labels[who] = label
            label += 1
        left -= 2 * k
    for i in range(n):
        if labels[i] < 0:
            labels[i] = label
    return labels


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    for (p, k), bound in AGAINST_BRUTE_FORCE.items():
        against_brute_force(p, k, bound)
    for (p, k), peer in PROTOTYPES.items():
        question = f"whole MEDS call, {LARGE:,} x {p}, k = {k} (CPU) / prototype"
        Figure(question, whole_call(normal(LARGE, p), k), peer, 1.0).show()
    normal_time = groups_time(normal(LARGE, 2), 5)
    for name, table, bound in (
        ("whole numbers 0 to 9", np.floor(uniform(LARGE, 2) * 10), 1.0),
        ("lognormal, sd 2", scaled(np.exp(2 * normal(LARGE, 2))), 8.0),
        ("three columns", normal(LARGE, 3), 4.0),
        ("four times the rows", normal(4 * LARGE, 2), 8.0),
    ):
        question = f"{name} / normal {LARGE:,} x 2, k = 5 (CPU)"
        Figure(question, groups_time(table, 5), normal_time, bound).show()
    for name, table, k in (
        ("8 columns, k = 5", normal(LARGE, 8), 5),
        ("6 columns, k = 2", normal(LARGE, 6), 2),
        ("8 lognormal columns, k = 5", scaled(np.exp(normal(LARGE, 8))), 5),
    ):
        question = f"{name}, {LARGE:,} rows (CPU) / ten seconds"
        Figure(question, groups_time(table, k), 10.0, 1.0).show()
    question = "memory above the table, 400,000 x 2 / 100,000 x 2, k = 5"
    Figure(question, peak(400_000), peak(100_000), 4.5, "MB").show()


def against_brute_force(p: int, k: int, bound: float) -> None:
    table = normal(SMALL, p)
    if not np.array_equal(equi_depth(table, k), brute_force(table, k)):
        raise AssertionError("the groups differ from those of the algorithm as it is written")
    ours, peer = [], []
    for _ in range(7):
        peer.append(cpu_seconds(lambda: brute_force(table, k)))
        ours.append(cpu_seconds(repeated(lambda: equi_depth(table, k), 10)) / 10)
    question = f"groups of {SMALL:,} x {p}, k = {k} (CPU) / brute force"
    Figure(question, median(ours) * 1e3, median(peer) * 1e3, bound, "ms").show()


def repeated(work: Callable[[], object], times: int) -> Callable[[], None]:
    def all_of_it() -> None:
        for _ in range(times):
            work()

    return all_of_it


def groups_time(table: Table, k: int) -> float:
    return min(cpu_seconds(lambda: equi_depth(table, k)) for _ in range(2))


def whole_call(table: Table, k: int) -> float:
    frame = pd.DataFrame(table.T, columns=[f"x{t}" for t in range(len(table))])
    sm.mask(frame[:100], MEDS(k=2))
    return min(cpu_seconds(lambda: sm.mask(frame, MEDS(k=k))) for _ in range(2))


def peak(rows: int) -> float:
    """Megabytes above the table that groups of normal data need, in a process of its own."""
    return float(in_fresh_process(PEAK.format(rows=rows)))


PEAK = """
import ctypes, resource
import numpy as np
from swapmeet.methods.meds import equi_depth
table = np.random.default_rng(1).normal(size=(2, {rows}))
equi_depth(table[:, :100], 5)
ctypes.CDLL("libc.so.6").malloc_trim(0)
before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
open("/proc/self/clear_refs", "w").write("5")
equi_depth(table, 5)
peak = next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM")) * 1024
print((peak - before) / 1e6)
"""


def normal(rows: int, columns: int) -> Table:
    return np.random.default_rng(1).normal(size=(columns, rows))


def uniform(rows: int, columns: int) -> Table:
    return np.random.default_rng(1).random((columns, rows))


def scaled(table: Table) -> Table:
    centred = table - table.mean(axis=1, keepdims=True)
    return np.asarray(centred / table.std(axis=1, keepdims=True))


if __name__ == "__main__":
    main()
