from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.measures.side_by_side.distribution import compare_distribution

MISSING = st.just(None)
NUMBERS = st.floats(-1e9, 1e9) | st.integers(0, 9).map(float) | MISSING
LEVELS = st.sampled_from(["Xanadu", "Ys", "Zion", "Lyonesse"]) | MISSING


def tables(values):
    """Two columns of the same length, the first of which has a value."""
    rows = st.lists(st.tuples(values, values), min_size=1, max_size=150)
    return rows.filter(lambda rows: any(row[0] is not None for row in rows))


def as_frames(rows, kind):
    return [pd.DataFrame({"x": pd.Series(side, dtype=kind)}) for side in zip(*rows, strict=True)]


def both(found):
    return np.array([found.original, found.released])


def assert_tells_of_nobody(found, n, least):
    counts = both(found)
    assert not ((counts > 0) & (counts < least)).any()
    if n >= least:
        assert counts.sum(axis=1).tolist() == [n, n]
    else:
        assert counts.size == 0
    assert len(found.labels) == counts.shape[1]


@given(rows=tables(NUMBERS), least=st.integers(2, 12))
def test_bins_of_numbers_tell_of_nobody(compared, rows, least):
    one, other = as_frames(rows, "float64")
    schema = sm.Schema((sm.Column("x", "numeric"),))
    found = compare_distribution(compared(one, other, schema), "x", least=least)
    assert_tells_of_nobody(found, len(rows), least)
    values = pd.concat([one["x"], other["x"]]).dropna()
    assert all(values.min() < edge <= values.max() for edge in found.edges)
    assert all(edge == float(f"{edge:.4g}") for edge in found.edges)
    if found.original:
        assert len(found.original) - len(found.edges) in {1, 2}


@given(rows=tables(LEVELS), least=st.integers(2, 12))
def test_groups_of_levels_tell_of_nobody_and_name_none(compared, rows, least):
    one, other = as_frames(rows, "str")
    schema = sm.Schema((sm.Column("x", "nominal"),))
    found = compare_distribution(compared(one, other, schema), "x", least=least)
    assert_tells_of_nobody(found, len(rows), least)
    assert found.edges is None
    named = {"others", "missing", "others or missing"}
    ranks = {"1st", "2nd", "3rd", "4th"}
    assert set(found.labels) <= ranks | named


def numbers(*groups):
    return pd.DataFrame({"x": np.concatenate([np.full(n, v, float) for v, n in groups])})


def test_counts_are_those_of_the_rows_between_the_edges(compared):
    rng = np.random.default_rng(3)
    one, other = (pd.DataFrame({"x": rng.normal(50, 12, 800)}) for _ in range(2))
    found = compare_distribution(compared(one, other), "x")
    outer = [-np.inf, *found.edges, np.inf]
    assert len(found.edges) > 8
    for counts, frame in ((found.original, one), (found.released, other)):
        assert list(counts) == np.histogram(frame["x"], outer)[0].tolist()


def test_whole_numbers_by_hand(compared):
    """Ones 30, twos 4, threes 40 before: the twos join the ones, whose bin has fewer rows."""
    one, other = numbers((1, 30), (2, 4), (3, 40)), numbers((1, 20), (2, 12), (3, 42))
    found = compare_distribution(compared(one, other), "x")
    assert found.edges == (3.0,)
    assert found.labels == ("2 or less", "3 or more")
    assert (found.original, found.released) == ((34, 40), (32, 42))
    assert found.whole


def test_levels_by_hand(compared):
    """b is the most frequent; d is rare after, and what is pooled takes c along to be enough."""
    one = pd.DataFrame({"x": ["a"] * 20 + ["b"] * 40 + ["c"] * 11 + ["d"] * 10})
    other = pd.DataFrame({"x": ["a"] * 30 + ["b"] * 30 + ["c"] * 16 + ["d"] * 5})
    found = compare_distribution(compared(one, other), "x")
    assert found.labels == ("1st", "2nd", "others")
    assert (found.original, found.released) == ((40, 20, 21), (30, 30, 21))


def test_many_missing_values_are_a_group_and_few_go_with_the_last(compared):
    frame = numbers((1, 30), (2, 30), (3, 30))
    many, few = frame.copy(), frame.copy()
    many.loc[:11, "x"] = np.nan
    few.loc[:3, "x"] = np.nan
    apart = compare_distribution(compared(many, many), "x")
    assert (apart.labels[-1], apart.original[-1]) == ("missing", 12)
    pooled = compare_distribution(compared(few, many), "x")
    assert pooled.labels[-1] == "3 or more or missing"
    assert (pooled.original[-1], pooled.released[-1]) == (34, 42)


def test_a_release_of_missing_values_only(compared):
    frame = numbers((1, 30), (2, 30))
    found = compare_distribution(compared(frame, frame.assign(x=np.nan)), "x")
    assert found.labels == ("1 or less", "2 or more", "missing")
    assert found.released == (0, 0, 60)


