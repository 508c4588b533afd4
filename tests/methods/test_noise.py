from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest
from sdcmicro_golden import SETS, Original, entries, release, strangers, table

import swapmeet as sm
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import ROWS_PER_STREAM, Seed
from swapmeet.errors import ParameterError, SchemaError, TableError
from swapmeet.methods.noise import Noise
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

EXAMPLES = [
    sm.Noise(),
    sm.Noise(level=0.5, correlated=True),
    sm.Noise(whole="ignore", bounds="none"),
]
"""For the contract of all methods."""

PLAIN = {"whole": "ignore", "bounds": "none"}
"""Noise as the papers describe it."""


def noisy(columns, method, *, seed=1, threads=1):
    """The outcome for columns of numbers."""
    variables = tuple(
        Variable(name, Kind.NUMERIC, np.asarray(values, float)) for name, values in columns.items()
    )
    data = Microdata(variables, np.zeros(len(variables[0].values), np.int32))
    return method.outcome(data, Seed.chosen_by_user(seed).within("test"), Workers(threads))


def numeric(frame):
    return sm.Schema(tuple(sm.Column(name, "numeric") for name in frame))


def normal(n, p=1, seed=5):
    return np.random.default_rng(seed).standard_normal((p, n))


# what is added


def test_noise_is_normal_with_the_level_as_share_of_the_spread():
    """20,000 draws; false alarm 1 in 10,000."""
    values = np.random.default_rng(1).exponential(7.0, 20_000)
    made = noisy({"x": values}, Noise(level=0.3, **PLAIN)).made["x"]
    assert kstest((made - values) / (0.3 * values.std(ddof=1)), "norm").pvalue > 1e-4


def test_every_value_is_made():
    outcome = noisy({"x": normal(50)[0]}, Noise())
    assert (outcome.donors.matrix == -2).all()


def test_columns_and_blocks_have_noise_of_their_own():
    values = np.tile(normal(ROWS_PER_STREAM)[0], 2)
    outcome = noisy({"x": values, "y": values}, Noise(level=1.0, **PLAIN))
    noise = [outcome.made["x"] - values, outcome.made["y"] - values]
    parts = [
        noise[0][:ROWS_PER_STREAM],
        noise[0][ROWS_PER_STREAM:],
        noise[1][:ROWS_PER_STREAM],
        noise[1][ROWS_PER_STREAM:],
    ]
    seen = np.corrcoef(parts) - np.eye(4)
    assert np.abs(seen).max() < 5 / np.sqrt(ROWS_PER_STREAM)


def test_independent_noise_weakens_correlations_and_correlated_noise_does_not():
    x, y = normal(40_000, 2)
    columns = {"x": x, "y": 0.8 * x + 0.6 * y}
    kept = [noisy(columns, Noise(level=1.0, correlated=c, **PLAIN)).made for c in (False, True)]
    apart, alike = (np.corrcoef(made["x"], made["y"])[0, 1] for made in kept)
    assert apart == pytest.approx(0.4, abs=0.02)
    assert alike == pytest.approx(0.8, abs=0.02)


def test_correlated_noise_has_the_covariance_of_the_data():
    rng = np.random.default_rng(2)
    mixed = (
        rng.standard_normal((4, 4)) @ rng.standard_normal((4, 60_000)) * [[1], [9], [0.01], [1e9]]
    )
    columns = dict(zip("abcd", mixed, strict=True))
    made = noisy(columns, Noise(level=0.5, correlated=True, **PLAIN)).made
    noise = np.array([made[name] - columns[name] for name in columns])
    spreads = mixed.std(axis=1)
    ratio = np.cov(noise) / np.outer(spreads, spreads)
    assert ratio == pytest.approx(0.25 * np.corrcoef(mixed), abs=0.01)


def test_copies_of_a_column_get_the_same_correlated_noise():
    """The covariance is singular, which must not matter."""
    x = normal(1000)[0]
    made = noisy({"x": x, "y": 2 * x, "z": -x}, Noise(level=0.5, correlated=True, **PLAIN)).made
    assert made["y"] == pytest.approx(2 * made["x"], abs=1e-6)
    assert made["z"] == pytest.approx(-made["x"], abs=1e-6)


