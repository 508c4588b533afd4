"""The paper's table, its releases by distance, and the clusters behind them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import swapmeet as sm
from kit.data import read
from swapmeet.base.parallel import Workers
from swapmeet.methods.kl_theta.clustering import Clustering
from swapmeet.methods.kl_theta.conditions import Conditions
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt
    import pandas as pd

KEYS, SENSITIVE = ["race", "education", "sex", "age"], "occupation"
WEIGHTS = {
    "BaseTable": {},
    "RaceTable": {"race": 5.0},
    "EducationTable": {"education": 5.0},
    "SexTable": {"sex": 5.0},
    "AgeTable": {"age": 5.0},
}
"""Figure 6: the weights that differ from 1."""
K, L, THETA = 10, 5, 0.3
JOINS = 6
"""Releases that join all rows of a cluster."""


@cache
def read_adult() -> pd.DataFrame:
    """The four keys and the sensitive column; '?' is an occupation of its own."""
    return read("adult")[[*KEYS, SENSITIVE]]


@cache
def describe_adult() -> sm.Schema:
    """Occupation is sensitive, the others are keys, age a number."""
    return sm.Schema.infer(read_adult()).assign(sensitive=[SENSITIVE], numeric=["age"])


def choose_method(
    table: str = "BaseTable", strategy: str = "paper", theta: float = THETA
) -> sm.KLTheta:
    """The method of one of the paper's tables."""
    return sm.KLTheta(k=K, l=L, theta=theta, weights=WEIGHTS[table], strategy=strategy)


@cache
def release_adult(
    seed: int, table: str = "BaseTable", strategy: str = "paper", theta: float = THETA
) -> sm.Release:
    """A release of the table; parts of the study share them."""
    method = choose_method(table, strategy, theta)
    return sm.mask(read_adult(), method, schema=describe_adult(), seed=seed)


@cache
def find_clusters(
    strategy: str, seed: int, theta: float = THETA, table: str = "BaseTable"
) -> npt.NDArray[np.int64]:
    """The cluster of each row.

    The paper's clusters do not depend on the seed, so that they can be told from audit records:
    values never leave their cluster, and a few releases join all rows of a cluster. Balanced ones
    begin with random rows; one such partition is made here, and so are those of other weights.
    """
    if (strategy, table) == ("paper", "BaseTable"):
        return _join_rows(release_adult(one) for one in range(seed, seed + JOINS))
    data = Microdata.of(Table(read_adult()), describe_adult())
    clustering = Clustering(
        method="kl-theta",
        conditions=Conditions(K, L, theta),
        weights=WEIGHTS[table],
        strategy=strategy,
    )
    order = np.random.default_rng(seed).permutation(data.n)
    return clustering.find_clusters(data, Workers(), order)


def _join_rows(releases: Iterable[sm.Release]) -> npt.NDArray[np.int64]:
    """Rows that gave to each other in any of these releases."""
    donors = [one.audit.donors[:, one.audit.columns.index(SENSITIVE)] for one in releases]
    n = len(donors[0])
    rows, givers = np.tile(np.arange(n), len(donors)), np.concatenate(donors)
    graph = coo_array((np.ones(len(rows), np.int8), (rows, givers)), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.int64)
