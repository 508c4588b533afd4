from __future__ import annotations

import hashlib
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sdcmicro_golden import SETS, numbers, release, table

import swapmeet as sm
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.errors import ParameterError, SchemaError, TableError
from swapmeet.methods.microaggregation import Microaggregation
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

EXAMPLES = [
    sm.Microaggregation(),
    sm.Microaggregation(k=5, by="pca"),
    sm.Microaggregation(k=5, by="pppca"),
    sm.Microaggregation(k=4, by="columns"),
    sm.Microaggregation(k=6, permute=True),
    sm.Microaggregation(k=10, by="columns", permute=True),
    sm.Microaggregation(k=4, weights=1.0),
    sm.Microaggregation(k=6, permute=True, exchange="matched"),
]
"""For the contract of all methods."""

NAN = np.nan
WAYS = ("mdav", "pca", "pppca", "columns")


def microdata(columns, *, strata=None, ordinal=(), nominal=()):
    variables = tuple(
        coded(name, values)
        if name in nominal
        else Variable(
            name, Kind.ORDINAL if name in ordinal else Kind.NUMERIC, np.asarray(values, float)
        )
        for name, values in columns.items()
    )
    n = len(variables[0].values)
    codes = np.zeros(n) if strata is None else np.asarray(strata)
    return Microdata(variables, codes.astype(np.int32))


def coded(name, codes):
    """A nominal column of these codes; -1 is missing."""
    return Variable(name, Kind.NOMINAL, np.asarray(codes, np.int32), int(max(codes)) + 1)


def matched(**settings):
    return Microaggregation(permute=True, exchange="matched", **settings)


def outcome(data, method, *, seed=1, threads=1):
    method.check(data)
    return method.outcome(data, Seed.chosen_by_user(seed).within("test"), Workers(threads))


def values(data, found):
    """What is released, column by column."""
    donors = found.donors.matrix
    return {
        v.name: np.where(d == -2, found.made.get(v.name, NAN), v.values[np.maximum(d, 0)])
        for v, d in zip(data.variables, donors.T, strict=True)
    }


def normal(n, p, seed=4):
    return dict(
        zip("abcdefgh"[:p], np.random.default_rng(seed).standard_normal((p, n)), strict=True)
    )


# by hand


def test_every_value_becomes_the_mean_of_its_group():
    """Groups of mdav: 11, 12, 50 and the rest."""
    data = microdata({"x": [0, 1, 2, 10, 11, 12, 50]})
    found = outcome(data, Microaggregation(k=3))
    assert values(data, found)["x"].tolist() == [3.25] * 4 + [73 / 3] * 3
    assert (found.donors.matrix == -2).all()
    assert not found.stuck
    assert not found.notes


def test_pca_cuts_the_order_along_the_component():
    data = microdata({"x": [1, 9, 2, 8, 3, 7], "y": [10, 90, 20, 80, 30, 70]})
    released = values(data, outcome(data, Microaggregation(k=3, by="pca")))
    assert released["x"].tolist() == [2, 8, 2, 8, 2, 8]
    assert released["y"].tolist() == [20, 80, 20, 80, 20, 80]


def test_columns_are_grouped_each_by_itself():
    data = microdata({"x": [1, 2, 3, 4, 5], "y": [5, 1, 4, 2, 3]})
    released = values(data, outcome(data, Microaggregation(k=2, by="columns")))
    assert released["x"].tolist() == [1.5, 1.5, 4, 4, 4]
    assert released["y"].tolist() == [4, 1.5, 4, 1.5, 4]


def test_an_ordinal_column_gets_the_lower_median_from_a_row_that_has_it():
    """The group is 0, 1, 3, 3: its lower median is 1, that of row 1."""
    data = microdata({"grade": [0, 1, 3, 3]}, ordinal=["grade"])
    found = outcome(data, Microaggregation(k=4))
    assert found.donors.matrix[:, 0].tolist() == [1, 1, 1, 1]
    assert not found.made


def test_rows_that_have_the_median_keep_their_own():
    data = microdata({"grade": [2, 2, 2, 5, 5]}, ordinal=["grade"])
    found = outcome(data, Microaggregation(k=3))
    assert found.donors.matrix[:, 0].tolist() == [0, 1, 2, 2, 2]


