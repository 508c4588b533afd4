from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from equi_depth_literal import literal
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import swapmeet as sm
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.errors import ParameterError, SchemaError
from swapmeet.methods import meds as module
from swapmeet.methods.meds import MEDS, equi_depth
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Column

EXAMPLES = [
    sm.MEDS(k=4),
    sm.MEDS(columns=["income", "age", "grade"], k=6, rest="swap"),
    sm.MEDS(columns=["income", "age"], k=6, exchange="matched"),
]
"""For the contract of all methods."""


def microdata(frame, **roles):
    schema = sm.Schema(tuple(Column(name, "numeric") for name in frame)).assign(**roles)
    return Microdata.of(Table(frame), schema)


def groups(frame, method, threads=1, **roles):
    data = microdata(frame, **roles)
    method.check(data)
    return method.find_groups(data.select(method.swapping_set(data)), Workers(threads))


def outcome(frame, method, seed=1, threads=1, **roles):
    data = microdata(frame, **roles)
    method.check(data)
    return method.outcome(data, Seed.chosen_by_user(seed).within("test"), Workers(threads))


def standardised(frame):
    values = frame.to_numpy(float)
    return ((values - values.mean(axis=0)) / values.std(axis=0, ddof=1)).T.copy()


def frame_of(n, p=3, seed=1):
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(n, p)), columns=list("xyzuvw")[:p])


# by hand


SEVEN = pd.DataFrame({"age": [20, 60, 21, 59, 40, 41, 22], "pay": [10, 90, 11, 88, 50, 52, 12]})
"""Rows 0 and 1 are farthest apart; 2 is nearest to the one, 3 to the other."""


def test_partners_are_the_two_rows_of_each_group():
    """The rest, rows 4, 5 and 6, is one group: two of them trade."""
    found = outcome(SEVEN, MEDS(k=2))
    donors = found.donors.matrix
    assert groups(SEVEN, MEDS(k=2)).tolist() == [0, 1, 0, 1, 2, 2, 2]
    assert donors[:4].tolist() == [[2, 2], [3, 3], [0, 0], [1, 1]]
    odd = [row for row in (4, 5, 6) if donors[row, 0] == row]
    assert len(odd) == 1
    assert found.stuck["age"].tolist() == found.stuck["pay"].tolist() == odd
    assert found.facts[0].startswith(
        "partition degree 3, minimal depth 2: an intruder who knows the "
    )
    assert found.facts[1].startswith("0 of 7 rows are alone in a group and 1 is left over")


def test_a_row_that_is_left_over_alone_is_told():
    found = outcome(frame_of(9), MEDS(k=2))
    assert found.facts[1].startswith("1 of 9 rows is alone in a group and 0 are left over")
    assert len(found.stuck["x"]) == 1


