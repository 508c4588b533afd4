from __future__ import annotations

import itertools
import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, rankdata

import swapmeet as sm
from parts.sjppds.literal import categorize, cumulative, full, sequential, simplified
from swapmeet.errors import SchemaError
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind

EXAMPLES = [
    sm.SJPPDS(bins=5),
    sm.SJPPDS(bins=40, variant="full"),
    sm.SJPPDS(bins=40, min_bin=6),
    sm.SJPPDS(classes=1, order="frequency"),
]
"""For the contract of all methods."""

TINY = np.array([[0.0, 0.0, 9.0], [1.0, 1.0, 0.0], [4.0, 2.0, 1.0], [5.0, 9.0, 2.0]])
"""With two bins: {0, 1} and {4, 5}; {0, 1, 2} and {9}; {9} and {0, 1, 2}."""


def numeric(frame):
    return sm.Schema(tuple(sm.Column(name, "numeric") for name in frame))


def table_of(values):
    return pd.DataFrame({f"c{j}": column for j, column in enumerate(np.asarray(values, float).T)})


def released(values, seed, **parameters):
    frame = table_of(values)
    return sm.mask(frame, sm.SJPPDS(**parameters), schema=numeric(frame), seed=seed)


def as_set_of_rows(table):
    """A release in random order is known by its rows, whatever their order."""
    return tuple(sorted(map(tuple, np.asarray(table))))


# nominal columns

SIZES = dict(zip(["XS", "S", "M", "L", "XL"], range(5), strict=True))


def people_of_sizes(n=200):
    rng = np.random.default_rng(6)
    size = rng.choice(list(SIZES), n)
    return pd.DataFrame({"size": size, "height": pd.Series(size).map(SIZES) + rng.random(n)})


@pytest.mark.parametrize(
    ("classes", "told_apart"),
    [(1, ["XS S M L XL"]), (2, ["XS S M", "L XL"]), (9, ["XS S M", "L XL"]), (None, None)],
)
def test_levels_of_a_class_are_permuted_and_classes_stay(classes, told_apart):
    """Five similar levels in two classes, in one direction or the other."""
    people = people_of_sizes()
    release = sm.mask(people, sm.SJPPDS(bins=8, classes=classes), seed=1)
    pairs = zip(people["size"], release.data["size"], strict=True)
    moved = {frozenset(pair) for pair in pairs}
    expected = told_apart or ["XS S M", "L XL"]
    forth = {frozenset(p) for c in expected for p in itertools.product(c.split(), repeat=2)}
    turned = dict(zip(SIZES, reversed(SIZES), strict=True))
    back = {frozenset(turned[level] for level in pair) for pair in forth}
    assert moved in (forth, back)
    assert sorted(release.data["size"]) == sorted(people["size"])


