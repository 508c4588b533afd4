"""Algorithms 1, 2 and 3 are one and the same permutation inside bins."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import chisquare

import swapmeet as sm
from kit.claim import Claim
from kit.section import Claims, Section, Table
from parts.sjppds.enumeration import (
    enumerate_one_pass,
    enumerate_paper,
    find_largest_difference,
)
from parts.sjppds.literal import full, sequential, simplified
from parts.sjppds.tables import describe, read

if TYPE_CHECKING:
    from kit.study import Run

TABLES = {
    "4 rows, 3 columns": ((0.0, 0.0, 9.0), (1.0, 1.0, 0.0), (4.0, 2.0, 1.0), (5.0, 9.0, 2.0)),
    "5 rows, 2 columns": ((0.0, 3.0), (1.0, 0.0), (2.0, 9.0), (8.0, 1.0), (9.0, 8.0)),
    "4 rows, 4 columns": (
        (0.0, 2.0, 7.0, 1.0), (1.0, 8.0, 6.0, 0.0), (9.0, 1.0, 1.0, 8.0), (8.0, 9.0, 0.0, 7.0),
    ),
}  # fmt: skip
SMALL, BINS = "4 rows, 3 columns", 2
VARIANTS = ("full", "simplified", "cumulative")


def run(run: Run) -> Section:
    """Compare the paper's algorithms with each other, and with ours."""
    coupled = [_compare_coupled("census", bins, run.seed) for bins in (30,)]
    differences = [_find_differences(name) for name in TABLES]
    largest = max(max(row[2:]) for row in differences)
    return Section(
        title="Full is simplified, and both are one pass",
        finding="The full and the simplified version are the same method: with the same draws "
        "their releases of census are equal to the last bit, and on small tables every release has "
        "exactly the same probability. Both come down to permuting each column inside its bins.",
        words=[
            ("Each pass of Algorithm 1 copies from the original rows, so the last one, which "
            "writes all columns but the last, undoes the others: what is left is Algorithm 2. To "
            "permute all other columns jointly inside the bins of one column is, up to the order "
            "of rows, to permute that column inside its bins. Algorithm 3 does this once for "
            "each column. The paper compares the two versions as two methods, in every figure, "
            "and finds the full one orders of magnitude slower."),
            ("Even if each pass went on from the one before, as the paper's text says "
            "(“cumulative”), the distribution would be the same: a permutation followed by an "
            "independent uniform one is uniform."),
        ],
        claims=[
            Claims(
                "Two versions in the paper",
                [
                    Claim.of(
                        "census: cells in which full and simplified differ, with the same draws",
                        "", max(coupled),
                    ),
                    Claim.of(
                        "small tables: largest difference of the probability of a release", "",
                        largest,
                    ),
                    Claim.of(
                        f"ours against the enumeration, {SMALL}: p of chi-square", "",
                        _test_ours(run),
                    ),
                ],
            )
        ],
        tables=[
            Table(
                "Exact enumeration of Algorithm 3, every draw: largest difference to one pass",
                ["table", "possible releases", *VARIANTS],
                differences,
            )
        ],
    )  # fmt: skip


def _compare_coupled(name: str, bins: int, seed: int) -> int:
    """Cells in which the literal algorithms differ if the last pass has the same draws."""
    table = read(name).to_numpy()
    one = sequential(
        table, bins, np.random.default_rng(seed), full, earlier=np.random.default_rng(seed + 1)
    )
    other = sequential(table, bins, np.random.default_rng(seed), simplified)
    return int(np.sum(one != other))


def _find_differences(name: str) -> list[object]:
    expected = enumerate_one_pass(TABLES[name], BINS)
    found = [enumerate_paper(TABLES[name], BINS, variant=variant) for variant in VARIANTS]
    return [name, len(expected), *(float(find_largest_difference(expected, x)) for x in found)]


def _test_ours(run: Run) -> float:
    """Whether releases of the product have the enumerated distribution."""
    table = pd.DataFrame(TABLES[SMALL], columns=list("abc"))
    expected = enumerate_one_pass(TABLES[SMALL], BINS)
    seeds, schema, engine = run.seeds(1000, 300), describe(table), sm.Local(threads=1)
    method = sm.SJPPDS(bins=BINS)
    releases = (
        sm.mask(table, method, schema=schema, seed=seed, engine=engine).data for seed in seeds
    )
    seen = Counter(tuple(sorted(map(tuple, one.to_numpy().tolist()))) for one in releases)
    assert set(seen) <= set(expected)
    counts = [seen[rows] for rows in expected]
    return float(chisquare(counts, [float(p) * len(seeds) for p in expected.values()]).pvalue)