def test_correlations_are_those_of_rows_that_have_both_values():
    """Each pair is missing somewhere, so that the matrix of pairs is no covariance at all."""
    x, y = normal(30_000, 2)
    columns = {"a": x.copy(), "b": 0.9 * x + 0.436 * y, "c": x + 0.1 * y}
    columns["c"][:20_000] = -columns["c"][:20_000]
    columns["a"][:20_000:2] = np.nan
    columns["b"][20_000:] = np.nan
    made = noisy(columns, Noise(level=0.5, correlated=True, **PLAIN)).made
    for name, values in columns.items():
        there = ~np.isnan(values)
        noise = made[name][there] - values[there]
        assert noise.std() == pytest.approx(0.5 * values[there].std(), rel=0.03)
        assert np.isnan(made[name][~there]).all()


def test_columns_that_share_no_row_are_uncorrelated():
    x = normal(4000)[0]
    columns = {"a": np.where(np.arange(4000) < 2000, x, np.nan),
               "b": np.where(np.arange(4000) < 2000, np.nan, x), "c": x}  # fmt: skip
    made = noisy(columns, Noise(level=0.5, correlated=True, **PLAIN)).made
    assert np.isfinite(made["c"]).all()
    assert np.isfinite(made["a"][:2000]).all()


# what stays


def test_missing_values_stay_missing():
    outcome = noisy({"x": [1.0, np.nan, 3.5, np.nan, 0.2]}, Noise(correlated=True))
    assert outcome.donors.matrix[:, 0].tolist() == [-2, 1, -2, 3, -2]


@pytest.mark.parametrize("correlated", [False, True])
def test_constant_and_empty_columns_stay_and_are_named(correlated):
    columns = {
        "x": [1.0, 2.5, 4.0],
        "same": [0.1] * 3,
        "none": [np.nan] * 3,
        "one": [7, np.nan, np.nan],
    }
    outcome = noisy(columns, Noise(correlated=correlated))
    assert outcome.donors.matrix[:, 1:].tolist() == [[0] * 3, [1] * 3, [2] * 3]
    assert set(outcome.made) == {"x"}
    assert (
        "columns same, none, one: no noise, because all values are the same or missing."
        in outcome.notes
    )


def test_whole_numbers_stay_whole_unless_ignored():
    rng = np.random.default_rng(3)
    columns = {"age": rng.integers(0, 90, 500), "half": rng.integers(0, 90, 500) / 2}
    kept = noisy(columns, Noise(level=0.2))
    assert (kept.made["age"] % 1 == 0).all()
    assert (kept.made["half"] % 1 != 0).any()
    assert "column age: noisy values were rounded to whole numbers." in kept.facts
    ignored = noisy(columns, Noise(level=0.2, whole="ignore"))
    assert (ignored.made["age"] % 1 != 0).all()
    assert not any("rounded" in note for note in ignored.facts)
    assert np.array_equal(np.rint(ignored.made["age"]), kept.made["age"])


def test_values_stay_in_the_observed_range_unless_bounds_are_none():
    values = np.random.default_rng(4).exponential(1.0, 2000)
    free = noisy({"x": values}, Noise(level=0.5, bounds="none"))
    bound = noisy({"x": values}, Noise(level=0.5))
    outside = (free.made["x"] < values.min()) | (free.made["x"] > values.max())
    assert outside.sum() > 200
    assert bound.facts == (
        f"values reflected at the ends of the observed range: x {outside.sum()}.",
    )
    assert bound.made["x"].min() >= values.min()
    assert bound.made["x"].max() <= values.max()
    assert np.array_equal(bound.made["x"][~outside], free.made["x"][~outside])
    assert free.facts == ()


