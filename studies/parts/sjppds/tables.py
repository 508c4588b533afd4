"""The tables of the SJPPDS paper: two files about firms and taxpayers, and simulated ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import expon, norm

import swapmeet as sm
from kit import data

REAL = ("census", "tarragona")
SIMULATED = ("gaussian", "exponential")
ROWS, COLUMNS = 500, 10
SUM = "PEARNVAL"
"""The column of census that follows from the others; the paper leaves it out."""


def read(name: str) -> pd.DataFrame:
    """Census without the column that follows from the others, or tarragona."""
    table = data.read(name).astype(float)
    return table.drop(columns=SUM, errors="ignore")


def simulate(kind: str, number: int) -> pd.DataFrame:
    """One of the simulated tables (A1.1); exponential columns have a rate each.

    The paper's words are of one rate for a whole table, but its Table A1 comes out with one each.
    """
    rng = np.random.default_rng([SIMULATED.index(kind), number])
    places = np.arange(COLUMNS)
    cov = rng.uniform(-0.8, 0.8) ** np.abs(places[:, None] - places)
    if kind == "gaussian":
        values = rng.multivariate_normal(rng.uniform(-3.0, 3.0, COLUMNS), cov, ROWS)
    else:
        uniform = norm.cdf(rng.multivariate_normal(np.zeros(COLUMNS), cov, ROWS))
        values = expon.ppf(uniform, scale=1.0 / rng.uniform(0.1, 10.0, COLUMNS))
    return pd.DataFrame(values, columns=[f"x{place + 1}" for place in places])


def describe(table: pd.DataFrame) -> sm.Schema:
    """All columns are numbers."""
    return sm.Schema(tuple(sm.Column(name, "numeric") for name in table))
