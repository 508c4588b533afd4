"""How long does a whole RWN call take, against the neighbour search of others alone?"""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import people
from measure import compare
from numba import njit
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

import swapmeet as sm


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    against_scipy(people.svcensus(), "svcensus, 20,090 rows", bound=1.0, repeats=15)
    against_scipy(people.svcensus(100_000), "svcensus, 100,000 rows", bound=1.0, repeats=7)
    against_scipy(people.svcensus(500_000), "svcensus, 500,000 rows", bound=0.7, repeats=5)
    large_balls()
    against_brute_force_on_codes()
    against_scikit_learn()


def against_scipy(table, name, *, bound, repeats):
    schema = sm.Schema.infer(table)
    matrix = people.one_hot(table)

    def peer():
        tree = cKDTree(matrix, balanced_tree=False, compact_nodes=False)
        tree.query(matrix, k=11, workers=-1)

    def ours():
        sm.mask(table, sm.RWN(k=10), schema=schema)

    compare(f"RWN k=10, {name} / scipy tree", ours, peer, bound=bound, repeats=repeats)
    tree = cKDTree(matrix, balanced_tree=False, compact_nodes=False)
    compare(
        f"RWN k=10, {name} / scipy query alone",
        ours,
        lambda: tree.query(matrix, k=11, workers=-1),
        bound=bound,
        repeats=repeats,
    )


def large_balls():
    table = people.svcensus()
    schema = sm.Schema.infer(table)
    compare(
        "RWN k=10, eps=0.3 (1,014 neighbours) / k=10",
        lambda: sm.mask(table, sm.RWN(k=10, eps=0.3), schema=schema),
        lambda: sm.mask(table, sm.RWN(k=10), schema=schema),
        bound=3.0,
        repeats=9,
    )


def against_brute_force_on_codes():
    table = people.adult()
    schema = sm.Schema.infer(table)
    numeric = [c.name for c in schema if c.kind is sm.Kind.NUMERIC]
    nominal = [c.name for c in schema if c.kind is sm.Kind.NOMINAL]
    numbers = np.array([(table[c] - table[c].min()) / np.ptp(table[c]) for c in numeric])
    codes = np.array([table[c].astype("category").cat.codes for c in nominal], dtype=np.int32)
    compare(
        f"RWN k=10, adult ({table.shape[1]} columns) / brute force on codes",
        lambda: sm.mask(table, sm.RWN(k=10), schema=schema),
        lambda: brute_force(numbers, codes, 10),
        bound=1.0,
        repeats=1,
    )


def brute_force(numbers, codes, k):
    n = numbers.shape[1]
    kth = np.empty(n)
    with ThreadPoolExecutor() as pool:
        blocks = range(0, n, 1000)
        list(pool.map(lambda a: _kth(numbers, codes, k, a, min(a + 1000, n), kth), blocks))
    return kth


@njit(nogil=True, fastmath=True)
def _kth(numbers, codes, k, begin, end, kth):
    away = np.empty(numbers.shape[1])
    for i in range(begin, end):
        away[:] = 0.0
        for t in range(numbers.shape[0]):
            column = numbers[t]
            for j in range(away.shape[0]):
                away[j] += (column[j] - column[i]) ** 2
        for t in range(codes.shape[0]):
            levels = codes[t]
            for j in range(away.shape[0]):
                away[j] += 2.0 * (levels[j] != levels[i])
        away[i] = np.inf
        kth[i] = np.partition(away, k)[k]


def against_scikit_learn():
    table = people.normal(100_000, 12)
    schema = sm.Schema.infer(table)
    matrix = table.to_numpy()
    matrix = (matrix - matrix.min(axis=0)) / np.ptp(matrix, axis=0)
    brute = NearestNeighbors(algorithm="brute", n_jobs=-1).fit(matrix)
    compare(
        "RWN k=10, 12 normal columns, 100,000 rows / sklearn brute",
        lambda: sm.mask(table, sm.RWN(k=10), schema=schema),
        lambda: brute.kneighbors(matrix, n_neighbors=11),
        bound=0.7,
        repeats=1,
    )


if __name__ == "__main__":
    main()