def test_what_would_leave_the_range_is_reflected_at_its_end():
    values = np.array([0.0, 10.0, 5.0, 1.0])
    free = noisy({"x": values}, Noise(level=0.5, bounds="none")).made["x"]
    bound = noisy({"x": values}, Noise(level=0.5)).made["x"]
    expected = np.where(free < 0, -free, np.where(free > 10, 20 - free, free))
    assert (expected != free).any()
    assert bound == pytest.approx(expected)


def test_reflection_leaves_no_heap_at_the_ends():
    values = np.random.default_rng(4).exponential(1.0, 2000)
    made = noisy({"x": values}, Noise(level=0.5)).made["x"]
    assert len(np.unique(made)) == len(made)


# whole releases


def test_release_keeps_types_and_says_what_was_done(masked):
    people = sm.datasets.load("diabetes").astype({"age": "int64"})
    people["since"] = pd.date_range("2000-01-01", periods=len(people)).astype("datetime64[s]")
    result = masked(people, Noise(level=0.3), schema=numeric(people), seed=1)
    assert (result.data.dtypes == people.dtypes).all()
    assert result.data["since"].between(people["since"].min(), people["since"].max()).all()
    assert any("age" in note and "rounded to whole numbers" in note for note in result.notes)
    assert any(note.startswith("values reflected at the ends") for note in result.notes)
    assert all(change.made == 1.0 for change in result.changes)


def test_strata_do_not_matter(masked):
    people = sm.datasets.load("diabetes")
    schema = numeric(people).assign(nominal=["sex"])
    one = masked(people, Noise(), schema=schema.assign(strata=["sex"]), seed=1)
    two = masked(people, Noise(), schema=schema.assign(keep=["sex"]), seed=1)
    assert one.data.equals(two.data)


@pytest.mark.parametrize("correlated", [False, True])
def test_threads_do_not_matter_but_seeds_do(correlated):
    columns = dict(zip("xy", normal(3 * ROWS_PER_STREAM + 7, 2), strict=True))
    method = Noise(correlated=correlated)
    one, two, other = (
        noisy(columns, method, seed=seed, threads=threads).made["y"]
        for seed, threads in ((1, 1), (1, 2), (2, 2))
    )
    assert np.array_equal(one, two)
    assert (one != other).all()


CELLS = st.sampled_from([0.0, 1.0, 2.0, -3.0, 0.25, 1e12, np.nan])


@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=30),
    st.booleans(),
    st.sampled_from(["keep", "ignore"]),
    st.sampled_from(["observed", "none"]),
    st.sampled_from([0.01, 1.0, 50.0]),
)
def test_any_columns_are_masked_as_promised(cells, correlated, whole, bounds, level):
    columns = dict(zip("abc", np.array(cells, float).T, strict=True))
    method = Noise(level=level, correlated=correlated, whole=whole, bounds=bounds)
    outcome = noisy(columns, method)
    for number, (name, values) in enumerate(columns.items()):
        present, donors = values[~np.isnan(values)], outcome.donors.matrix[:, number]
        varies = len(np.unique(present)) > 1
        assert ((donors == -2) == (varies & ~np.isnan(values))).all()
        assert (donors == np.arange(len(values)))[donors != -2].all()
        assert (name in outcome.made) == varies
        if not varies:
            continue
        made = outcome.made[name][donors == -2]
        assert np.isfinite(made).all()
        if whole == "keep" and (present % 1 == 0).all():
            assert (made % 1 == 0).all()
        if bounds == "observed":
            assert made.min() >= present.min()
            assert made.max() <= present.max()


@pytest.mark.parametrize("scale", [1e-250, 1e280])
@pytest.mark.parametrize("correlated", [False, True])
def test_unit_of_the_values_does_not_matter(scale, correlated):
    x = normal(200)[0]
    method = Noise(level=0.5, correlated=correlated, **PLAIN)
    here, there = noisy({"x": x}, method).made["x"], noisy({"x": x * scale}, method).made["x"]
    assert there / scale == pytest.approx(here)


# golden values of sdcMicro


