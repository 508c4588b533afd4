"""Releases that the figures of the papers call safe, or nearly so, and what the verdict says.

The record of another release, a release that was sorted and `--match rows` of a shuffled file are
in tests/cli/test_assess_record.py.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.default_limits import DEFAULT_LIMITS

MONEY = ["income", "spending", "savings"]


@pytest.fixture(scope="module")
def whole_census(shared):
    return pd.read_csv(shared / "data" / "census.csv")


@pytest.fixture(scope="module")
def census(whole_census):
    """Without the weight: twelve amounts of money."""
    return whole_census.iloc[:, 1:]


@pytest.fixture(scope="module")
def households():
    """300 households of a survey: what neighbours know of them, and their money."""
    rng = np.random.default_rng(4)
    income = np.round(rng.lognormal(10.0, 0.6, 300))
    return pd.DataFrame(
        {
            "size": rng.integers(1, 7, 300),
            "age": rng.integers(18, 90, 300),
            "region": rng.choice(list("NESW"), 300),
            "tenure": rng.choice(["rents", "owns", "other"], 300, p=[0.5, 0.4, 0.1]),
            "income": income,
            "spending": np.round(income * rng.uniform(0.5, 1.0, 300)),
            "savings": np.round(income * rng.exponential(0.3, 300)),
        }
    )


@pytest.fixture
def judge(masked):
    """The card of a release, with dbrl and all that the default limits are on."""

    def judged(people, method, *, schema=None, seed=1, **options):
        schema = schema or sm.Schema.infer(people).assign(numeric=list(people))
        release = masked(people, method, schema=schema, seed=seed)
        measures = ["dbrl", "membership", *DEFAULT_LIMITS]
        return sm.assess(people, release, schema=schema, measures=measures, **options)

    return judged


def missed(card):
    """The limits that are missed, each with what was found."""
    assert card.verdict.default
    reasons = card.verdict.reasons
    assert card.verdict.safe is all(reason.met for reason in reasons)
    return {reason.measure: reason.finding for reason in reasons if not reason.met}


@pytest.mark.slow
def test_whole_records_of_one_neighbour_are_copies(census, judge):
    card = judge(census, sm.RWN(k=1, q=0.99))
    assert card["dbrl"].value < 0.01
    assert card["copies"].details["people whose record is released"] > 0.58 * len(census)
    assert set(missed(card)) == {"linkage", "copies", "inference"}
    assert card.verdict.sentence.startswith("Not safe to publish under the default limits: 9")
    assert "released rows are the whole record of a person who is unique" in card.verdict.sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "dbrl", "least", "most"),
    [
        (sm.RWN(k=10), 0.2, 0.98, 1.0),
        (sm.RWN(k=50), 0.1, 0.88, 0.98),
        (sm.RankSwap(window=0.2), 0.25, 0.66, 1.0),
    ],
    ids=["rwn-10", "rwn-50", "rank-swap"],
)
def test_whoever_knows_the_method_finds_most_people(census, judge, method, dbrl, least, most):
    card = judge(census, method)
    assert card["dbrl"].value < dbrl
    assert least <= card["linkage"].value <= most
    assert "of everybody, and how the table was masked, finds" in missed(card)["linkage"]


@pytest.mark.slow
def test_half_of_the_columns_finds_half_of_the_people(census, judge):
    card = judge(census, sm.RWN(k=10), known=list(census)[:6])
    assert card["dbrl"].value < 0.1
    assert 0.4 < card["linkage"].value < 0.65
    assert "knows 6 columns of everybody, and how the table was masked" in missed(card)["linkage"]


@pytest.mark.slow
def test_four_bins_leave_half_of_the_people_to_be_found(whole_census, judge):
    card = judge(whole_census, sm.SJPPDS(bins=4))
    assert card["dbrl"].value < 0.2
    assert card["linkage"].value == pytest.approx(0.48, abs=0.04)
    assert "(limit 20)" in missed(card)["linkage"]


@pytest.mark.slow
def test_columns_outside_the_swapping_set_find_everybody(census, judge):
    card = judge(census, sm.MEDS(k=5, columns=list(census)[:6]))
    assert "of the person sought finds 100 of 100 people" in missed(card)["linkage"]


@pytest.mark.slow
def test_leaves_of_one_row_publish_records(judge):
    people, schema = sm.datasets.load("fair"), sm.datasets.schema("fair")
    card = judge(people, sm.Cart(min_leaf=1), schema=schema)
    assert card["dbrl"].undefined
    assert card["copies"].value == pytest.approx(0.62, abs=0.02)
    assert {"copies", "inference", "membership"} <= set(missed(card))
    assert "of 6,366 released rows are the whole record" in card.verdict.sentence


def test_one_column_of_a_block_tells_the_others(households, judge):
    others = [name for name in households if name not in MONEY]
    schema = sm.Schema.infer(households).assign(numeric=MONEY, keep=others)
    method = sm.MEDS(k=10, columns=MONEY)
    card = judge(households, method, schema=schema, known=["spending"])
    assert card["dbrl"].value == 0.0
    assert card["linkage"].value > 0.95
    assert card["inference"].value > 0.9
    assert set(missed(card)) == {"linkage", "copies", "inference"}


def test_keys_that_stay_find_people_for_whoever_knows_no_more(households, judge):
    keys = ["size", "age", "region"]
    schema = sm.Schema.infer(households).assign(
        numeric=["size", "age"], nominal=["region", "tenure"], key=keys, sensitive=["tenure"],
        drop=MONEY,
    )  # fmt: skip
    card = judge(households, sm.KLTheta(k=5, l=2, theta=0.7), schema=schema)
    assert card["linkage"].details["by level"]["target"]["share"] > 0.8
    assert "an intruder who knows size, age and region" in missed(card)["linkage"]


@pytest.mark.parametrize("more", [[], ["size", "age", "income"]], ids=["alone", "with-three"])
def test_a_unique_column_that_was_kept_finds_everybody(households, judge, more):
    people = households.assign(plot=np.arange(300.0))
    schema = sm.Schema.infer(people).assign(
        numeric=["size", "age", *MONEY, "plot"], nominal=["region", "tenure"], keep=["plot"]
    )
    card = judge(people, sm.RWN(k=20), schema=schema, known=["plot", *more])
    assert "of the person sought finds 100 of 100 people (limit 20)" in missed(card)["linkage"]
    assert any(
        "plot is published unmasked, and an intruder knows it" in advice
        for advice in card.verdict.advice
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "figure", "kept"),
    [
        (sm.Microaggregation(k=5), 0.20, False),
        (sm.Microaggregation(k=10, permute=True), 0.10, True),
    ],
    ids=["means-of-5", "permuted-in-10"],
)
def test_groups_hide_people_as_they_say(census, judge, method, figure, kept):
    card = judge(census, method)
    assert card["linkage"].value == pytest.approx(figure, abs=0.03)
    assert ("linkage" not in missed(card)) is kept
