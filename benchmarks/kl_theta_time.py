"""How fast is K-L-θ swapping, how does it grow, and how well do queries survive it?

Against the author's Java program (paper 004): 292 CPU seconds for Adult, measured on a machine like
this one; the program is not shipped. Its partition is that of strategy "paper".
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from measure import SHARED, Figure, cpu_seconds, in_fresh_process

import swapmeet as sm
from swapmeet.methods.kl_theta import KLTheta

JAVA = 292.0
COLUMNS = ["age", "race", "education", "sex", "occupation"]
QUERIES = 1_000
ROUNDS = 10
STRICTER: list[dict[str, Any]] = [
    {"diversity": "entropy"}, {"diversity": "entropy", "l": 7}, {"diversity": "recursive"},
    {"diversity": "recursive", "c": 1.0}, {"t": 0.4}, {"t": 0.3}, {"t": 0.2}, {"t": 0.1},
]  # fmt: skip
MEMORY = """
import sys, warnings
sys.path.insert(0, {folder!r})
warnings.simplefilter("ignore")
import kl_theta_time as benchmark
benchmark.masked(benchmark.adult(2_000), "balanced")
table = benchmark.adult(1_000_000)
open("/proc/self/clear_refs", "w").write("5")
benchmark.masked(table, "balanced")
print(next(l.split()[1] for l in open("/proc/self/status") if l.startswith("VmHWM")))
"""


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    people = adult()
    paper, balanced = (_seconds(people, strategy, 5) for strategy in ("paper", "balanced"))
    Figure("Adult, strategy paper (CPU) / the author's Java", paper, JAVA, 1 / 200).show()
    Figure("Adult, strategy balanced (CPU) / half a second", balanced, 0.5, 1.0).show()
    Figure("100k rows, strategy paper (CPU) / ten seconds",
           _seconds(adult(100_000), "paper", 1), 10.0, 1.0).show()  # fmt: skip
    some, many = (_seconds(adult(n), "balanced", 3) for n in (100_000, 1_000_000))
    Figure("1M bootstrapped rows, balanced (CPU) / a minute", many, 60.0, 1.0).show()
    Figure("exponent of growth from 100k to 1M rows / 1.2", math.log10(many / some), 1.2, 1.0,
           "").show()  # fmt: skip
    peak = int(in_fresh_process(MEMORY.format(folder=str(Path(__file__).parent)))) / 2**20
    Figure("1M rows, peak memory of the process / 2 GiB", peak, 2.0, 1.0, "GiB").show()
    errors = [query_error(people, strategy) for strategy in ("balanced", "paper")]
    Figure("chi-square per query, balanced / paper", *errors, 0.6, "").show()
    for more in STRICTER:
        clusters = masked(people, "balanced", seed=0, **more).notes[0]
        print(f"{more}: {clusters} chi-square {query_error(people, 'balanced', **more):.0f}")


def adult(n: int | None = None) -> pd.DataFrame:
    """The keys and occupations of Adult, or `n` people drawn from it."""
    people = pd.read_csv(SHARED / "data" / "adult.csv.gz", usecols=COLUMNS)
    if n is None:
        return people
    rng = np.random.default_rng(0)
    return people.iloc[rng.integers(0, len(people), n)].reset_index(drop=True)


def masked(people: pd.DataFrame, strategy: str, seed: int | None = None, **more: Any) -> sm.Release:
    """A release with K = 10, L = 5 and θ = 0.3, unless more is said."""
    schema = sm.Schema.infer(people).assign(sensitive=["occupation"], numeric=["age"])
    return sm.mask(people, KLTheta(strategy=strategy, **more), schema=schema, seed=seed)


def _seconds(people: pd.DataFrame, strategy: str, repeats: int) -> float:
    masked(adult(2_000), strategy)
    return median(cpu_seconds(lambda: masked(people, strategy)) for _ in range(repeats))


def query_error(people: pd.DataFrame, strategy: str, **more: Any) -> float:
    """The mean χ² between the answers of original and release, over queries and releases."""
    rng = np.random.default_rng(1)
    truth = _cube(people)
    errors = []
    for round_ in range(ROUNDS):
        release = _cube(masked(people, strategy, seed=round_, **more).data)
        errors += [_chi_square(*_answers(rng, truth, release)) for _ in range(QUERIES // ROUNDS)]
    return float(np.mean(errors))


def _cube(people: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Counts by age, race, education, sex and occupation."""
    codes = [people[name].astype("category").cat.codes.to_numpy() for name in COLUMNS]
    cube = np.zeros([code.max() + 1 for code in codes], np.int64)
    np.add.at(cube, tuple(codes), 1)
    return cube


def _answers(
    rng: np.random.Generator, *cubes: npt.NDArray[np.int64]
) -> list[npt.NDArray[np.int64]]:
    """Occupations of those in a random half of the races and of the educations, and in a random
    interval of ages; both sexes, as in the author's experiment.
    """
    ages, races, educations, *_ = cubes[0].shape
    low, high = np.sort(rng.choice(ages, 2, replace=False))
    some_races = rng.permutation(races)[: (races + 1) // 2]
    some_educations = rng.permutation(educations)[: (educations + 1) // 2]
    return [
        cube[low : high + 1][:, some_races][:, :, some_educations].sum(axis=(0, 1, 2, 3))
        for cube in cubes
    ]


def _chi_square(x: npt.NDArray[np.int64], y: npt.NDArray[np.int64]) -> float:
    some = x + y > 0
    return float(((x - y)[some] ** 2 / (x + y)[some]).sum())


if __name__ == "__main__":
    main()
