from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from swapmeet.measures.utility.cbil import CBIL


@pytest.mark.parametrize(
    ("name", "by", "k", "printed"),
    [
        ("census", "mdav", 5, 1.223804e-3),
        ("census", "pca", 2, 3.704366e-2),
        ("census", "pppca", 2, 2.107202e-2),
        ("tarragona", "mdav", 9, 5.894210e-3),
        ("tarragona", "pca", 7, 1.105832e-2),
        ("tarragona", "pppca", 2, 4.005678e-3),
    ],
)
def test_table_a1_of_the_sjppds_paper_to_seven_digits(
    score, golden, aggregated, name, by, k, printed
):
    original = golden(name).original
    found = score(CBIL(), original, aggregated(original, by, k))
    assert f"{found.value:.6e}" == f"{printed:.6e}"


def test_two_axes_that_trade_places_by_hand():
    """Variances 3 and 1 are shares 3/4, 1/4; traded, Σ(difference)² = 1/2 against 1/8: capped."""
    from swapmeet.measures.utility.cbil import _loss

    assert _loss(np.diag([3.0, 1.0]), np.diag([1.0, 3.0])) == (1.0, 0.75)


def test_a_small_shift_between_axes_by_hand():
    """Shares 3/4, 1/4 become 5/8, 3/8: 2/64 against 2/16."""
    from swapmeet.measures.utility.cbil import _loss

    value, share = _loss(np.diag([3.0, 1.0]), np.diag([5.0, 3.0]))
    assert value == pytest.approx(0.25)
    assert share == 0.75


def test_equal_spread_in_all_directions_is_kept_or_lost():
    from swapmeet.measures.utility.cbil import _loss

    assert _loss(np.eye(3), 5.0 * np.eye(3))[0] == 0.0
    assert _loss(np.eye(3), np.diag([2.0, 1.0, 1.0]))[0] == 1.0


def test_one_scale_for_all_columns_does_not_matter_but_columns_of_large_numbers_decide(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 3)) * [1.0, 1.0, 1e6], columns=list("abc"))
    release = frame.assign(a=rng.permutation(frame["a"]), b=2.0 * frame["b"])
    scores = [score(CBIL(), factor * frame, factor * release) for factor in (1.0, 1e-9, 1e12)]
    assert scores[0].value == pytest.approx(scores[1].value, rel=1e-6, abs=1e-20)
    assert scores[0].value == pytest.approx(scores[2].value, rel=1e-6, abs=1e-20)
    assert scores[0].value < 1e-10
    shifted = frame.assign(b=frame["b"] + 3.0 * frame["a"])
    assert score(CBIL(), frame, shifted).details["for standardised columns"] > 0.05


def test_a_release_without_any_spread_has_lost_everything(score):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 3)), columns=list("abc"))
    flat = frame * 0.0 + frame.mean()
    assert score(CBIL(), frame, flat).value == 1.0


def test_one_column_has_no_directions(score):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    assert "needs 2 columns" in score(CBIL(), frame, frame).undefined
