"""Synthetic rows compete by the verdict's measures, and what is advised was measured in full."""

from __future__ import annotations

import pytest

import swapmeet as sm
from swapmeet.measures.default_limits import DEFAULT_LIMITS


@pytest.fixture(scope="module")
def study():
    people = sm.datasets.load("diabetes").iloc[:200]
    return sm.tune(
        people, ["cart:min_leaf=5|20", "matched-swap:k=10"], repeats=3, final_repeats=5, seed=1,
        workers=1,
    )  # fmt: skip


def test_synthetic_rows_have_a_score_and_limits_of_their_own(study):
    cart = [c for c in study.candidates if c.setting.name == "cart"]
    assert all(not c.owned for c in cart)
    assert all(0.0 <= c.median("score") <= 1.0 for c in cart)
    assert "left out" not in " ".join(study.choice.sentences)
    assert set(cart[0].fit_limits(DEFAULT_LIMITS)) == {
        "linkage", "copies", "inference", "membership",
    }  # fmt: skip
    (swap,) = [c for c in study.candidates if c.setting.name == "matched-swap"]
    assert swap.fit_limits(DEFAULT_LIMITS) == DEFAULT_LIMITS


def test_what_is_advised_was_measured_in_full(study):
    best = study.choice.best
    assert best is None or (best.checked and best.has("inference"))
    for candidate in study.candidates:
        if candidate.checked and candidate.keeps(study.limits):
            assert candidate.unfavourable("inference") <= 0.1


def test_limits_that_somebody_chose_count_for_all(study):
    cart = next(c for c in study.candidates if c.setting.name == "cart")
    assert cart.fit_limits({"dbrl": 0.1}) == {"dbrl": 0.1}
    assert not cart.keeps({"dbrl": 1.0}) or not cart.has("dbrl")
