from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.utility.ties import BrokenTies
from swapmeet.testing import check_measure

RNG = np.random.default_rng(29)


def companies(n=800):
    """Two amounts, and a total that was rounded apart from them."""
    raw = RNG.lognormal(6.0, 1.0, (n, 2))
    frame = pd.DataFrame(raw, columns=["home", "export"])
    return frame.assign(turnover=frame.sum(axis=1)).round().astype(int)


def persons(n=1_000):
    """Ages with their groups, a few of them wrong, and stays in hospital."""
    age = RNG.integers(0, 90, n)
    group = age // 15
    group[RNG.choice(n, 5, replace=False)] = 0
    admitted = pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 300, n), "D")
    stay = pd.to_timedelta(RNG.geometric(0.2, n), "D")
    return pd.DataFrame({
        "age": age, "group": [f"g{g}" for g in group],
        "admitted": admitted, "discharged": admitted + stay,
    })  # fmt: skip


def test_a_sum_that_is_half_broken_beyond_chance_is_half_lost(score):
    """In 1,000 rows total = a + b; in 400 of the release it does not. By chance it holds in 1 %."""
    frame = pd.DataFrame(RNG.integers(0, 50, (1_000, 2)), columns=["a", "b"])
    frame["total"] = frame["a"] + frame["b"]
    released = frame.assign(total=frame["total"] + (np.arange(1_000) < 400))
    found = score(BrokenTies(), frame, released)
    assert found.details["hold in the release"] == [0.6]
    (chance,) = found.details["by chance"]
    assert found.value == pytest.approx(0.4 / (1.0 - chance))
    assert (
        "total = a + b, true in 100 % of the rows, holds in 60.0 % of the release" in found.sentence
    )


@pytest.mark.parametrize("make", [companies, persons])
def test_an_unchanged_release_lost_nothing_and_a_shuffled_one_all(score, blind, make):
    frame = make()
    schema = sm.Schema.infer(frame)
    assert score(BrokenTies(), frame, frame, schema=schema).value == 0.0
    lost = score(BrokenTies(), frame, blind(frame), schema=schema)
    assert lost.value == pytest.approx(1.0, abs=0.1)


def test_what_is_rounded_or_has_exceptions_counts_as_often_as_it_held(score):
    frame = companies()
    held = score(BrokenTies(), frame, frame).details["held in the original"]
    assert held == [1.0]
    frame.loc[:39, "turnover"] += 500
    held = score(BrokenTies(), frame, frame).details["held in the original"]
    assert held == [0.95]


def test_a_release_that_derives_again_what_followed_lost_nothing(score):
    frame = companies()
    told = sm.inspect(frame).findings
    derive = [one.options[1] for one in told if one.options[:1] == ("--derive",)]
    apart = sm.mask(frame, sm.MatchedSwap(k=5), seed=1)
    kept = sm.mask(frame, sm.MatchedSwap(k=5), derive=derive, seed=1)
    assert score(BrokenTies(), frame, apart.data).value > 0.5
    assert score(BrokenTies(), frame, kept.data, schema=kept.schema).value < 0.02


def test_each_kind_of_tie_is_named_in_words(score):
    frame = persons()
    found = score(BrokenTies(), frame, frame, schema=sm.Schema.infer(frame))
    assert found.details["ties"] == ["admitted <= discharged", "group follows from age"]


def test_where_nothing_is_tied_the_measure_is_not_defined(score):
    frame = pd.DataFrame(RNG.normal(size=(200, 3)), columns=list("abc"))
    found = score(BrokenTies(), frame, frame)
    assert found.undefined == "no column follows from others, and no dates are in order"
    assert not found.applies


def test_values_that_are_gone_keep_no_tie(score):
    frame = companies().astype("float")
    gone = frame.assign(turnover=np.nan)
    assert score(BrokenTies(), frame, gone).value == 1.0


def test_noise_in_the_ages_leaves_the_groups_that_follow(score):
    frame = persons()[["age", "group"]].assign(age=lambda f: f["age"].astype(float))
    schema = sm.Schema.infer(frame)
    near = frame.assign(age=frame["age"] + 0.3)
    assert score(BrokenTies(), frame, near, schema=schema).value == 0.0


@pytest.mark.slow
def test_the_measure_keeps_the_contract():
    check_measure(BrokenTies())
