from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.measures.utility.association import Crossed, Grouped
from swapmeet.measures.utility.relations import Associations, Relations


def people(n=4_000, seed=0):
    """Height by sex, income by education; eleven further columns that say nothing."""
    rng = np.random.default_rng(seed)
    male, school = rng.random(n) < 0.5, rng.integers(8, 19, n)
    noise = {f"x{i}": rng.normal(size=n) for i in range(8)}
    words = {f"t{i}": rng.choice(list("abcd"), n) for i in range(3)}
    frame = pd.DataFrame({
        "sex": np.where(male, "m", "f"),
        "height": 165.0 + 13.0 * male + rng.normal(0.0, 7.0, n),
        "school": school.astype(float),
        "income": 1_000.0 * school + rng.normal(0.0, 3_000.0, n),
        **noise, **words,
    })  # fmt: skip
    return frame, sm.Schema.infer(frame).assign(nominal=["sex", *words])


def test_one_strong_relation_that_is_lost_is_not_averaged_away(score):
    frame, schema = people()
    lost = frame.assign(height=np.random.default_rng(1).permutation(frame["height"]))
    found = score(Relations(), frame, lost, schema=schema)
    assert found.value == pytest.approx(0.6, abs=0.1)
    assert found.details["between"] == "height and sex"
    assert found.details["share between a numeric and a nominal column"] > 0.9


def test_a_relation_that_has_halved_is_half_lost(score):
    rng = np.random.default_rng(2)
    x = rng.normal(size=20_000)
    rest = rng.normal(size=20_000)
    frame = pd.DataFrame({"x": x, "y": 0.8 * x + 0.6 * rest})
    half = frame.assign(y=0.4 * x + np.sqrt(0.84) * rest)
    assert score(Relations(), frame, half).value == pytest.approx(0.5, abs=0.02)


@pytest.mark.slow
def test_rows_drawn_at_random_from_the_original_lose_nothing_beyond_chance(score):
    """Without the correction 20 draws have .10 on average; with it .04, and half of them less."""
    frame, schema = people(1_000)
    values, raw = [], []
    for seed in range(20):
        rows = np.random.default_rng(seed).integers(0, len(frame), len(frame))
        found = score(Relations(), frame, frame.iloc[rows].reset_index(drop=True), schema=schema)
        values.append(found.value)
        raw.append(found.details["changed, with what chance changes"])
    assert np.mean(values) < 0.06 < 0.1 < np.mean(raw)


def test_what_is_weaker_everywhere_is_seen_though_no_pair_changes_beyond_chance(score):
    """A twentieth of the rows of each column is shuffled: a tenth of every relation is gone."""
    frame, schema = sm.datasets.load("fair").iloc[:1_500], sm.datasets.schema("fair")
    rng, released = np.random.default_rng(5), frame.copy()
    for name in frame:
        rows = np.flatnonzero(rng.random(len(frame)) < 0.05)
        released[name] = frame[name].to_numpy()
        released.loc[rows, name] = frame[name].to_numpy()[rng.permutation(rows)]
    found = score(Relations(), frame, released, schema=schema)
    assert found.value == found.details["weaker"] == pytest.approx(0.1, abs=0.02)
    assert found.details["changed beyond chance"] < found.value


def test_a_table_without_relations_has_none_to_lose(score, blind):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({name: rng.normal(size=20_000) for name in "abcde"})
    assert score(Relations(), frame, blind(frame)).value < 0.1


def test_a_relation_that_is_new_counts_as_well(score):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({name: rng.normal(size=2_000) for name in "abc"})
    assert score(Relations(), frame, frame.assign(b=frame["a"])).value == 1.0


def test_columns_that_were_not_masked_make_no_pair(score):
    frame, schema = people(500)
    kept = schema.assign(keep=[name for name in frame if name != "height"])
    assert score(Relations(), frame, frame, schema=kept).details["pairs"] == frame.shape[1] - 1


def test_a_change_that_two_digits_do_not_show_is_not_told_as_one(score):
    frame, schema = people(500)
    told = score(Relations(), frame, frame, schema=schema).sentence
    assert told.endswith("; no pair changes by more than 0.005.")


def test_three_kinds_of_pairs_by_hand(score):
    """x: 1 1 3 3, t: a a b b, s: c c d d all say the same (1); released, s says nothing (0)."""
    original = pd.DataFrame({"x": [1.0, 1.0, 3.0, 3.0], "t": list("aabb"), "s": list("ccdd")})
    schema = sm.Schema.infer(original).assign(numeric=["x"], nominal=["t", "s"])
    found = score(Associations(), original, original.assign(s=list("cdcd")), schema=schema)
    assert found.value == pytest.approx(2 / 3)
    mixed = found.details["mean change between a numeric and a nominal column"]
    assert mixed == pytest.approx(0.5)
    assert found.details["mean change between two nominal columns"] == pytest.approx(1.0)
    assert found.details["pairs"] == 3
    assert "two numeric columns" not in " ".join(found.details)


def test_numeric_tables_score_as_with_correlations_up_to_1_for_a_pair(score):
    from swapmeet.measures.utility.correlations import Correlations

    original = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 4.0]})
    for order, change in (([2, 1, 4, 3], 0.4), ([3, 4, 1, 2], 1.0)):
        released = original.assign(y=np.array(order, float))
        correlations = score(Correlations(), original, released).value
        assert score(Associations(), original, released).value == pytest.approx(change)
        assert min(correlations, 1.0) == pytest.approx(change)


