from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from kl_theta_checker import broken

import swapmeet as sm
from swapmeet.base.parallel import Workers
from swapmeet.errors import SchemaError, TableError
from swapmeet.methods.kl_theta.clustering import Clustering
from swapmeet.methods.kl_theta.conditions import Conditions
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata


def read(frame, sensitive=("s",), **roles):
    schema = sm.Schema.infer(frame).assign(sensitive=list(sensitive), **roles)
    return Microdata.of(Table(frame), schema)


def cluster(data, order=None, *, k=4, diversity=2, theta=0.6, weights=1.0):
    return Clustering(
        method="some-method", conditions=Conditions(k, diversity, theta), weights=weights
    ).find_clusters(data, Workers(), order)


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"x": rng.normal(size=n), "y": rng.normal(size=n), "s": rng.choice(list("abcd"), n)}
    )


def partition_of(labels):
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def test_the_first_cluster_begins_in_the_outskirts():
    """The row at 10 is the farthest from the mean 3, and takes its nearest; then the one at 0."""
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 10.0, 2.5, 2.6], "s": list("abbaab")})
    labels = cluster(read(frame, numeric=["x"]), k=3, theta=0.7)
    assert partition_of(labels) == {frozenset({3, 5, 4}), frozenset({0, 1, 2})}


@pytest.mark.parametrize("strategy", ["balanced", "paper"])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_strata_too_small_for_any_cluster_are_left_over(rows, strategy):
    """A value in at most 0.3 of so few rows is in none; the search for one has to end."""
    frame = people(60).assign(stratum=["large"] * (60 - rows) + ["small"] * rows)
    clustering = Clustering(
        method="some-method", conditions=Conditions(4, 2, 0.3), weights=1.0, strategy=strategy
    )
    labels = clustering.find_clusters(read(frame, strata=["stratum"]), Workers())
    assert (labels[-rows:] == -1).all()
    assert (labels[:-rows] >= 0).any()


def test_rare_levels_count_as_outskirts():
    """Two rows of the rare town are a cluster, wherever the random order would have begun."""
    frame = pd.DataFrame({"town": list("pppprrqqqq"), "s": list("abababacbd")})
    labels = cluster(read(frame), k=2, theta=0.5)
    assert labels[4] == labels[5]
    assert (labels == labels[4]).sum() == 2


@pytest.mark.parametrize("seed", range(5))
def test_clusters_from_the_outskirts_do_not_depend_on_the_order_of_rows(seed):
    frame = people(200, seed)
    shuffle = np.random.default_rng(seed).permutation(200)
    before = cluster(read(frame))
    after = cluster(read(frame.iloc[shuffle].reset_index(drop=True)))
    back = np.empty_like(after)
    back[shuffle] = after
    assert partition_of(back) == partition_of(before)


def test_a_given_order_makes_other_clusters_that_hold_the_conditions_too():
    frame = people(200)
    data = read(frame)
    one, two = (cluster(data, np.random.default_rng(s).permutation(200)) for s in (1, 2))
    assert partition_of(one) != partition_of(two)
    for labels in (one, two, cluster(data)):
        assert not broken(labels, [frame["s"].tolist()], 4, 2, 0.6)


def test_clusters_from_the_outskirts_stay_inside_strata():
    frame = people(200).assign(region=np.repeat(list("ns"), 100))
    labels = cluster(read(frame, strata=["region"]))
    assert not set(labels[:100]) & set(labels[100:])
    assert not broken(labels, [frame["s"].tolist()], 4, 2, 0.6)


def test_refusals_name_the_method_that_asks():
    frame = people(20)
    asked = Clustering(method="some-method", conditions=Conditions(4, 2, 0.6), weights=1.0)
    with pytest.raises(SchemaError, match="some-method: needs at least one sensitive column"):
        asked.check(read(frame, sensitive=[]))
    with pytest.raises(TableError, match=r"some-method: the table has 3 rows"):
        asked.check(read(frame[:3]))