def setting(entry):
    """Ours, for a call of addNoise that adds noise to all values; `noise` is a variance in one."""
    found = re.search(r"method='(additive|correlated)', noise=(\d+)", entry["call"])
    if not found:
        return None
    share, correlated = float(found[2]) / 100, found[1] == "correlated"
    return Noise(level=share**0.5 if correlated else share, correlated=correlated, **PLAIN)


def by_column(original, released):
    """What sdcMicro's values have for each column."""
    spreads = original.values.std(axis=0)
    found = {}
    for number, name in enumerate(original.data.names):
        values = released[:, number]
        shift = values.mean() - original.values[:, number].mean()
        found[f"sd_ratio {name}"] = values.std() / spreads[number]
        found[f"mean_shift_in_sd {name}"] = shift / spreads[number]
    return found


def golden_by_column(entry, names):
    n = entry["mean_abs_pearson_diff"]["n"]
    return {
        f"{what} {name}": {
            "mean": entry[f"{what}_mean"][name],
            "sd": entry[f"{what}_sd"][name],
            "n": n,
        }
        for what in ("sd_ratio", "mean_shift_in_sd")
        for name in names
    }


@pytest.mark.slow_beyond(2)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name == "breast_cancer" else [])
        for name in SETS
    ],
)
def test_releases_are_those_of_sdcmicro(shared, name):
    """Four settings, 4 statistics and 2 per column, at four standard errors: in all five sets
    together the false alarm is 1 in 20."""
    original = Original(table(shared, name))
    settings_of = [
        (entry, setting(entry)) for entry in entries(shared, name, "addNoise_montecarlo")
    ]
    compared = [(entry, method) for entry, method in settings_of if method]
    assert len(compared) == 4
    for entry, method in compared:
        releases = [release(method, original.data, seed) for seed in range(40)]
        own = [original.statistics(r) | by_column(original, r) for r in releases]
        golden = entry | golden_by_column(entry, original.data.names)
        assert strangers(pd.DataFrame(own), golden) == {}, entry["call"]


# bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"level": 0}, r"`level` must be in \(0, 1000\]; got 0"),
        ({"level": -0.1}, "`level` must be in"),
        ({"level": float("inf")}, "`level` must be in"),
        ({"correlated": "yes"}, "`correlated` must be true or false"),
        ({"whole": "round"}, "`whole` must be one of keep, ignore"),
        ({"bounds": (0, 1)}, "`bounds` must be one of observed, none"),
    ],
)
def test_parameters_outside_their_domain_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        Noise(**parameters)


def test_infinite_values_are_refused_by_column():
    frame = pd.DataFrame(
        {"x": [1.0, np.inf, -np.inf], "y": [1.0, 2.0, 3.0], "z": [1.0, 2.0, 1e305]}
    )
    with pytest.raises(SchemaError, match="'x' holds 2 infinite values") as refusal:
        sm.mask(frame, Noise(), schema=numeric(frame))
    assert len(refusal.value.problems) == 2
    assert "'z' holds 1 " in refusal.value.problems[1]


def test_ordinal_and_nominal_columns_are_refused_by_name():
    frame = pd.DataFrame({"x": range(9), "town": list("abc") * 3})
    frame["grade"] = pd.Categorical(list("abc") * 3, ordered=True)
    schema = sm.Schema.infer(frame).assign(numeric=["x"])
    with pytest.raises(SchemaError) as refusal:
        sm.mask(frame, Noise(), schema=schema)
    assert [p.split(",")[0] for p in refusal.value.problems] == [
        "noise cannot mask 'town'",
        "noise cannot mask 'grade'",
    ]


def test_type_too_narrow_for_the_noise_is_refused(masked):
    frame = pd.DataFrame({"x": np.array([-128, 127] * 20, np.int8)})
    with pytest.raises(TableError, match="'x' of type int8 cannot hold"):
        sm.mask(frame, Noise(bounds="none"), schema=numeric(frame), seed=1)
    assert masked(frame, Noise(), schema=numeric(frame), seed=1).data["x"].dtype == np.int8
