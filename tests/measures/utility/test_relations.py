from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.utility.relations import Relations


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