@given(st.integers(2, 60), st.integers(1, 80))
def test_a_class_has_at_least_two_levels(levels, classes):
    town = Variable("town", Kind.ORDINAL, np.arange(levels, dtype=float), levels)
    labels = sm.SJPPDS(classes=classes)._labels(town, [np.arange(levels)])
    sizes = np.bincount(labels)
    assert sizes.min() >= 2
    assert len(sizes) == max(min(classes, levels // 2), 1)
    assert sizes.max() - sizes.min() <= 1


def test_a_column_of_two_levels_is_one_class(masked):
    people = pd.DataFrame({"sex": list("mf") * 200, "x": np.arange(400.0)})
    after = masked(people, sm.SJPPDS(bins=20), seed=1).data["sex"]
    assert 0.4 < (after != people["sex"]).mean() < 0.6


def test_missing_levels_stay_in_place(masked):
    people = people_of_sizes()
    people.loc[::5, "size"] = None
    release = masked(people, sm.SJPPDS(), seed=3)
    assert release.data["size"].isna().tolist() == people["size"].isna().tolist()
    assert release.audit.map.is_permutation().all()


def test_classes_too_small_are_merged():
    people = people_of_sizes()
    release = sm.mask(people, sm.SJPPDS(min_bin=150), seed=1)
    pairs = zip(people["size"], release.data["size"], strict=True)
    assert len({frozenset(pair) for pair in pairs}) == 15


def test_by_frequency_all_blocks_have_the_same_classes(masked):
    town = pd.Series(np.repeat(list("abcdef"), [90, 80, 60, 50, 20, 10])).sample(
        frac=1, random_state=1
    )
    people = pd.DataFrame({"town": town.to_numpy(), "x": np.arange(310.0)})
    engine = sm.Local(block_rows=60)
    release = masked(people, sm.SJPPDS(order="frequency"), seed=1, engine=engine)
    pairs = zip(people["town"], release.data["town"], strict=True)
    allowed = {frozenset(p) for c in ("ab", "cd", "ef") for p in itertools.product(c, repeat=2)}
    assert {frozenset(pair) for pair in pairs} <= allowed


# by hand


def test_values_trade_inside_their_bins_only(masked):
    """Bins of width 5: 0 to 5 (closed), above 5 to 10."""
    frame = pd.DataFrame({"x": [0.0, 5.0, 5.1, 10.0]})
    seen = {tuple(masked(frame, sm.SJPPDS(bins=2), seed=s).data["x"]) for s in range(40)}
    assert seen == set(itertools.product((0.0, 5.0), (0.0, 5.0), (5.1, 10.0), (5.1, 10.0))) - {
        row
        for row in itertools.product((0.0, 5.0), (0.0, 5.0), (5.1, 10.0), (5.1, 10.0))
        if row[0] == row[1] or row[2] == row[3]
    }


def test_a_value_alone_in_its_bin_stays_and_is_told():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 100.0], "y": [7.0, 8.0, 7.5, 7.2]})
    with pytest.warns(sm.SwapmeetWarning, match="stay with their row, among 4 rows: x 1, y 2"):
        release = sm.mask(frame, sm.SJPPDS(bins=4), schema=numeric(frame), seed=1)
    assert release.audit.stuck["x"].tolist() == [3]
    assert release.audit.stuck["y"].tolist() == [1, 2]
    assert release.data["x"][3] == 100.0


def test_min_bin_merges_neighbours_until_none_is_alone(masked):
    """Ten bins of width 10 hold 3, 0, ..., 0, 1; with min_bin the outlier joins the others."""
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 100.0]})
    moved = {masked(frame, sm.SJPPDS(bins=10, min_bin=2), seed=s).data["x"][3] for s in range(60)}
    assert moved == {0.0, 1.0, 2.0, 100.0}


def test_min_bin_counts_the_rows_of_each_stratum(masked):
    """The outliers share a bin, but each would be alone in its stratum."""
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 100.0, 3.0, 4.0, 5.0, 99.0], "s": list("aaaabbbb")})
    schema = sm.Schema((sm.Column("x", "numeric"), sm.Column("s", "nominal", "strata")))
    method = sm.SJPPDS(bins=10, min_bin=2)
    moved = [masked(frame, method, schema=schema, seed=s).data["x"] for s in range(60)]
    assert {x[3] for x in moved} == {0.0, 1.0, 2.0, 100.0}
    assert {x[7] for x in moved} == {3.0, 4.0, 5.0, 99.0}


def test_missing_values_stay_in_place(masked):
    frame = pd.DataFrame({"x": [1.0, np.nan, 2.0, 1.5, np.nan, 1.2]})
    release = masked(frame, sm.SJPPDS(bins=1), seed=3)
    assert release.data["x"].isna().tolist() == frame["x"].isna().tolist()
    assert sorted(release.data["x"].dropna()) == sorted(frame["x"].dropna())
    assert release.audit.stuck == {}


def test_ordinal_columns_are_binned_by_rank(masked):
    """Codes 0, 1, 50, 51: by value 50 and 51 share a bin and 0 and 1 another; so by rank here."""
    frame = pd.DataFrame({"x": [0, 1, 50, 1000] * 5})
    schema = sm.Schema((sm.Column("x", "ordinal"),))
    by_rank = masked(frame, sm.SJPPDS(bins=2), schema=schema, seed=1).data["x"]
    assert set(by_rank[frame["x"] < 50]) == {0, 1}
    assert set(by_rank[frame["x"] == 1000]) == {50, 1000}
    by_value = masked(frame, sm.SJPPDS(bins=2), schema=numeric(frame), seed=1).data["x"]
    assert set(by_value[frame["x"] == 1000]) == {1000}


@pytest.mark.slow
def test_one_bin_permutes_the_whole_column_uniformly(masked):
    """Chi-square over the 24 orders of 4 values; error rate 1e-4."""
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    seen = Counter(tuple(masked(frame, sm.SJPPDS(bins=1), seed=s).data["x"]) for s in range(2400))
    assert len(seen) == 24
    assert chisquare(list(seen.values())).pvalue > 1e-4


