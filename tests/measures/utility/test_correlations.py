from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.utility.correlations import Correlations


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
