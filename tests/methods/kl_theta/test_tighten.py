from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.methods.kl_theta.conditions import (
    EncodedKeys,
    StrictConditions,
    WholeColumn,
    encode_sensitive,
)
from swapmeet.methods.kl_theta.tighten import tighten_clusters
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind


def tighten(labels, places, columns, **conditions):
    """New labels of rows on a line; columns of numbers have an order, those of codes none."""
    n = len(labels)
    keys = EncodedKeys(
        np.array(places, float)[:, np.newaxis], np.empty((n, 0), np.int64), np.ones(1), np.empty(0)
    )
    variables = [
        Variable(f"s{j}", Kind.NUMERIC if np.asarray(c).dtype == float else Kind.NOMINAL,
                 np.asarray(c))
        for j, c in enumerate(columns)
    ]  # fmt: skip
    values = encode_sensitive(variables)
    wholes = [
        WholeColumn.of(v, codes, int(first))
        for v, codes, first in zip(variables, values.codes.T, values.ranges, strict=False)
    ]
    told = []
    strict = StrictConditions(**{"l": 1, **conditions})
    found = tighten_clusters(np.array(labels), keys, values, strict, wholes, told.append)
    assert told[-1] == (found >= 0).sum()
    return found


def sets(labels):
    labels = np.asarray(labels)
    return {
        frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels[labels >= 0])
    }


def far(values, whole):
    """The distance of a group from the whole, by definition; `values` may be missing."""
    values, whole = np.asarray(values), np.asarray(whole)
    if values.dtype != float:
        levels = np.unique(whole)
        p, q = ((v[:, np.newaxis] == levels).mean(axis=0) for v in (values, whole))
        return np.abs(p - q).sum() / 2
    present = [1 - np.isnan(v).mean() for v in (values, whole)]
    there = [v[~np.isnan(v)] for v in (values, whole)]
    levels, away = np.unique(there[1]), 0.0
    if len(there[0]) and len(levels) > 1:
        p, q = ((v[:, np.newaxis] <= levels).mean(axis=0) for v in there)
        away = np.abs(p - q).sum() / (len(levels) - 1)
    return min(present) * away + abs(present[0] - present[1])


def diversity(values, kind, c):
    counts = -np.sort(-np.unique(values, return_counts=True)[1])
    shares = counts / counts.sum()
    if kind == "entropy":
        return np.exp(-(shares * np.log(shares)).sum())
    return sum(c * counts[i:].sum() > counts[0] for i in range(len(counts)))


# by hand


def test_a_cluster_that_is_far_from_the_whole_merges_with_the_nearest_that_makes_up_for_it():
    """Clusters on a line: 00, 00, 11, 01, in a table of five 0 and three 1. The first merges with
    11 beyond its neighbour 00, which does not help; their union, whose mean is nearest to the
    second, takes that, too. The last is 1/8 away."""
    labels, codes = [0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 1, 0, 1]
    found = tighten(labels, labels, [codes], t=0.2)
    assert sets(found) == {frozenset({0, 1, 2, 3, 4, 5}), frozenset({6, 7})}


def test_clusters_that_satisfy_stay_as_they_are():
    labels, codes = [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 1, 0]
    assert tighten(labels, labels, [codes], t=0.01, diversity="entropy", l=2).tolist() == labels


def test_entropy_counts_how_hard_it_is_to_guess():
    """Three of four have one value: 1.75 values; the nearest cluster brings the other one."""
    labels, codes = [0] * 4 + [1] * 4 + [2] * 4, [0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0]
    found = tighten(labels, [0] * 4 + [9] * 4 + [1] * 4, [codes], diversity="entropy", l=2)
    assert sets(found) == {frozenset({0, 1, 2, 3, 8, 9, 10, 11}), frozenset({4, 5, 6, 7})}


def test_rows_of_a_cluster_that_nothing_helps_are_left():
    """The only cluster has the value of half of the table, which is otherwise in none."""
    assert tighten([0, 0, -1, -1], [0, 0, 1, 1], [[0, 0, 1, 1]], t=0.1).tolist() == [-1] * 4


# properties


@given(
    n=st.integers(4, 60), clusters=st.integers(1, 12), levels=st.integers(2, 8),
    kind=st.sampled_from(["distinct", "entropy", "recursive"]),
    t=st.sampled_from([None, 0.05, 0.2, 0.5]), holes=st.booleans(), seed=st.integers(0, 2**32),
)  # fmt: skip
def test_conditions_hold_and_clusters_are_unions(n, clusters, levels, kind, t, holes, seed):
    rng = np.random.default_rng(seed)
    labels = np.unique(rng.integers(0, clusters, n), return_inverse=True)[1]
    codes, numbers = rng.integers(0, levels, n), rng.integers(0, levels, n).astype(float)
    if holes:
        codes[rng.random(n) < 0.2] = -1
        numbers[rng.random(n) < 0.2] = np.nan
    columns = [codes, numbers]
    whole = [diversity(column, kind, 1.5) for column in columns]
    least = 1 if kind == "distinct" else max(int(min(whole)), 1)
    found = tighten(labels, rng.normal(size=n), columns, diversity=kind, l=least, c=1.5, t=t)
    if kind != "recursive" or min(whole) >= 1:
        assert (found >= 0).all()
    for label in set(found[found >= 0]):
        rows = found == label
        for column in columns:
            assert t is None or far(column[rows], column) <= t + 1e-8
            assert kind == "distinct" or diversity(column[rows], kind, 1.5) >= least - 1e-8
    for label in set(labels):
        assert len(set(found[labels == label])) == 1


def test_more_clusters_than_a_cluster_looks_at():
    rng = np.random.default_rng(3)
    codes, labels = rng.integers(0, 6, 12_000), np.arange(12_000) // 6
    found = tighten(labels, rng.normal(size=12_000), [codes], t=0.2)
    assert (found >= 0).all()
    assert max(far(codes[found == label], codes) for label in set(found)) <= 0.2 + 1e-9
    assert len(set(found)) > 300