@pytest.mark.parametrize("values", [[7.0] * 50, list(1e9 + np.arange(50.0))])
def test_one_bin_where_values_do_not_vary_or_edges_would_be_long(compared, values):
    frame = pd.DataFrame({"x": values})
    schema = sm.Schema((sm.Column("x", "numeric"),))
    found = compare_distribution(compared(frame, frame, schema), "x")
    assert (found.edges, found.labels, found.original) == ((), ("any value",), (50,))


def test_extreme_values_do_not_show(compared):
    frame = pd.DataFrame({"x": np.append(np.random.default_rng(1).normal(0, 1, 500), 87654.3)})
    found = compare_distribution(compared(frame, frame), "x")
    assert max(found.edges) < 3.0
    assert "87" not in str(found.to_dict())


def test_order_of_rows_and_of_levels_does_not_matter(compared):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.choice(list("abcde"), 300, p=[0.4, 0.3, 0.2, 0.08, 0.02])})
    again = frame.sample(frac=1.0, random_state=1).reset_index(drop=True)
    assert compare_distribution(compared(frame, frame), "x") == compare_distribution(
        compared(again, again), "x"
    )


def test_a_code_is_not_taken_for_a_rank(compared):
    """Code 2 is the most frequent: it is called the first, not "1", which is another code."""
    frame = pd.DataFrame({"x": ["1"] * 20 + ["2"] * 40})
    schema = sm.Schema((sm.Column("x", "nominal"),))
    found = compare_distribution(compared(frame, frame, schema), "x")
    assert found.labels == ("1st", "2nd")
    assert found.original == (40, 20)


def test_years_have_no_commas(compared):
    frame = pd.DataFrame({"x": np.repeat(np.arange(1921, 2006), 12)})
    found = compare_distribution(compared(frame, frame), "x")
    assert found.labels[1] == "1925 to 1929"
    assert not any("," in label for label in found.labels)


def test_large_numbers_have_commas(compared):
    frame = pd.DataFrame({"x": np.repeat(np.arange(12_000.0, 30_000.0, 1_000.0), 12)})
    assert compare_distribution(compared(frame, frame), "x").labels[0] == "12,999 or less"


def test_dates_are_counted_by_the_calendar(compared):
    days = pd.date_range("2001-03-01", periods=6000, freq="D")
    for unit in ("s", "ns"):
        frame = pd.DataFrame({"x": days.as_unit(unit)})
        found = compare_distribution(compared(frame, frame), "x")
        assert found.labels[:2] == ("before 2002", "2002 to before 2003")
        assert found.original[1] == 365
        assert sum(found.original) == 6000


def test_numbers_over_many_decades_have_bins_that_grow_by_ratios(compared):
    values = np.random.default_rng(1).lognormal(10.0, 2.0, 2_000)
    found = compare_distribution(*_twice(compared, values))
    assert found.by_ratio
    assert max(found.original) < 600
    even = compare_distribution(*_twice(compared, np.append(values, 0.0)))
    assert not even.by_ratio


def _twice(compared, values):
    frame = pd.DataFrame({"x": values})
    return compared(frame, frame), "x"


def test_values_of_categories_are_there_for_pictures_and_nowhere_else(compared):
    one = pd.DataFrame({"x": ["Ys"] * 40 + ["Zion"] * 20 + ["Lyonesse"] * 3 + [None] * 15})
    schema = sm.Schema((sm.Column("x", "nominal"),))
    found = compare_distribution(compared(one, one, schema), "x")
    assert found.labels == ("1st", "others", "missing")
    assert found.names == ("Ys", "others", "missing")
    assert "Ys" not in repr(found)
    assert "Ys" not in str(found.to_dict())
    assert found.coarse().names == ()


def test_codes_are_named_as_they_are_written(compared):
    one = pd.DataFrame({"x": [2.0] * 40 + [-9.0] * 20 + [1.5] * 15})
    schema = sm.Schema((sm.Column("x", "nominal"),))
    assert compare_distribution(compared(one, one, schema), "x").names == ("2", "-9", "1.5")


def test_rare_categories_have_no_name(compared):
    one = pd.DataFrame({"x": ["Ys"] * 40 + ["Zion"] * 20 + ["Lyonesse"] * 9 + ["Xanadu"] * 2})
    schema = sm.Schema((sm.Column("x", "nominal"),))
    names = compare_distribution(compared(one, one, schema), "x").names
    assert names == ("Ys", "Zion", "others")


def test_misplaced_rows_are_the_least_that_would_have_to_change_group(compared):
    one, other = numbers((1, 50), (2, 50)), numbers((1, 40), (2, 60))
    assert compare_distribution(compared(one, other), "x").misplaced == pytest.approx(0.1)
    assert compare_distribution(compared(one, one), "x").misplaced == 0.0
