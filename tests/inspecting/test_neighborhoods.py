from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.errors import SchemaError, TableError, UsageError

RNG = np.random.default_rng(6)
N = 200
PEOPLE = pd.DataFrame(
    {
        "age": RNG.random(N),
        "wage": RNG.random(N),
        "sex": RNG.choice(["f", "m"], N),
        "region": RNG.choice(["n", "s"], N, p=[0.3, 0.7]),
        "town": RNG.random(N),
    }
)
SCHEMA = sm.Schema.infer(PEOPLE).assign(strata=["region"], keep=["town"])


def all_distances(frame, *, near=0.0, zscore=False):
    """Nominal columns of weight 1 as one-hot: a mismatch is 2, squared; `near` weighs the town."""
    spread = np.std if zscore else np.ptp
    squares = np.zeros((len(frame), len(frame)))
    for name, weight in (("age", 1.0), ("wage", 1.0), ("town", near)):
        values = frame[name].to_numpy()
        unit = spread(values, **({"ddof": 1} if zscore else {}))
        squares += ((values[:, None] - values) / unit * weight) ** 2
    sex, stratum = frame["sex"].to_numpy(), frame["region"].to_numpy()
    share = (sex == "f").var(ddof=1) if zscore else 1.0
    squares += 2.0 / share * (sex[:, None] != sex)
    squares[stratum[:, None] != stratum] = np.inf
    np.fill_diagonal(squares, np.inf)
    return np.sqrt(squares)


def describe(away, k=0, eps=0.0):
    """Sizes, nearest and farthest members of all neighbourhoods, from all distances."""
    inside = (away <= eps) & (eps > 0.0)
    ball = inside.sum(axis=1) >= max(k, 1)
    kth = np.sort(away, axis=1)[:, max(k - 1, 0)]
    farthest = np.where(inside, away, 0.0).max(axis=1)
    sizes = np.where(ball, inside.sum(axis=1), k)
    return sizes, away.min(axis=1), np.where(ball, farthest, kth if k else np.nan)


def compare(found, expected):
    sizes, nearest, farthest = expected
    assert found.sizes.tolist() == sizes.tolist()
    np.testing.assert_allclose(found.nearest, nearest)
    np.testing.assert_allclose(found.farthest, farthest)


@pytest.mark.parametrize("eps", [0.0, 0.1, 0.4, 2.0])
@pytest.mark.parametrize("k", [1, 5])
def test_neighbourhoods_of_rwn_are_those_of_all_pairs_within_strata(k, eps):
    found = sm.neighborhoods(PEOPLE, sm.RWN(k=k, eps=eps), schema=SCHEMA)
    compare(found, describe(all_distances(PEOPLE), k, eps))


@pytest.mark.parametrize("eps", [0.05, 0.3, 3.5])
def test_neighbourhoods_of_nbrs_are_balls_and_the_lonely_have_none(eps):
    found = sm.neighborhoods(PEOPLE, sm.NBRS(eps=eps), schema=SCHEMA)
    compare(found, describe(all_distances(PEOPLE, zscore=True), eps=eps))
    assert (np.isnan(found.farthest) == (found.sizes == 0)).all()


def test_columns_that_count_without_being_masked_count_here_too():
    method = sm.RWN(k=4, near=["town"])
    found = sm.neighborhoods(PEOPLE, method, schema=SCHEMA)
    compare(found, describe(all_distances(PEOPLE, near=1.0), k=4))


def test_only_the_ball_counts_where_the_method_says_so():
    found = sm.neighborhoods(PEOPLE, sm.RWN(eps=0.05, only_eps=True), schema=SCHEMA)
    compare(found, describe(all_distances(PEOPLE), eps=0.05))


def test_ties_count_by_their_rule_by_hand():
    """From 0, the rows 1 and -1 are tied; from the others, 0 is alone at distance 1."""
    frame = pd.DataFrame({"x": [0.0, 2.0, -2.0]})
    some, every = (sm.neighborhoods(frame, sm.RWN(k=1, ties=t)) for t in ("random", "all"))
    assert some.sizes.tolist() == [1, 1, 1]
    assert every.sizes.tolist() == [2, 1, 1]
    assert every.nearest.tolist() == every.farthest.tolist() == [0.5, 0.5, 0.5]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from("ab")), min_size=4, max_size=150),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.25, 0.5, 1.5]),
)
def test_twins_and_ties_are_counted_right(cells, k, eps):
    frame = pd.DataFrame(cells, columns=["x", "t"]).assign(x=lambda f: f["x"].astype(float))
    schema = sm.Schema((sm.Column("x", "numeric"), sm.Column("t", "nominal")))
    found = sm.neighborhoods(frame, sm.RWN(k=k, eps=eps), schema=schema)
    x, t = frame["x"].to_numpy() / (np.ptp(frame["x"]) or 1.0), frame["t"].to_numpy()
    away = np.sqrt((x[:, None] - x) ** 2 + 2.0 * (t[:, None] != t))
    np.fill_diagonal(away, np.inf)
    compare(found, describe(away, k, eps * (1 + 1e-13)))


@pytest.mark.slow
def test_sizes_are_those_that_values_are_drawn_from():
    """The draws of 300 releases of one column come from as many donors as the size says."""
    method = sm.RWN(k=2, eps=0.15)
    frame = PEOPLE[["age", "wage"]][:60]
    found = sm.neighborhoods(frame, method)
    donors = [sm.mask(frame, method, seed=s).audit.donors for s in range(300)]
    drawn = [len(set(np.concatenate(donors, axis=1)[row])) for row in range(60)]
    assert drawn == found.sizes.tolist()


@pytest.mark.parametrize("search", ["sample", "pairs", "partition"])
def test_random_candidates_have_sizes_and_no_farthest_member(search):
    options = {"parts": 3} if search == "partition" else {"sample": 50}
    found = sm.neighborhoods(PEOPLE, sm.RWN(k=3, eps=0.1, search=search, **options))
    assert (found.sizes >= 3).all()
    assert found.farthest is None


def test_a_row_alone_in_its_stratum_is_near_nobody():
    frame = PEOPLE.assign(region=["x", *["y"] * (N - 1)])
    found = sm.neighborhoods(frame, sm.NBRS(eps=1.0), schema=SCHEMA)
    assert (found.sizes[0], np.isnan(found.nearest[0]), np.isnan(found.nearest).sum()) == (0, 1, 1)
    assert sm.crowding(frame, sm.NBRS(eps=1.0), schema=SCHEMA).left_out >= 1


def test_no_distance_shows_in_the_repr():
    assert repr(sm.neighborhoods(PEOPLE, sm.RWN())) == "<Neighborhoods of 200 rows>"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: sm.neighborhoods(PEOPLE, sm.RankSwap()), UsageError, "got RankSwap"),
        (lambda: sm.neighborhoods(PEOPLE, sm.NBRS), UsageError, "NBRS"),
        (lambda: sm.neighborhoods(PEOPLE, sm.RWN(k=300)), TableError, "at least 301 rows"),
        (lambda: sm.neighborhoods(PEOPLE, sm.RWN(near=["x"])), SchemaError, "no column 'x'"),
    ],
)
def test_what_has_no_neighbourhoods_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
