from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError, TableError, UsageError
from swapmeet.inspecting.neighborhoods import crowding

RNG = np.random.default_rng(6)
N = 200
PEOPLE = pd.DataFrame(
    {
        "age": RNG.random(N),
        "wage": RNG.random(N),
        "sex": RNG.choice(["f", "m"], N),
        "region": RNG.choice(["n", "s"], N, p=[0.3, 0.7]),
    }
)
SCHEMA = sm.Schema.infer(PEOPLE).assign(strata=["region"])


def test_cells_are_those_of_a_histogram_without_small_ones():
    method = sm.RWN(k=5, eps=0.3)
    found = crowding(PEOPLE, method, schema=SCHEMA)
    rows = sm.neighborhoods(PEOPLE, method, schema=SCHEMA)
    edges = [[-np.inf, *inner, np.inf] for inner in (found.size_edges, found.distance_edges)]
    whole = np.histogram2d(rows.sizes, rows.nearest, edges)[0]
    assert np.array(found.counts).tolist() == np.where(whole < 10, 0, whole).tolist()
    assert found.left_out == whole[whole < 10].sum() > 0
    assert (found.k, found.eps, found.rows) == (5, 0.3, N)
    edges = [-np.inf, *found.farthest_edges, np.inf]
    whole = np.histogram(rows.farthest, edges)[0]
    assert list(found.farthest_counts) == np.where(whole < 10, 0, whole).tolist()


def test_without_a_radius_all_neighbourhoods_have_k_rows():
    found = crowding(PEOPLE, sm.RWN(k=7), schema=SCHEMA)
    assert found.size_edges == ()
    assert len(found.counts) == 1


def test_larger_radius_larger_neighbourhoods():
    few, many = (crowding(PEOPLE, sm.RWN(k=3, eps=eps), schema=SCHEMA) for eps in (0.05, 0.6))
    assert max(few.size_edges, default=0) < max(many.size_edges)
    assert few.distance_edges == many.distance_edges


@pytest.mark.parametrize("search", ["sample", "pairs", "partition", "cells"])
def test_every_search_has_its_sizes(search):
    options = {"sample": {"sample": 50}, "pairs": {"sample": 50}}.get(search, {"parts": 3})
    found = crowding(PEOPLE[["age", "wage"]], sm.RWN(k=3, eps=0.1, search=search, **options))
    assert sum(map(sum, found.counts)) + found.left_out == N


def test_the_lonely_do_not_show():
    lonely = pd.concat([PEOPLE, PEOPLE.iloc[:1].assign(age=87654.0)], ignore_index=True)
    found = crowding(lonely, sm.RWN(k=5, eps=0.3))
    assert all(n == 0 or n >= found.least for row in found.counts for n in row)
    assert "87654" not in json.dumps(found.to_dict())


def test_the_same_table_gives_the_same_picture():
    method = sm.RWN(k=3, eps=0.2, search="sample", sample=40)
    assert crowding(PEOPLE, method) == crowding(PEOPLE, method)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: crowding(PEOPLE, sm.RankSwap()), UsageError, "crowding: .* got RankSwap"),
        (lambda: crowding(PEOPLE, sm.RWN), UsageError, "got RWN"),
        (lambda: crowding(PEOPLE, sm.RWN(k=300)), TableError, "needs at least 301 rows"),
        (lambda: crowding(PEOPLE, sm.RWN(weights={"agee": 1.0})), SchemaError, "'agee'"),
        (lambda: crowding(PEOPLE, sm.RWN(), schema="x"), UsageError, "must be a Schema"),
    ],
)
def test_what_has_no_neighbourhoods_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