def test_missing_cells_stay_missing_and_take_no_part_in_the_mean():
    data = microdata({"x": [1, NAN, 3, 5], "y": [1, 1, 1, 1]})
    found = outcome(data, Microaggregation(k=4))
    assert np.array_equal(values(data, found)["x"], [3, NAN, 3, 3], equal_nan=True)
    assert found.donors.matrix[:, 0].tolist() == [-2, 1, -2, -2]


def test_a_missing_ordinal_value_is_neither_given_nor_received():
    data = microdata({"grade": [4, NAN, 2, 3]}, ordinal=["grade"])
    found = outcome(data, Microaggregation(k=4))
    assert found.donors.matrix[:, 0].tolist() == [3, 1, 3, 3]


# nominal columns


def test_a_nominal_column_gets_the_commonest_level_from_a_row_that_has_it():
    """Groups by the numbers: 0, 1, 2 and 10, 11, 12. Levels 4, 7, 7 and 4, 4, 9."""
    data = microdata({"x": [0, 1, 2, 10, 11, 12], "town": [4, 7, 7, 4, 4, 9]}, nominal=["town"])
    found = outcome(data, Microaggregation(k=3))
    released = values(data, found)
    assert released["x"].tolist() == [1] * 3 + [11] * 3
    assert released["town"].tolist() == [7] * 3 + [4] * 3
    assert found.donors.matrix[:, 1].tolist() == [1, 1, 2, 3, 4, 3]
    assert "town" not in found.made


def test_of_equally_common_levels_the_one_that_more_people_have_is_taken():
    data = microdata({"x": [0, 1, 8, 9, 10], "town": [2, 5, 5, 5, 5]}, nominal=["town"])
    assert values(data, outcome(data, Microaggregation(k=2)))["town"].tolist() == [5] * 5


def test_a_missing_nominal_value_is_a_level_like_others():
    """Most of the first group miss it, one of the second does."""
    data = microdata({"x": [0, 1, 2, 10, 11, 12], "town": [-1, 3, -1, 3, 3, -1]}, nominal=["town"])
    found = outcome(data, Microaggregation(k=3))
    assert values(data, found)["town"].tolist() == [-1] * 3 + [3] * 3
    assert not found.notes


@pytest.mark.parametrize(("weight", "together"), [(0.01, [0, 1]), (1.0, [0, 2])])
def test_weights_decide_whether_numbers_or_levels_keep_rows_together(weight, together):
    data = microdata({"x": [0, 0, 1, 1], "town": [0, 1, 0, 1]}, nominal=["town"])
    means = values(data, outcome(data, Microaggregation(k=2, weights=weight)))["x"]
    towns = values(data, outcome(data, Microaggregation(k=2, weights=weight)))["town"]
    rows = np.stack([means, towns], axis=1)
    assert np.flatnonzero((rows == rows[0]).all(axis=1)).tolist() == together


def test_the_weight_of_a_number_counts_where_weights_are_given_by_column():
    data = microdata({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]})
    heavy = {"x": {"x": 2.0}, "y": {"y": 2.0}}
    for name, weights in heavy.items():
        released = values(data, outcome(data, Microaggregation(k=2, weights=weights)))
        assert released[name].tolist() == data[name].values.tolist()


@given(st.floats(0.0, 10.0))
def test_one_weight_says_nothing_where_no_column_is_nominal(weight):
    data = microdata(normal(60, 3))
    plain, weighed = (
        outcome(data, method) for method in (Microaggregation(), Microaggregation(weights=weight))
    )
    assert all(np.array_equal(plain.made[name], weighed.made[name]) for name in data.names)


def test_permuted_levels_stay_in_their_group_and_none_is_lost():
    rng = np.random.default_rng(2)
    columns = {**normal(300, 2), "town": rng.integers(-1, 6, 300)}
    data = microdata(columns, nominal=["town"])
    groups = outcome(data, Microaggregation(k=6)).made["a"]
    found = outcome(data, Microaggregation(k=6, permute=True))
    assert found.donors.is_permutation().all()
    assert (groups[found.donors.matrix] == groups[:, np.newaxis]).all()
    assert found.donors.moved[:, 2].mean() > 0.7