def test_distances_are_those_of_standardised_columns():
    """In its own unit `pay` would outweigh `age` by far."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.normal(40, 10, 200), "pay": rng.lognormal(10, 1, 200)})
    assert np.array_equal(groups(frame, MEDS(k=4)), literal(standardised(frame), 4))
    assert not np.array_equal(groups(frame, MEDS(k=4)), literal(frame.to_numpy().T.copy(), 4))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["census", "tarragona"])
def test_groups_of_real_tables_are_those_of_the_definition(shared, name):
    """Amounts of money with many zeros: ties, duplicates and outliers."""
    frame = pd.read_csv(shared / "data" / f"{name}.csv").astype(float)
    for k in (2, 5, 40):
        assert np.array_equal(groups(frame, MEDS(k=k)), literal(standardised(frame), k))


def test_constant_columns_do_not_count():
    frame = frame_of(60, 2)
    with_constant = frame.assign(c=7.0)
    assert np.array_equal(groups(frame, MEDS()), groups(with_constant, MEDS()))
    assert np.bincount(groups(with_constant[["c"]], MEDS())).tolist() == [5] * 12


# what holds of every release


def test_relations_inside_the_swapping_set_stay_exactly_as_they_were(masked):
    frame = sm.datasets.load("diabetes").drop(columns="sex")
    released = masked(frame, MEDS(k=8), seed=1).data
    assert not released.equals(frame)
    order = list(frame.columns)
    assert released.sort_values(order, ignore_index=True).equals(
        frame.sort_values(order, ignore_index=True)
    )


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-3, 3)),
            st.one_of(st.none(), st.floats(0, 1, width=16)),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=40,
    ),
    st.integers(2, 6),
)
def test_groups_keep_to_stratum_and_to_what_is_missing(rows, k):
    frame = pd.DataFrame(rows, columns=["x", "y", "s"]).astype(float)
    labels = groups(frame, MEDS(k=k), strata=["s"])
    donors = outcome(frame, MEDS(k=k), strata=["s"]).donors.matrix
    assert np.array_equal(donors[:, 0], donors[:, 1])
    assert np.array_equal(labels[donors[:, 0]], labels)
    none = frame[["x", "y"]].isna().all(axis=1).to_numpy()
    assert np.array_equal(labels < 0, none)
    parts = frame.assign(label=labels, a=frame["x"].isna(), b=frame["y"].isna())[~none]
    assert (parts.groupby("label")[["s", "a", "b"]].nunique() == 1).all(axis=None)
    assert set(labels[~none]) == set(range(parts["label"].nunique()))
    for _, part in parts.groupby(["s", "a", "b"]):
        sizes = np.bincount(part["label"] - part["label"].min())
        whole = len(part) // (2 * k) * 2
        rest = len(part) - whole * k
        assert sizes.tolist() == [k] * whole + [rest] * (rest > 0)


def test_groups_of_a_stratum_are_those_of_its_rows_on_the_common_scale():
    frame = frame_of(90).assign(s=np.arange(90) % 3)
    labels = groups(frame, MEDS(k=4), strata=["s"])
    points = standardised(frame[["x", "y", "z"]])
    for stratum in range(3):
        rows = np.flatnonzero(frame["s"] == stratum)
        own = labels[rows] - labels[rows].min()
        assert np.array_equal(own, literal(points[:, rows].copy(), 4))


def test_threads_do_not_matter():
    frame = frame_of(400).assign(s=np.arange(400) % 7)
    one, two = (
        outcome(frame, MEDS(k=3, rest="swap"), threads=threads, strata=["s"]).donors.matrix
        for threads in (1, 2)
    )
    assert np.array_equal(one, two)


def test_progress_is_reported():
    heard = []
    workers = Workers(1, lambda label, done, total: heard.append((label, done, total)))
    data = microdata(frame_of(12_000, 2))
    MEDS(k=50).find_groups(data, workers)
    assert heard[-1] == ("groups", 12_000, 12_000)
    assert len(heard) > 2


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows(n):
    donors = outcome(frame_of(n), MEDS()).donors.matrix
    assert (donors[:, 0] != np.arange(n)).sum() == n // 2 * 2


def test_all_rows_missing_everything_stay():
    frame = pd.DataFrame({"x": [np.nan] * 6, "y": [np.nan] * 6})
    found = outcome(frame, MEDS(k=2, rest="swap"))
    assert np.array_equal(found.donors.matrix, np.arange(6)[:, None].repeat(2, axis=1))
    assert found.stuck == {}
    assert found.facts == ()


# the rest


def test_the_rest_is_kept_and_said_to_be():
    found = outcome(frame_of(50), MEDS(columns=["x", "y"]))
    assert np.array_equal(found.donors.matrix[:, 2], np.arange(50))
    assert found.notes[0].startswith("not in the swapping set, and left as they are: z.")


def test_the_rest_is_swapped_among_neighbouring_ranks():
    frame = frame_of(103)
    found = outcome(frame, MEDS(columns=["x"], k=4, rest="swap"))
    donors = found.donors.matrix
    for column, name in ((1, "y"), (2, "z")):
        ranks = frame[name].rank().to_numpy() - 1
        block = np.minimum(ranks // 4, 103 // 4 - 1)
        assert np.array_equal(block[donors[:, column]], block)
        assert len(found.stuck[name]) == 1
    assert (donors[:, 1] != donors[:, 2]).mean() > 0.9


# kinds, names, domains


def test_nominal_columns_are_refused_only_where_they_would_be_swapped(masked):
    frame = pd.DataFrame({"x": np.arange(20.0), "town": list("ab") * 10})
    for method in (MEDS(columns=["town"]), MEDS(rest="swap")):
        with pytest.raises(SchemaError, match="meds cannot mask 'town', a nominal column"):
            sm.mask(frame, method, seed=1)
    release = masked(frame, MEDS(k=4), seed=1)
    assert release.data["town"].equals(frame["town"])
    assert not release.data["x"].equals(frame["x"])


def test_infinite_values_are_refused():
    frame = pd.DataFrame({"x": [1.0, np.inf, 3.0, 2.0], "y": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(SchemaError, match="column 'x' holds 1 infinite value "):
        outcome(frame, MEDS())
    assert outcome(frame, MEDS(columns=["y"])).donors.matrix.shape == (4, 2)


def test_unknown_columns_and_k_of_one_are_refused():
    with pytest.raises(SchemaError, match="`columns`: 'xx' is not a masked column; did you mean"):
        outcome(frame_of(20), MEDS(columns=["xx"]))
    with pytest.raises(ParameterError, match="`k` must be a whole number, 2 or more"):
        MEDS(k=1)


# the matched exchange


@pytest.mark.parametrize("exchange", ["random", "matched"])
def test_matched_blocks_keep_their_relations_to_the_rest(masked, exchange):
    people, schema = sm.datasets.load("diabetes"), sm.datasets.schema("diabetes")
    method = sm.MEDS(columns=["bmi", "bp"], k=50, exchange=exchange)
    release = masked(people, method, schema=schema, seed=1)
    donors = release.audit.donors[:, [people.columns.get_loc(name) for name in ("bmi", "bp")]]
    assert (donors[:, 0] == donors[:, 1]).all()
    assert (donors[:, 0] != np.arange(len(people))).mean() > 0.8
    apart = (release.data.corr() - people.corr()).loc[["bmi", "bp"]].abs().to_numpy().max()
    assert apart < 0.01 if exchange == "matched" else apart > 0.05


def test_matched_blocks_that_stayed_are_counted_and_not_called_stuck():
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 3)), columns=list("xyz"))
    found = outcome(frame, MEDS(columns=["x"], k=6, exchange="matched"))
    stayed = int((found.donors.matrix[:, 0] == np.arange(60)).sum())
    assert any(f"{stayed} of 60 rows have their own block again" in str(f) for f in found.facts)
    assert not found.stuck


def test_matched_blocks_and_a_swapped_rest_contradict_each_other():
    with pytest.raises(ParameterError, match="Choose one of the two"):
        MEDS(exchange="matched", rest="swap")


def points(*rows):
    return np.array(rows, float).T.copy()


# by hand


def test_extremes_take_their_neighbours_then_those_left_do():
    """0 and 20 are farthest apart and take 1 and 12; then 2 and 11 do, and take 3 and 10."""
    column = np.array([[0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 20.0]])
    assert equi_depth(column, 2).tolist() == [0, 0, 2, 2, 3, 3, 1, 1]


def test_the_lower_row_chooses_first_where_both_want_the_same():
    """Both heads, 10 apart, want the two rows in the middle."""
    left, right = (0.0, 0.0), (10.0, 0.0)
    middle = [(5.0, 0.0), (5.0, 0.1), (5.0, 4.9), (5.0, -4.9)]
    assert equi_depth(points(left, right, *middle), 3).tolist() == [0, 1, 0, 0, 1, 1]
    assert equi_depth(points(*middle, right, left), 3).tolist() == [0, 0, 1, 1, 0, 1]


def test_of_equally_distant_pairs_the_lowest_rows_are_taken():
    """The corners of a square: both diagonals are as long."""
    assert equi_depth(points((0, 0), (1, 1), (0, 1), (1, 0)), 2).tolist() == [0, 1, 0, 1]
    assert equi_depth(points((0, 0), (0, 1), (1, 0), (1, 1)), 2).tolist() == [0, 0, 1, 1]


def test_rows_that_are_all_alike_are_grouped_in_their_order():
    assert equi_depth(np.zeros((3, 9)), 2).tolist() == [0, 1, 0, 1, 2, 3, 2, 3, 4]
    assert equi_depth(np.zeros((0, 7)), 3).tolist() == [0, 1, 0, 0, 1, 1, 2]


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_fewer_than_twice_k_rows_are_one_group(n):
    assert equi_depth(np.arange(float(n))[None], 3).tolist() == [0] * n


@pytest.mark.parametrize(("n", "k"), [(20, 5), (21, 5), (29, 5), (30, 5), (100, 2), (101, 7)])
def test_groups_have_k_rows_and_the_last_the_rest(n, k):
    labels = equi_depth(np.random.default_rng(n).normal(size=(2, n)), k)
    groups = n // (2 * k) * 2
    assert np.bincount(labels).tolist() == [k] * groups + [n - groups * k] * (n > groups * k)


# against the definition


@pytest.fixture(params=["as it is", "tiny leaves"])
def leaves(request, monkeypatch):
    """Small trees, grown anew all the time, show what only large tables would."""
    if request.param == "tiny leaves":
        monkeypatch.setattr(module, "FEW", (2, 1.0))
        monkeypatch.setattr(module, "MANY", (3, 8.0))
        monkeypatch.setattr(module, "SMALL", 12)


def _agrees(table, k):
    before = table.copy()
    assert np.array_equal(equi_depth(table, k), literal(table, k))
    assert np.array_equal(before, table)


GRID = st.integers(0, 3).map(float)
VALUES = st.floats(-10, 10, width=16)


@given(data=st.data())
@pytest.mark.parametrize("values", [GRID, VALUES], ids=["grid", "values"])
def test_groups_are_those_of_the_definition(values, data):
    p, n = data.draw(st.integers(0, 5)), data.draw(st.integers(1, 60))
    k = data.draw(st.one_of(st.integers(2, 6), st.integers(max(n // 2 - 1, 2), n // 2 + 2)))
    _agrees(data.draw(arrays(np.float64, (p, n), elements=values)), k)


SHAPES = {
    "normal": lambda x: x,
    "rounded": lambda x: np.round(x, 1),
    "few values": lambda x: np.round(x),
    "two values": lambda x: (x > 0).astype(float),
    "skewed": lambda x: np.exp(2 * x),
    "very skewed": lambda x: np.exp(5 * x),
    "sphere": lambda x: x / np.sqrt((x * x).sum(axis=0)),
    "line": lambda x: np.outer(np.arange(1, len(x) + 1), x[0]),
    "clusters": lambda x: x + 20 * np.round(x),
    "squares that underflow": lambda x: x * 1e-160,
    "squares that nearly overflow": lambda x: x * 1e150,
    "one outlier": lambda x: np.concatenate([x, np.full((len(x), 1), 1e6)], axis=1),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("p", "k"), [(1, 2), (2, 5), (3, 3), (4, 9), (8, 2), (8, 30)])
def test_groups_are_those_of_the_definition_on_all_shapes_of_data(leaves, shape, p, k):
    rng = np.random.default_rng(p * 100 + k)
    for n in (17, 150, 400):
        _agrees(SHAPES[shape](rng.normal(size=(p, n))), k)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["normal", "skewed", "rounded"])
@pytest.mark.parametrize("p", [2, 8])
def test_groups_are_those_of_the_definition_on_2000_rows(shape, p):
    _agrees(SHAPES[shape](np.random.default_rng(p).normal(size=(p, 2_000))), 5)


# what must not cost more than it should


@pytest.mark.parametrize("p", [2, 8])
def test_many_rows_that_are_alike_are_no_burden(p):
    """With 50,000 rows at 25 or 256 points, anything quadratic would take minutes."""
    rng = np.random.default_rng(1)
    table = rng.integers(0, 5 if p == 2 else 2, (p, 50_000)).astype(float)
    labels = equi_depth(table, 10)
    assert (np.bincount(labels) == 10).all()
    spread = [np.ptp(table[:, labels == group], axis=1).max() for group in range(0, 5_000, 500)]
    assert np.mean(np.array(spread) == 0) > 0.8


def test_progress_is_reported_by_the_rows_left():
    heard = []
    equi_depth(np.random.default_rng(1).normal(size=(2, 30_000)), 50, heard.append)
    assert heard == sorted(heard, reverse=True)
    assert len(heard) >= 5
    assert heard[-1] == 0
