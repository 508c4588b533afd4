"""Files that pages name and do not make, from built-in data and from a seed; about nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from survey_files import make_businesses, make_households

import swapmeet as sm

if TYPE_CHECKING:
    from pathlib import Path

JOBS = ("clerk", "teacher", "nurse", "driver", "farmer", "engineer", "cook")


def make_people() -> pd.DataFrame:
    """The voters of 1996, with an income in money; sex, region, job and weight are made up."""
    voters = sm.datasets.load("anes96")
    rng, n = np.random.default_rng(19), len(voters)
    income = (voters["income"] * 2_500 + rng.integers(0, 2_500, n)).round(-2).astype(int)
    return pd.DataFrame(
        {
            "age": voters["age"].astype(int),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.choice(["east", "north", "south", "west"], n, p=[0.4, 0.3, 0.2, 0.1]),
            "educ": voters["educ"].astype(int),
            "job": rng.choice(JOBS, n),
            "income": income,
            "wage": (income * rng.uniform(0.5, 1.0, n)).round(-2).astype(int),
            "weight": rng.choice([0.8, 1.0, 1.25], n),
        }
    )


def make_named_people() -> pd.DataFrame:
    people = make_people()
    people.insert(0, "name", [f"Person {number:04d}" for number in range(len(people))])
    return people


def make_numbered_people() -> pd.DataFrame:
    people = make_people().drop(columns="weight")
    people.insert(0, "pid", np.random.default_rng(2).permutation(90_000)[: len(people)] + 10_000)
    return people


def make_health() -> pd.DataFrame:
    return sm.datasets.load("randhie").head(6_000)


SAMPLES = {
    "people.csv": make_people,
    "named.csv": make_named_people,
    "numbered.csv": make_numbered_people,
    "survey.csv": make_households,
    "business.csv": make_businesses,
    "big.csv.gz": make_health,
    "big.parquet": make_health,
    "people": make_people,
}
GERMAN = {"survey.csv": {"sep": ";", "encoding": "cp1252", "decimal": ","}}
"""As an office has it."""


def lay_out(wanted: str, folder: Path) -> None:
    """`people.csv`, or `named.csv as people.csv`; a name without an ending is a folder."""
    sample, _, name = wanted.partition(" as ")
    path, table = folder / (name or sample), SAMPLES[sample]()
    if path.suffix in (".csv", ".gz"):
        table.to_csv(path, index=False, **GERMAN.get(sample, {}))
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pandas(table, preserve_index=False), path)
    else:
        path.mkdir()
        pq.write_table(pa.Table.from_pandas(table, preserve_index=False), path / "part.parquet")