@given(st.integers(4, 70), st.integers(2, 4), st.integers(1, 3), st.integers(0, 2), st.integers())
def test_rows_with_nominal_columns_are_k_anonymous_in_each_stratum(n, k, nominal, numeric, seed):
    rng = np.random.default_rng(abs(seed))
    columns = {f"c{j}": rng.integers(-1, 4, n) for j in range(nominal)}
    columns |= {f"x{j}": rng.integers(0, 5, n) / 3.0 for j in range(numeric)}
    strata = np.arange(n) % 2
    data = microdata(columns, strata=strata, nominal=[name for name in columns if name[0] == "c"])
    released = values(data, outcome(data, Microaggregation(k=k)))
    rows = np.stack([*released.values(), strata], axis=1)
    assert np.unique(rows, axis=0, return_counts=True)[1].min() >= min(k, n // 2)


@pytest.mark.parametrize("by", ["pca", "pppca", "columns"])
def test_nominal_columns_are_refused_where_groups_need_an_order(by):
    data = microdata({"x": [1, 2, 3], "a": [0, 1, 0], "b": [0, 1, 1]}, nominal=["a", "b"])
    with pytest.raises(SchemaError, match=f"by {by} cannot mask 'a', 'b'.* Choose by = mdav"):
        Microaggregation(k=2, by=by).check(data)


def test_weights_of_unknown_columns_are_refused():
    data = microdata({"x": [1, 2, 3]})
    with pytest.raises(SchemaError, match="`weights`: 'z' is not a masked column"):
        Microaggregation(k=2, weights={"z": 1.0}).check(data)


# permute


def test_permuted_values_stay_in_their_group_and_none_is_lost():
    data = microdata(normal(600, 3))
    means = outcome(data, Microaggregation(k=6))
    groups = means.made["a"]
    found = outcome(data, Microaggregation(k=6, permute=True))
    assert not found.made
    assert found.donors.is_permutation().all()
    assert (groups[found.donors.matrix] == groups[:, np.newaxis]).all()


def test_a_value_stays_with_its_row_in_one_of_k_cases():
    """1,500 cells with chance 1/6 each: 250 ± 14.4; five of these are exceeded once in 1.7 M."""
    found = outcome(microdata(normal(300, 5)), Microaggregation(k=6, permute=True))
    stay = (found.donors.matrix == np.arange(300)[:, np.newaxis]).sum()
    assert abs(stay - 250) < 5 * 14.4


def test_columns_are_permuted_independently():
    donors = outcome(microdata(normal(600, 2)), Microaggregation(k=6, permute=True)).donors.matrix
    assert (donors[:, 0] == donors[:, 1]).mean() < 0.3


# the matched exchange


@pytest.mark.parametrize("by", ["mdav", "pca", "pppca"])
def test_matched_values_stay_in_their_group_and_none_is_lost(by):
    data = microdata(normal(300, 4))
    groups = outcome(data, Microaggregation(k=6, by=by)).made["a"]
    found = outcome(data, matched(k=6, by=by))
    assert not found.made
    assert found.donors.is_permutation().all()
    assert (groups[found.donors.matrix] == groups[:, np.newaxis]).all()


def test_matched_values_keep_their_correlations():
    data = microdata(normal(400, 4))
    mixed = data.variables[0].values + 0.5 * data.variables[1].values
    data = microdata({**{v.name: v.values for v in data.variables}, "sum": mixed})

    def change(method):
        released = values(data, outcome(data, method))
        before = np.corrcoef([v.values for v in data.variables])
        return np.abs(np.corrcoef(list(released.values())) - before).max()

    assert change(matched(k=20)) < 0.001
    assert change(Microaggregation(k=20, permute=True)) > 0.02


def test_matched_columns_that_are_equal_stay_equal():
    """By hand: one group with x = y = 0, 0, 1, 1; the sum of products is 2 only if x = y.

    Of the six ways to lay two ones of y beside those of x, one keeps it: a random permutation
    keeps it in all of 20 seeds with probability 6^-20.
    """
    data = microdata({"x": [0, 0, 1, 1], "y": [0, 0, 1, 1]})

    def kept(method, seed):
        released = values(data, outcome(data, method, seed=seed))
        return np.array_equal(released["x"], released["y"])

    assert all(kept(matched(k=4), seed) for seed in range(20))
    assert not all(kept(Microaggregation(k=4, permute=True), seed) for seed in range(20))


def test_no_row_has_many_values_of_one_person():
    """Eight columns in groups of ten: by chance 0.8 ± 0.85; a lone stratum lifts nothing."""
    strata = np.append(np.zeros(300), 1)
    found = outcome(microdata(normal(301, 8), strata=strata), matched(k=10))
    most = max(np.unique(row, return_counts=True)[1].max() for row in found.donors.matrix[:300])
    assert most == 2
    assert (found.donors.matrix[300] == 300).all()
    assert found.stuck["a"].tolist() == [300]


def test_strata_below_k_trade_at_random_and_are_counted():
    strata = np.append(np.zeros(60), np.ones(4))
    found = outcome(microdata(normal(64, 5), strata=strata), matched(k=6))
    own = found.donors.matrix[60:]
    assert found.donors.is_permutation().all()
    assert (own >= 60).all()
    assert (own != np.arange(60, 64)[:, np.newaxis]).any()
    assert any("4 rows are in 1 stratum of fewer than `k` = 6" in note for note in found.notes)


def test_a_table_of_strata_below_k_is_released_without_relations_to_speak_of():
    found = outcome(microdata(normal(8, 2), strata=np.arange(8) // 4), matched(k=5))
    assert found.donors.is_permutation().all()
    assert not found.facts


def test_what_is_left_of_relations_is_said():
    facts = outcome(microdata(normal(100, 3)), matched(k=5)).facts
    assert any("relations between columns" in fact for fact in facts)
    assert any("values from one person" in fact for fact in facts)


def test_every_row_of_a_group_may_be_anybodys():
    """A row's own value stays with chance 1/6; 1,500 cells: 250 ± 14.4, five of these."""
    found = outcome(microdata(normal(300, 5)), matched(k=6))
    stay = (found.donors.matrix == np.arange(300)[:, np.newaxis]).sum()
    assert abs(stay - 250) < 5 * 14.4


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "Add `permute`, or leave `exchange` out"),
        ({"permute": True, "by": "columns"}, "Choose by = mdav, pca or pppca"),
        ({"exchange": "best"}, "`exchange` must be one of random, matched"),
    ],
)
def test_matched_is_refused_where_rows_do_not_trade_in_groups(settings, told):
    with pytest.raises(ParameterError, match=told):
        Microaggregation(**{"exchange": "matched", **settings})