# the proof, in figures


@pytest.mark.parametrize("shuffling", [simplified, full, cumulative])
@pytest.mark.slow
def test_algorithms_of_the_paper_have_the_distribution_of_one_pass(shuffling):
    """All permutations inside the bins are enumerated: 2·2·6·6 of them, equally likely.

    Chi-square of the literal algorithm's releases against that; error rate 1e-4.
    """
    expected = _distribution_of_one_pass(TINY, 2)
    rng = np.random.default_rng(1)
    runs = 6000
    seen = Counter(as_set_of_rows(sequential(TINY, 2, rng, shuffling)) for _ in range(runs))
    assert set(seen) <= set(expected)
    counts = [seen[outcome] for outcome in expected]
    assert chisquare(counts, [share * runs for share in expected.values()]).pvalue > 1e-4


@pytest.mark.slow
def test_ours_has_the_distribution_of_one_pass(masked):
    expected = _distribution_of_one_pass(TINY, 2)
    frame, runs, engine = table_of(TINY), 2000, sm.Local(threads=1)
    ask = {"schema": numeric(frame), "engine": engine}
    seen = Counter(
        as_set_of_rows(masked(frame, sm.SJPPDS(bins=2), seed=s, **ask).data) for s in range(runs)
    )
    counts = [seen[outcome] for outcome in expected]
    assert sum(counts) == runs
    assert chisquare(counts, [share * runs for share in expected.values()]).pvalue > 1e-4


def _distribution_of_one_pass(table, bins):
    """Every way to permute each column inside its bins, independently."""
    codes = categorize(table, bins)
    columns = [
        [order for order in itertools.permutations(range(len(table)))
         if (codes[list(order), j] == codes[:, j]).all()]
        for j in range(table.shape[1])
    ]  # fmt: skip
    outcomes = Counter(
        as_set_of_rows(np.stack([table[list(o), j] for j, o in enumerate(orders)], axis=1))
        for orders in itertools.product(*columns)
    )
    return {outcome: count / outcomes.total() for outcome, count in outcomes.items()}


@pytest.mark.parametrize("shuffling", [simplified, full, cumulative])
def test_literal_algorithms_keep_the_vectors_of_bins_and_so_do_we(shuffling, masked):
    rng = np.random.default_rng(2)
    table = rng.normal(size=(60, 4))
    before = as_set_of_rows(categorize(table, 5))
    assert as_set_of_rows(categorize(sequential(table, 5, rng, shuffling), 5)) == before
    ours = masked(table_of(table), sm.SJPPDS(bins=5), seed=1).data
    assert np.array_equal(categorize(ours.to_numpy(), 5), categorize(table, 5))


def test_variants_give_one_release_for_one_seed(masked):
    frame = sm.datasets.load("diabetes").drop(columns="sex")
    variants = ("simplified", "full", "cumulative")
    one, two, three = (masked(frame, sm.SJPPDS(variant=v), seed=1).data for v in variants)
    assert one.equals(two)
    assert one.equals(three)


# properties


@given(
    st.lists(
        st.one_of(st.floats(-1e6, 1e6), st.integers(0, 3).map(float), st.just(np.nan)),
        min_size=2, max_size=60,
    ),
    st.integers(1, 400),
    st.integers(1, 20),
    st.integers(0, 5),
)  # fmt: skip
def test_margins_bins_and_missing_are_kept(masked, values, bins, min_bin, seed):
    frame = pd.DataFrame({"x": np.array(values, float), "s": np.arange(len(values)) % 2})
    schema = sm.Schema((sm.Column("x", "numeric"), sm.Column("s", "nominal", "strata")))
    release = masked(frame, sm.SJPPDS(bins=bins, min_bin=min_bin), schema=schema, seed=seed)
    after = release.data["x"]
    assert np.array_equal(np.sort(after), np.sort(frame["x"]), equal_nan=True)
    assert np.array_equal(after.isna(), frame["x"].isna())
    assert release.audit.map.is_permutation().all()
    donors = release.audit.donors[:, 0]
    assert (donors % 2 == np.arange(len(values)) % 2).all()
    if min_bin == 1 and frame["x"].notna().any():
        width = (frame["x"].max() - frame["x"].min()) / bins
        slack = 1e-9 * max(abs(frame["x"].max()), abs(frame["x"].min()), 1.0)
        assert ((after - frame["x"]).abs().dropna() <= width + slack).all()


