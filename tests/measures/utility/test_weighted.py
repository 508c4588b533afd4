"""Measures of utility with sampling weights: a row counts as the people it stands for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import swapmeet as sm
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Family
from swapmeet.measures.registry import MEASURES
from swapmeet.measures.utility.columns import standardize
from swapmeet.measures.utility.workload import Workload
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

N = 240
WEIGHTED = [
    "margins", "spread", "correlations", "associations", "loadings", "cbil", "coefficients",
    "r-squared",
]  # fmt: skip
"""What does not depend on how many rows there are, but for the weight that each has."""


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(2)
    common = rng.normal(size=N)
    return pd.DataFrame({
        "age": np.round(40 + 9 * common),
        "wage": np.where(rng.random(N) < 0.1, np.nan, np.exp(common + rng.normal(size=N))),
        "height": common + rng.normal(size=N),
        "sex": rng.choice(["f", "m"], N),
        "town": rng.choice(list("abcd"), N, p=[0.5, 0.3, 0.15, 0.05]),
        "w": rng.integers(1, 6, N),
    })  # fmt: skip


@pytest.fixture(scope="module")
def masked(people):
    rng = np.random.default_rng(3)
    released = people.copy()
    for name in ("wage", "height", "sex", "town"):
        rows = np.flatnonzero(rng.random(N) < 0.5)
        released.loc[rows, name] = released[name].to_numpy()[rng.permutation(rows)]
    return released


def assess(original, released, **more):
    schema = sm.Schema.guess(original, {})
    schema = schema.assign(weight=["w"]) if "w" in original else schema
    return sm.assess(original, released, match="rows", schema=schema, **more)


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_row_of_weight_3_counts_as_3_rows(people, masked, name):
    """The weighted figure is that of the table in which each row stands as often as it weighs.

    A variance has n / (n − 1), with n rows (svyvar); where columns miss different numbers of values
    that is seen in `cbil`, which compares variances of columns.
    """
    times = people["w"].to_numpy()
    expanded = [
        frame.drop(columns="w").loc[np.repeat(frame.index, times)].reset_index(drop=True)
        for frame in (people, masked)
    ]
    weighted = assess(people, masked, measures=[name])[name]
    repeated = assess(*expanded, measures=[name])[name].value
    assert weighted.value == pytest.approx(repeated, rel=1e-2 if name == "cbil" else 1e-9)
    assert weighted.details["weighted by"] == "w"
    plain = assess(people.drop(columns="w"), masked.drop(columns="w"), measures=[name])[name]
    assert abs(weighted.value - plain.value) > 1e-6


@pytest.mark.parametrize(
    "name", [n for n, m in MEASURES.items() if m.family is Family.UTILITY and n != "prediction"]
)
def test_weights_that_are_all_the_same_change_no_figure(people, masked, name):
    plain, even = (
        assess(*(frame.drop(columns="w").assign(**more) for frame in (people, masked)),
               measures=[name])[name]
        for more in ({}, {"w": 1})
    )  # fmt: skip
    assert even.value == pytest.approx(plain.value, rel=0, abs=0, nan_ok=True)
    assert even.sentence == plain.sentence


@pytest.mark.parametrize("name", [*WEIGHTED, "relations", "queries"])
def test_only_the_ratios_of_weights_count(people, masked, name):
    once = assess(people, masked, measures=[name])[name]
    grown = [frame.assign(w=1234.5 * frame["w"]) for frame in (people, masked)]
    assert assess(*grown, measures=[name])[name].value == pytest.approx(once.value, rel=1e-9)


def compare(original, released):
    columns = sm.Schema.guess(original, {}).assign(weight=["w"], numeric=["w"]).columns
    one, other = Microdata.of_both(Table(original), Table(released), columns)
    names = tuple(name for name in original if name != "w")
    return Comparison(one, other, names, names)


def test_mean_and_spread_by_hand():
    """x = 1, 2, 3, 4 with these weights: svymean 3, svyvar 4 / 3 · (4 + 2 + 0 + 4) / 10."""
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "w": [1.0, 2.0, 3.0, 4.0]})
    before, after = standardize(compare(table, table.assign(x=2.0 * table["x"])), ("x",))
    assert before.centre.tolist() == pytest.approx([3.0])
    assert before.spread.tolist() == pytest.approx([np.sqrt(4.0 / 3.0)])
    assert after.centre.tolist() == pytest.approx([6.0])
    assert after.spread.tolist() == pytest.approx([2.0 * np.sqrt(4.0 / 3.0)])


def test_rows_that_miss_a_value_do_not_weigh_in_it():
    table = pd.DataFrame({"x": [1.0, 3.0, np.nan], "w": [1.0, 3.0, 100.0]})
    before, _ = standardize(compare(table, table), ("x",))
    assert before.centre.tolist() == pytest.approx([2.5])
    assert before.spread.tolist() == pytest.approx([np.sqrt(2.0 * (2.25 + 3.0 * 0.25) / 4.0)])


def test_means_of_large_numbers_keep_their_digits():
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"x": 1e12 + rng.normal(size=500), "w": rng.lognormal(size=500)})
    before, _ = standardize(compare(table, table), ("x",))
    x, w = table["x"].to_numpy() - 1e12, table["w"].to_numpy()
    variance = np.average((x - np.average(x, weights=w)) ** 2, weights=w) * 500 / 499
    assert before.spread[0] == pytest.approx(np.sqrt(variance), rel=1e-6)


def test_the_distance_of_distributions_by_hand():
    """Weights 1, 1, 2: a value that moves from the last row to the first moves half the weight."""
    one = pd.DataFrame({"x": [1.0, 2.0, 3.0], "t": ["a", "a", "b"], "w": [1, 1, 2]})
    other = one.assign(x=[3.0, 2.0, 1.0], t=["b", "a", "a"])
    score = sm.assess(one, other, match="rows", weight="w", measures=["margins"])["margins"]
    assert score.details["columns"] == ["x", "t"]
    assert score.details["distances"] == pytest.approx([0.25, 0.25])


@pytest.mark.slow
def test_a_weight_is_not_one_of_the_numbers(people, masked):
    card = assess(people, masked, measures=["correlations", "queries"])
    assert card["correlations"].details["pairs"] == 3
    names = [key.name for key in Workload.of(compare(people, masked), "sex", 3).keys]
    assert "w" not in names


def test_queries_count_by_weight(people, masked):
    comparison = compare(people, masked)
    workload = Workload.of(comparison, "sex", 2)
    share = people["w"] / people["w"].mean()
    for before, _after, dealt in workload.counts(30, np.random.default_rng(1)):
        assert before.sum() <= share.sum() + 1e-9
        assert dealt.sum() == pytest.approx(before.sum())
    everything = [np.bincount(people["sex"] == "m", share)]
    assert share.sum() == pytest.approx(N)
    assert np.sum(everything) == pytest.approx(N)


def test_models_and_tables_take_the_weight_unless_they_name_another(people, masked):
    more = {"measures": ["margins"], "tables": [["sex", "town"]]}
    by_role = assess(people, masked, models=["wage ~ age + sex"], **more)
    both = [frame.rename(columns={"w": "v"}) for frame in (people, masked)]
    schema = sm.Schema.guess(both[0], {}).assign(keep=["v"], numeric=["v"])
    more["tables"] = [["sex", "town", "weight=v"]]
    by_name = sm.assess(
        *both, match="rows", schema=schema, models=["wage ~ age + sex, weight=v"], **more
    )
    assert by_role.models[0].formula == "wage ~ age + sex, weight=w"
    assert by_role.models[0].coefficients == by_name.models[0].coefficients
    assert by_role.tables[0].misplaced == by_name.tables[0].misplaced
    assert by_role.tables[0].weight == "w"


def test_components_are_weighted(people, masked):
    expanded = [
        frame.loc[np.repeat(frame.index, people["w"])].reset_index(drop=True)
        for frame in (people.drop(columns="w"), masked.drop(columns="w"))
    ]
    pca = {"measures": ["margins"], "pca": ["age", "wage", "height"]}
    weighted, repeated = assess(people, masked, **pca), assess(*expanded, **pca)
    for one, other in zip(
        weighted.components.components, repeated.components.components, strict=True
    ):
        assert one.agreement == pytest.approx(other.agreement)
        assert one.released_share == pytest.approx(other.released_share)


def test_the_facts_of_a_report_are_weighted(people, masked):
    card = assess(people, masked, measures=["spread", "correlations"])
    column = next(c for c in card.facts.columns if c.name == "height")
    place = card["spread"].details["columns"].index("height")
    assert column.spread**2 == pytest.approx(card["spread"].details["variance ratios"][place])
    largest = card["correlations"].details["largest change"]
    assert abs(card.facts.correlations.after - card.facts.correlations.before) == pytest.approx(
        largest
    )


def test_files_are_weighted_as_tables_in_memory_are(people, masked, tmp_path):
    for name, frame in (("a", people), ("b", masked)):
        pq.write_table(pa.Table.from_pandas(frame), tmp_path / f"{name}.parquet")
    schema = sm.Schema.guess(people, {}).assign(weight=["w"])
    names = [*WEIGHTED, "relations", "queries", "individual-risk", "population-uniqueness"]
    here = assess(people, masked, measures=names)
    there = sm.assess_file(
        tmp_path / "a.parquet", tmp_path / "b.parquet", match="rows", schema=schema, measures=names
    )
    for name in names:
        assert there[name].value == pytest.approx(here[name].value, rel=1e-9), name