def test_what_is_said_of_means_is_not_said_of_trades():
    for method in (Microaggregation(permute=True), matched()):
        told = (method.description.analysts, *method.description.cautions)
        assert not any("Means" in sentence for sentence in told)


def test_only_permutation_is_random():
    data = microdata(normal(50, 2))
    for method, wanted in ((Microaggregation(), 1), (Microaggregation(permute=True), 3)):
        seen = {outcome(data, method, seed=seed).donors.matrix.tobytes() for seed in (1, 2, 3)}
        assert len(seen) == wanted
        assert method.is_random == (wanted > 1)


def test_missing_values_trade_like_others_inside_a_group_of_rows():
    columns = normal(400, 2)
    columns["a"][::4] = NAN
    data = microdata(columns)
    released = values(data, outcome(data, Microaggregation(k=8, permute=True)))["a"]
    assert np.isnan(released).sum() == 100
    assert not np.array_equal(np.isnan(released), np.isnan(columns["a"]))


def test_missing_values_stay_where_columns_are_permuted_each_by_itself():
    columns = normal(400, 2)
    columns["a"][::4] = NAN
    data = microdata(columns)
    found = outcome(data, Microaggregation(k=8, by="columns", permute=True))
    assert np.array_equal(np.isnan(values(data, found)["a"]), np.isnan(columns["a"]))
    assert found.donors.moved[1::4, 0].any()


