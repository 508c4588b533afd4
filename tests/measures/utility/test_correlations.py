from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.utility.correlations import CBIL, Correlations, Loadings


def test_one_correlation_by_hand(score):
    """From 1 to -1/2: changed by 1.5, and weaker by a half."""
    original = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.0]})
    found = score(Correlations(), original, original.assign(y=[2.0, 3.0, 1.0]))
    assert found.value == pytest.approx(1.5)
    assert found.details["signed mean"] == pytest.approx(-0.5)
    assert found.details["largest change"] == pytest.approx(1.5)
    assert found.details["between"] == "x and y"
    assert "weaker" in found.sentence


def test_a_blind_release_loses_all_there_was(score, blind):
    """Mean |r| of the original, up to the noise of 2,000 rows: sd 1/√2000 = 0.022 for each r."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(2_000, 4)) @ rng.normal(size=(4, 4))
    frame = pd.DataFrame(values, columns=list("abcd"))
    found = score(Correlations(), frame, blind(frame))
    assert found.value == pytest.approx(found.details["mean size before"], abs=0.05)
    assert found.details["signed mean"] == pytest.approx(-found.value, abs=0.03)


@pytest.mark.parametrize("name", ["census", "tarragona", "bodyfat"])
@pytest.mark.parametrize("aggr", [3, 5, 10])
def test_eigenvalues_and_inverses_of_sdcmicro(score, golden, name, aggr):
    pair = golden(name, aggr=aggr)
    details = score(Correlations(), pair.original, pair.released).details
    assert details["eigen (sdcMicro)"] == pytest.approx(pair.figures["dUtility_eigen"], rel=1e-8)
    assert details["IL_correl (sdcMicro)"] == pytest.approx(pair.figures["IL_correl"], rel=1e-8)


@pytest.mark.parametrize(("k", "row"), [(2, 0), (3, 1), (5, 3)])
def test_figure_11_of_the_rwn_paper_for_mdav(score, shared, bodyfat, aggregated, k, row):
    curve = pd.read_csv(shared / "reference" / "rwn" / "bodyfat_mdav_curves.csv")
    assert curve["k"][row] == k
    found = score(Correlations(), bodyfat, aggregated(bodyfat, "mdav", k))
    assert found.value == pytest.approx(curve["IL1"][row], rel=1e-10)
    assert "stronger" in found.sentence


def test_only_rows_with_both_values_count(score):
    """In the first three rows x and y agree; the fourth would spoil it."""
    original = pd.DataFrame({"x": [1.0, 2.0, 3.0, 9.0], "y": [1.0, 2.0, 3.0, np.nan]})
    released = pd.DataFrame({"x": [1.0, 2.0, 3.0, np.nan], "y": [3.0, 2.0, 1.0, 9.0]})
    found = score(Correlations(), original, released)
    assert found.value == pytest.approx(2.0)
    assert found.details["fewest rows of a pair"] == 3


def test_a_column_that_is_suppressed_or_flattened_has_lost_its_correlations(score):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [2.0, 4.0, 6.0, 8.0]})
    gone = frame.assign(y=[np.nan] * 4)
    flat = frame.assign(y=5.0)
    for release in (gone, flat):
        found = score(Correlations(), frame, release)
        assert found.value == pytest.approx(1.0)
        assert found.details["columns constant in the release"] == ["y"]


def test_constant_columns_are_left_out_and_named(score):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 3.0, 2.0], "z": [7.0, 7.0, 7.0]})
    found = score(Correlations(), frame, frame)
    assert found.details["pairs"] == 1
    assert found.details["constant columns"] == ["z"]


def test_two_columns_that_are_kept_make_no_pair(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, 3)), columns=list("xyz"))
    schema = sm.Schema.infer(frame).assign(keep=["y", "z"])
    release = frame.assign(x=rng.permutation(frame["x"]))
    assert score(Correlations(), frame, release, schema=schema).details["pairs"] == 2


@pytest.mark.parametrize("bad", [np.inf, -1e200])
def test_infinite_values_are_named_by_column(score, bad):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 3.0, bad]})
    assert score(Correlations(), frame, frame).undefined.endswith("in y")


def test_numbers_of_any_size_have_the_same_correlations(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("xyz"))
    release = frame + rng.normal(size=frame.shape)
    expected = score(Correlations(), frame, release).value
    for scale in (1e-300, 1e140):
        found = score(Correlations(), scale * frame, scale * release).value
        assert found == pytest.approx(expected, rel=1e-9)


def test_of_an_unchanged_release_no_pair_is_said_to_change_most():
    people = pd.DataFrame({"a": [1.0, 2.0, 3.0, 5.0], "b": [2.0, 1.0, 4.0, 6.0]})
    card = sm.assess(people, people, measures=["correlations"], match="rows")
    assert card["correlations"].sentence == (
        "No correlation of two columns changes by 0.005 or more; their mean size is 0.90."
    )


@pytest.mark.parametrize(("k", "row"), [(2, 0), (3, 1), (5, 3)])
def test_figure_13_of_the_rwn_paper_for_mdav(score, shared, bodyfat, aggregated, k, row):
    curve = pd.read_csv(shared / "reference" / "rwn" / "bodyfat_mdav_curves.csv")
    assert curve["k"][row] == k
    found = score(Loadings(), bodyfat, aggregated(bodyfat, "mdav", k))
    expected = [curve["IL2a"][row], curve["IL2b"][row]]
    assert found.details["change per component"] == pytest.approx(expected, rel=1e-9)
    assert found.value == pytest.approx(np.mean(expected), rel=1e-9)


def test_two_columns_by_hand(score):
    """Two correlated columns load (1, 1)/√2 on the first component and (1, -1)/√2 on the second.

    With the sign of the correlation reversed the two trade places: half of the loadings differ by
    2/√2, whichever sign is taken.
    """
    original = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 4.0, 3.0]})
    reversed_ = original.assign(y=-original["y"])
    found = score(Loadings(), original, reversed_)
    assert found.details["change per component"] == pytest.approx([1 / np.sqrt(2)] * 2)
    assert found.details["explained before"] == pytest.approx([0.9, 0.1])
    assert score(Loadings(), original, -original).value == pytest.approx(0.0, abs=1e-15)


def test_components_beyond_the_columns_are_not_asked_for(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("xyz"))
    found = score(Loadings(components=9), frame, frame)
    assert len(found.details["change per component"]) == 3
    assert found.value == 0.0


def test_columns_that_never_meet_have_no_components(score):
    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan, np.nan], "y": [np.nan, np.nan, 1.0, 2.0]})
    assert "no values in the same rows" in score(Loadings(), frame, frame).undefined


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
    from swapmeet.measures.utility.correlations import _loss

    assert _loss(np.diag([3.0, 1.0]), np.diag([1.0, 3.0])) == (1.0, 0.75)


def test_a_small_shift_between_axes_by_hand():
    """Shares 3/4, 1/4 become 5/8, 3/8: 2/64 against 2/16."""
    from swapmeet.measures.utility.correlations import _loss

    value, share = _loss(np.diag([3.0, 1.0]), np.diag([5.0, 3.0]))
    assert value == pytest.approx(0.25)
    assert share == 0.75


def test_equal_spread_in_all_directions_is_kept_or_lost():
    from swapmeet.measures.utility.correlations import _loss

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
