"""The 5,000 records of the paper, and its releases of them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

import swapmeet as sm
from kit.data import read
from parts.nbrs.r_sample import draw_sample

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

R_SEED, SIZE = 99_999, 5_000
"""The sample is that of R with this seed; the paper does not tell it, its figures do."""
COLUMNS = ["age", "sex", "wkswrkd", "ms", "phd", "wageinc"]
DUMMIES = ("sex", "ms", "phd")
MODEL = "wageinc ~ age + sex + wkswrkd + ms + phd"
EPS, FIRST, SECOND = 0.6, 0.2, 0.3
"""The radius of both calls, and the weights of the dummies in each."""
HER = 7997
"""The record that the paper follows."""


@cache
def read_records() -> pd.DataFrame:
    """The sample in the paper's order; the index is the number of the record."""
    people = read("prgeng")
    people.index += 1
    people["ms"], people["phd"] = (1 * (people["educ"] == degree) for degree in (14, 16))
    people = people.loc[people["occ"].between(100, 109), COLUMNS]
    return people.iloc[draw_sample(R_SEED, len(people), SIZE)]


@cache
def describe_columns() -> sm.Schema:
    """All columns as numbers, as the paper takes them, dummies too."""
    return sm.Schema(tuple(sm.Column(name, "numeric") for name in COLUMNS))


def choose_method(weight: float, eps: float = EPS, q: float = 1.0) -> sm.NBRS:
    """A call of the paper, by the weight of its dummies."""
    return sm.NBRS(eps=eps, q=q, weights=dict.fromkeys(DUMMIES, weight))


def release_records(seed: int, method: sm.NBRS) -> sm.Release:
    """A release of the sample."""
    return sm.mask(read_records(), method, schema=describe_columns(), seed=seed)


def find_neighbors(record: int, weight: float, eps: float = EPS) -> npt.NDArray[np.int64]:
    """Places of the records in the ball of one, by the paper's own distance."""
    values = read_records().to_numpy(float)
    scaled = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    scaled[:, [COLUMNS.index(name) for name in DUMMIES]] *= weight
    place = find_place(record)
    away = np.linalg.norm(scaled - scaled[place], axis=1)
    return np.setdiff1d(np.flatnonzero(away < eps), [place])


def find_place(record: int) -> int:
    """Where a record stands in the sample."""
    return int(read_records().index.get_loc(record))