# strata


def test_no_group_crosses_strata():
    data = microdata({"x": [0, 1, 2, 3, 4, 5]}, strata=[0, 1, 0, 1, 0, 1])
    for by in WAYS:
        released = values(data, outcome(data, Microaggregation(k=3, by=by)))["x"]
        assert released.tolist() == [2, 3, 2, 3, 2, 3]


def test_each_stratum_is_masked_as_a_table_of_its_own():
    columns = normal(300, 4)
    strata = np.arange(300) % 3
    for by in WAYS:
        method = Microaggregation(k=4, by=by)
        whole = microdata(columns, strata=strata)
        released = values(whole, outcome(whole, method))
        for stratum in range(3):
            part = microdata({name: x[strata == stratum] for name, x in columns.items()})
            own = values(part, outcome(part, method))
            assert all(np.array_equal(released[n][strata == stratum], own[n]) for n in columns)


def test_a_small_stratum_is_one_smaller_group_and_a_note_says_so():
    data = microdata({"x": [1, 2, 30, 40, 50, 7]}, strata=[0, 0, 1, 1, 1, 2])
    found = outcome(data, Microaggregation(k=3))
    assert values(data, found)["x"].tolist() == [1.5, 1.5, 40, 40, 40, 7]
    assert found.notes[0].startswith("3 rows are in 2 strata of fewer than `k` = 3 rows")
    assert len(found.notes) == 1


def test_a_stratum_of_one_row_is_stuck():
    data = microdata({"x": [1, 2, 3, 4], "y": [4, 3, 2, NAN]}, strata=[0, 0, 0, 1])
    for permute in (False, True):
        found = outcome(data, Microaggregation(k=3, permute=permute))
        assert found.donors.matrix[3].tolist() == [3, 3]
        assert found.stuck["x"].tolist() == [3]
    assert "y" not in outcome(data, Microaggregation(k=3)).stuck


def test_a_value_that_is_alone_in_its_group_is_stuck_and_thin_groups_are_counted():
    data = microdata({"x": [1, 2, 3, NAN, NAN], "y": [1, NAN, NAN, NAN, NAN], "z": [1, 2, 3, 4, 5]})
    found = outcome(data, Microaggregation(k=4))
    assert found.stuck["y"].tolist() == [0]
    assert list(found.stuck) == ["y"]
    assert "fewer than `k` = 4 values of their column" in found.notes[0]
    assert found.notes[0].endswith("because others are missing: x 3, y 1.")


# whatever the table