def mixed(n=2_000, seed=0):
    """Men are taller, and smoke more often."""
    rng = np.random.default_rng(seed)
    male = rng.random(n) < 0.5
    frame = pd.DataFrame({
        "sex": np.where(male, "m", "f"),
        "height": 165 + 14 * male + rng.normal(0, 7, n),
        "smokes": np.where(rng.random(n) < np.where(male, 0.7, 0.2), "yes", "no"),
    })  # fmt: skip
    return frame, sm.Schema.infer(frame).assign(numeric=["height"], nominal=["sex", "smokes"])


def test_a_gap_between_groups_that_is_turned_round_is_seen(score):
    """η and V stay as they are; what they say is the opposite."""
    frame, schema = mixed()
    turned = frame.assign(sex=frame["sex"].map({"m": "f", "f": "m"}))
    found = score(Associations(), frame, turned, schema=schema)
    assert found.details["signed mean"] == pytest.approx(0.0, abs=0.01)
    # with sex, height turns round, which counts 1; with smoking it stays
    by_level = found.details["mean change between a numeric and a nominal column"]
    assert by_level == pytest.approx(0.5)
    assert found.details["mean change between two nominal columns"] > 0.9
    assert " to -0." in found.sentence


def test_levels_that_trade_names_are_seen_though_v_is_the_same():
    rng = np.random.default_rng(1)
    one = rng.integers(0, 4, 800).astype(np.int32)
    other = ((one + rng.integers(0, 2, 800)) % 4).astype(np.int32)
    before, after = (
        Crossed.of(one, 4, other, 4),
        Crossed.of(one, 4, (3 - other).astype(np.int32), 4),
    )
    v = before.v(corrected=False)
    assert after.v(corrected=False) == pytest.approx(v, rel=1e-9)
    assert before.shared(before) == pytest.approx(v**2, rel=1e-9)
    assert before.shared(after) < 0.2 * v**2


@given(
    codes=st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=1, max_size=40),
    order=st.permutations(range(40)),
)
def test_two_tables_share_no_more_than_either_has(codes, order):
    """Cauchy and Schwarz, for tables with empty levels and missing values."""
    one, other = np.array(codes, np.int32).T
    moved = other[np.array([place for place in order if place < len(other)])]
    before, after = Crossed.of(one, 4, other, 4), Crossed.of(one, 4, moved, 4)
    own = before.shared(before)
    assert own == pytest.approx(np.nan_to_num(before.v(corrected=False)) ** 2, abs=1e-9)
    if before.rows and after.rows:
        bound = np.sqrt(max(own, 0.0) * 3.0 * max(after.shared(after), 0.0)) + 1e-9
        assert abs(before.shared(after)) <= bound


def test_cramers_v_is_that_of_scipy():
    from scipy.stats.contingency import association

    rng = np.random.default_rng(0)
    one = rng.integers(0, 4, 500).astype(np.int32)
    other = ((one + rng.integers(0, 3, 500)) % 5).astype(np.int32)
    table = pd.crosstab(one, other).to_numpy()
    found = Crossed.of(one, 4, other, 5).v(corrected=False)
    assert found == pytest.approx(association(table, method="cramer"), rel=1e-12)
    wide = Crossed.of(one * 900, 3_601, other * 900, 3_601).v(corrected=False)
    assert wide == pytest.approx(found, rel=1e-12)


def test_the_correlation_ratio_is_the_root_of_r_squared_on_dummies():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, 300).astype(np.int32)
    values = codes % 3 + rng.normal(size=300)
    means = pd.Series(values).groupby(codes).transform("mean")
    expected = np.sqrt(means.var() / values.var(ddof=1))
    assert Grouped.of(codes, 5, values).ratio(corrected=False) == pytest.approx(expected)


def test_correction_takes_off_what_many_levels_feign():
    """40 levels in 200 rows: η² of pure noise is 39/199 on average, ε² is 0."""
    rng = np.random.default_rng(0)
    plain, fair, plain_v, fair_v = [], [], [], []
    for _ in range(50):
        codes, other = rng.integers(0, 40, (2, 200)).astype(np.int32)
        values = rng.normal(size=200)
        plain.append(Grouped.of(codes, 40, values).ratio(corrected=False))
        fair.append(Grouped.of(codes, 40, values).ratio(corrected=True))
        plain_v.append(Crossed.of(codes, 40, other, 40).v(corrected=False))
        fair_v.append(Crossed.of(codes, 40, other, 40).v(corrected=True))
    assert np.mean(np.square(plain)) == pytest.approx(39 / 199, abs=0.03)
    assert np.mean(fair) < 0.5 * np.mean(plain)
    assert np.mean(fair_v) < 0.25 * np.mean(plain_v)


def test_missing_values_pair_with_nothing():
    codes = np.array([0, 0, 1, 1, -1], np.int32)
    values = np.array([1.0, 1.0, 3.0, 3.0, 99.0])
    assert Grouped.of(codes, 2, values).ratio(corrected=False) == 1.0
    assert Crossed.of(codes, 2, np.array([1, 1, 0, 0, 1], np.int32), 2).v(corrected=False) == 1.0


def test_columns_that_never_repeat_are_left_out(score):
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0], "t": list("aab"), "name": ["p", "q", "r"]})
    schema = sm.Schema.infer(frame).assign(numeric=["x"], nominal=["t", "name"])
    assert score(Associations(), frame, frame, schema=schema).details["pairs"] == 1


def test_a_blind_release_of_real_people_loses_most(score, blind):
    frame, schema = sm.datasets.load("anes96"), sm.datasets.schema("anes96")
    found = score(Associations(), frame, blind(frame), schema=schema)
    assert found.value > 0.7 * found.details["mean before"]