@given(
    st.lists(st.one_of(st.floats(-1e3, 1e3), st.integers(-3, 3).map(float)), min_size=2,
             max_size=50),
    st.integers(1, 60),
)  # fmt: skip
def test_bins_are_those_of_cut(values, bins):
    from swapmeet.methods.sjppds.bins import bins_of, edges_of

    column = np.array(values)
    if 0 < np.ptp(column) < 1e-9:
        return
    expected = categorize(column[:, None], bins)[:, 0] if np.ptp(column) else 0 * column
    assert np.array_equal(bins_of(column, edges_of(column.min(), column.max(), bins)), expected)


@pytest.mark.parametrize("bins", range(1, 40))
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.3), (0.1, 0.9)])
def test_values_next_to_an_edge_are_on_the_right_side_of_it(low, high, bins):
    """The first guess divides by the width, which rounding may put into the bin beside."""
    from swapmeet.methods.sjppds.bins import bins_of, edges_of

    edges = edges_of(low, high, bins)
    above = np.nextafter(edges[:-1], np.inf)
    assert bins_of(above, edges).tolist() == list(range(bins))
    assert bins_of(edges[1:], edges).tolist() == list(range(bins))


@pytest.mark.parametrize("least", [1, 2, 5, 9])
def test_merged_bins_hold_enough_and_keep_their_order(least):
    from swapmeet.methods.sjppds.bins import bins_of, edges_of, merge_small_bins

    values = np.random.default_rng(3).lognormal(0, 2, 300)
    labels = bins_of(values, edges_of(values.min(), values.max(), 50))
    count = merge_small_bins(labels, 50, least)
    sizes = np.bincount(labels)
    assert len(sizes) == count
    assert sizes.min() >= least
    order = np.argsort(values, kind="stable")
    assert (np.diff(labels[order]) >= 0).all()


# golden values of the authors' script


@pytest.mark.parametrize("name", ["census", "tarragona"])
@pytest.mark.parametrize("kind", ["simple", "full"])
@pytest.mark.slow
def test_correlations_move_as_with_the_authors_script(shared, masked, name, kind):
    """z-test with 4 standard errors on each of 8 figures: error rate below 1e-3."""
    folder = shared / "reference" / "sdcmicro" / name
    golden = json.loads((folder / f"sjppds_{kind}_montecarlo.json").read_text())["results"]
    frame = pd.read_csv(folder / "input.csv").astype(float)
    before = frame.corr(), frame.corr("spearman")
    pairs = np.triu_indices(len(frame.columns), 1)
    for setting, figures in golden.items():
        bins = int(setting.removeprefix("n_levels_"))
        found = []
        for seed in range(30):
            after = masked(frame, sm.SJPPDS(bins=bins), schema=numeric(frame), seed=seed).data
            ranks = pd.DataFrame({c: rankdata(after[c]) for c in after})
            found.append([
                np.abs(after.corr() - before[0]).to_numpy()[pairs].mean(),
                np.abs(ranks.corr() - before[1]).to_numpy()[pairs].mean(),
            ])  # fmt: skip
        for ours, key in zip(np.array(found).T,
                             ("mean_abs_pearson_diff", "mean_abs_spearman_diff"),
                             strict=True):  # fmt: skip
            theirs = figures[key]
            error = np.hypot(theirs["sd"] / theirs["n"] ** 0.5, ours.std(ddof=1) / 30**0.5)
            assert abs(ours.mean() - theirs["mean"]) < 4 * error, (setting, key)


# bad input


def test_infinite_values_are_refused():
    frame = pd.DataFrame({"x": [1.0, np.inf, 3.0]})
    with pytest.raises(SchemaError, match="'x' holds 1 infinite"):
        sm.mask(frame, sm.SJPPDS(), seed=1)


@pytest.mark.parametrize("parameters", [{"bins": 0}, {"min_bin": 0}, {"variant": "printed"}])
def test_parameters_outside_their_domain_are_refused(parameters):
    with pytest.raises(sm.SwapmeetError, match=next(iter(parameters))):
        sm.SJPPDS(**parameters)