@st.composite
def tables(draw):
    n, p = draw(st.integers(2, 50)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kinds = (
        lambda: rng.standard_normal(n),
        lambda: rng.integers(0, 3, n) * 1.0,
        lambda: np.full(n, 0.1),
        lambda: np.full(n, NAN),
    )
    chosen = draw(st.lists(st.sampled_from((0, 0, 0, 1, 1, 2, 3)), min_size=p, max_size=p))
    columns = {f"x{j}": kinds[kind]() for j, kind in enumerate(chosen)}
    if draw(st.booleans()):
        for column in columns.values():
            column[rng.random(n) < 0.2] = NAN
    strata = np.unique(rng.integers(0, draw(st.integers(1, 5)), n), return_inverse=True)[1]
    ordinal = [name for name, kind in zip(columns, chosen, strict=True) if kind == 1]
    return microdata(columns, strata=strata, ordinal=ordinal)


METHODS = st.builds(Microaggregation, k=st.just(2), by=st.sampled_from(WAYS), permute=st.booleans())


@given(tables(), METHODS, st.integers(2, 9))
def test_any_table_is_masked_as_promised(data, method, k):
    method = Microaggregation(k=min(k, data.n), by=method.by, permute=method.permute)
    found = outcome(data, method)
    found.require_complete("test", data)
    donors = found.donors.matrix
    moved = donors >= 0
    assert (data.strata[np.maximum(donors, 0)] == data.strata[:, np.newaxis])[moved].all()
    for variable, released in zip(data.variables, values(data, found).values(), strict=True):
        present = ~variable.missing
        made = donors[:, data.names.index(variable.name)] == -2
        assert not made.any() or (variable.kind is Kind.NUMERIC and not method.permute)
        if method.permute:
            assert np.array_equal(np.sort(released), np.sort(variable.values), equal_nan=True)
        else:
            assert np.array_equal(np.isnan(released), ~present)
        if variable.kind is Kind.NUMERIC and not method.permute:
            for stratum in np.unique(data.strata):
                own = present & (data.strata == stratum)
                assert np.isclose(released[own].sum(), variable.values[own].sum())
        else:
            assert np.isin(released[present & ~np.isnan(released)], variable.values).all()


@given(
    st.integers(10, 80), st.integers(2, 5), st.sampled_from(["mdav", "pca", "pppca"]), st.integers()
)
def test_a_release_of_complete_rows_is_k_anonymous(n, k, by, seed):
    rng = np.random.default_rng(abs(seed))
    data = microdata({"x": rng.standard_normal(n), "y": rng.integers(0, 4, n)}, ordinal=["y"])
    released = values(data, outcome(data, Microaggregation(k=k, by=by)))
    rows = np.stack(list(released.values()), axis=1)
    assert np.unique(rows, axis=0, return_counts=True)[1].min() >= k


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("permute", [False, True])
def test_threads_do_not_matter(by, permute):
    columns = normal(2000, 5)
    columns["b"][::7] = NAN
    for strata in (None, np.arange(2000) % 40):
        data = microdata(columns, strata=strata)
        method = Microaggregation(k=4, by=by, permute=permute)
        one, two = (outcome(data, method, threads=threads) for threads in (1, 2))
        assert np.array_equal(one.donors.matrix, two.donors.matrix)
        for name in one.made:
            assert np.array_equal(one.made[name], two.made[name], equal_nan=True)


@pytest.mark.parametrize("by", WAYS)
def test_input_is_left_alone(by):
    columns = normal(60, 3)
    columns["a"][5] = NAN
    before = {name: x.copy() for name, x in columns.items()}
    outcome(microdata(columns), Microaggregation(by=by))
    assert all(np.array_equal(columns[n], before[n], equal_nan=True) for n in columns)


# golden values of sdcMicro


def golden(shared, name):
    """The data that sdcMicro had, and its partitions."""
    folder = shared / "reference" / "sdcmicro" / name
    frame = table(shared, name) if name in SETS else sm.datasets.load(name)
    facts = json.loads((folder / "input_fingerprint.json").read_text())
    matrix = np.ascontiguousarray(frame.to_numpy(float), "<f8")
    digest = hashlib.sha256(matrix.tobytes()).hexdigest()
    assert digest == facts["sha256_of_float64_little_endian_row_major"]
    return frame, pd.read_csv(folder / "microaggregation_partitions.csv")


def alike(rows):
    """The first row that each row equals; groups whose means are equal are one."""
    _, first, which = np.unique(np.round(rows, 9), axis=0, return_index=True, return_inverse=True)
    return first[which.ravel()]


@pytest.mark.parametrize("name", [*SETS, "anes96", "fair", "randhie"])
def test_partitions_are_those_of_sdcmicro(shared, name):
    frame, partitions = golden(shared, name)
    columns = [c for c in partitions if c.split(".")[0] in {"mdav", "pca", "pppca"}]
    assert columns
    for column in columns:
        by, k = column.split(".")
        released = release(Microaggregation(k=int(k), by=by), numbers(frame), 1)
        theirs = alike(partitions[[column]].to_numpy())
        assert np.array_equal(alike(released), theirs), column


@pytest.mark.parametrize("name", SETS)
def test_values_are_those_of_sdcmicro(shared, name):
    frame, _ = golden(shared, name)
    folder = shared / "reference" / "sdcmicro" / name
    for ours, theirs in {"mdav": "mdav", "pca": "pca", "columns": "onedims"}.items():
        for k in (3, 5, 10) if ours == "mdav" else (3,):
            expected = pd.read_csv(folder / f"microaggregation_{theirs}_aggr{k}_mx.csv")
            released = release(Microaggregation(k=k, by=ours), numbers(frame), 1)
            assert np.allclose(released, expected.to_numpy(float), rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", SETS)
def test_what_is_lost_is_what_sdcmicro_loses(shared, name):
    """The share of the variance, over standardised columns, that is inside groups."""
    frame, _ = golden(shared, name)
    file = shared / "reference" / "sdcmicro" / name / "microaggregation_summary.json"
    scaled = ((frame - frame.mean()) / frame.std()).to_numpy()
    compared = 0
    for facts in json.loads(file.read_text()).values():
        by = facts["method"].replace("onedims", "columns")
        if by in WAYS:
            released = release(Microaggregation(k=facts["aggr"], by=by), numbers(frame), 1)
            moved = ((released - frame) / frame.std()).to_numpy()
            assert np.isclose((moved**2).sum() / (scaled**2).sum(), facts["il_std"], rtol=1e-10)
            compared += 1
    assert compared >= 9


def test_values_with_missing_ones_are_those_of_sdcmicro(shared):
    """Its last group, which it would get wrong, misses nothing here."""
    frame, _ = golden(shared, "tarragona")
    frame = frame.astype(float)
    row = np.arange(1, len(frame) + 1)
    frame.iloc[row % 19 == 0, 2] = NAN
    frame.iloc[row % 31 == 0, 6] = NAN
    file = "microaggregation_mdav_aggr5_with_missing_mx.csv"
    expected = pd.read_csv(shared / "reference" / "sdcmicro" / "tarragona" / file).to_numpy(float)
    released = release(Microaggregation(k=5), numbers(frame), 1)
    assert np.allclose(released, expected, rtol=1e-12, atol=0, equal_nan=True)
    assert np.isnan(released).sum() == 43 + 26


def test_the_last_group_is_divided_by_the_values_present():
    """sdcMicro divides the sum of 2 and 4 by 3 here."""
    data = microdata({"x": [100, 101, 102, 2, NAN, 4], "y": [0, 0, 0, 1, 1, 1]})
    released = values(data, outcome(data, Microaggregation(k=3)))["x"]
    assert np.array_equal(released[3:], [3, NAN, 3], equal_nan=True)


# bad input


def test_k_beyond_the_table_is_refused_before_any_work():
    with pytest.raises(TableError, match=r"got 6 for 5\. Lower `k`"):
        Microaggregation(k=6).check(microdata({"x": range(5)}))


def test_infinite_values_are_refused():
    with pytest.raises(SchemaError, match="'x' holds 2 infinite values"):
        Microaggregation(k=2).check(microdata({"x": [1, np.inf, -np.inf]}))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 1}, "`k` must be a whole number, 2 or more; got 1"),
        ({"k": 2.5}, "`k` must be a whole number"),
        ({"by": "rmd"}, "`by` must be one of mdav, pca, pppca, columns; got 'rmd'"),
        ({"permute": 1}, "`permute` must be true or false; got 1"),
        ({"weights": -1}, "`weights` must be a finite number|`weights` must be in"),
        ({"by": "pca", "weights": {"x": 1.0}}, "with `by` = mdav; got by = pca"),
    ],
)
def test_parameters_outside_their_domain_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        Microaggregation(**settings)


# through mask()


def test_integers_dates_and_grades_keep_their_type(masked):
    frame = pd.DataFrame(
        {
            "age": [20, 21, 22, 60, 62, 64],
            "since": pd.to_datetime(["2001-01-01", "2001-01-02", "2001-01-03"] * 2),
            "grade": pd.Categorical(list("aabccb"), list("abc"), ordered=True),
        }
    )
    release = masked(frame, Microaggregation(k=3), seed=1)
    assert release.data[["age", "since"]].dtypes.equals(frame[["age", "since"]].dtypes)
    assert release.data["grade"].dtype == pd.CategoricalDtype(["a", "c"], ordered=True)
    assert release.data["age"].tolist() == [21, 21, 21, 62, 62, 62]
    assert release.data["grade"].tolist() == list("aaaccc")
    assert release.data["since"].nunique() == 1
