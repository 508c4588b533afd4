from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import swapmeet as sm
from swapmeet.algorithms.groups.cells import (
    cells_of,
    depths_of,
    equi_width_privacy,
    minimal_depth,
    places_of,
)
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.errors import ParameterError, SchemaError, UsageError
from swapmeet.methods.mews import MEWS, ProposedWidth, candidate_widths, candidates
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Column

EXAMPLES = [
    sm.MEWS(bins=2),
    sm.MEWS(columns=["income", "age"], bins={"income": 8, "age": 4}),
    sm.MEWS(columns=["age"], width=20.0),
    sm.MEWS(columns=["income"], rest="swap"),
]
"""For the contract of all methods."""


def schema_of(frame, **roles):
    return sm.Schema(tuple(Column(name, "numeric") for name in frame)).assign(**roles)


def microdata(frame, **roles):
    return Microdata.of(Table(frame), schema_of(frame, **roles))


def outcome(frame, method, seed=1, **roles):
    data = microdata(frame, **roles)
    method.check(data)
    return method.outcome(data, Seed.chosen_by_user(seed).within("test"), Workers(1))


def matrix(frame, method, seed=1, **roles):
    return outcome(frame, method, seed, **roles).donors.matrix


def frame_of(n, p=3, seed=1):
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(n, p)), columns=list("xyzuvw")[:p])


# by hand


NAMES = "names a row's partner with a probability of up to"
EIGHT = pd.DataFrame(
    {"age": [20, 21, 29, 22, 28, 40, 40, 31], "pay": [10, 11, 19, 12, 11, 90, 91, 95]}
)
"""In tens of years and of pay: rows 0, 1, 3 share a cell, 2 and 4 do, 5 and 6 do, 7 is alone."""


def test_rows_of_a_cell_trade_in_pairs_and_in_all_columns_together():
    found = outcome(EIGHT, MEWS(width={"age": 7.0, "pay": 43.0}))
    donors = found.donors.matrix
    assert np.array_equal(donors[:, 0], donors[:, 1])
    assert donors[[2, 4, 5, 6], 0].tolist() == [4, 2, 6, 5]
    assert donors[7, 0] == 7
    assert sorted(donors[[0, 1, 3], 0]) == [0, 1, 3]
    assert (donors[[0, 1, 3], 0] != [0, 1, 3]).sum() == 2


def test_rows_that_keep_their_values_are_listed_and_counted():
    found = outcome(EIGHT, MEWS(width={"age": 7.0, "pay": 43.0}))
    odd = next(row for row in (0, 1, 3) if found.donors.matrix[row, 0] == row)
    assert {name: rows.tolist() for name, rows in found.stuck.items()} == {
        "age": sorted([odd, 7]),
        "pay": sorted([odd, 7]),
    }
    assert found.facts == (
        f"partition degree 4, minimal depth 1: an intruder who knows the cells {NAMES} 1.",
        (
            "1 of 8 rows is alone in a cell and 1 is left over by the pairing; these keep "
            "their values."
        ),
    )
    assert found.notes == ()


def test_one_cell_for_all_is_swapping_without_a_limit():
    donors = matrix(frame_of(100), MEWS(bins=1))
    assert (donors != np.arange(100)[:, None]).all()
    assert (donors[donors[:, 0], 0] == np.arange(100)).all()


def test_ten_bins_are_the_default():
    frame = frame_of(300)
    assert np.array_equal(matrix(frame, MEWS()), matrix(frame, MEWS(bins=10)))
    assert not np.array_equal(matrix(frame, MEWS()), matrix(frame, MEWS(bins=5)))


def test_bins_are_widths_of_the_range():
    frame = pd.DataFrame({"x": np.random.default_rng(1).permutation(101) / 10})
    assert np.array_equal(matrix(frame, MEWS(bins=5)), matrix(frame, MEWS(width=2.0)))


# what holds of every release


def test_no_value_moves_farther_than_the_width(masked):
    frame = sm.datasets.load("diabetes")
    release = masked(frame, MEWS(columns=["bmi", "bp"], width={"bmi": 4.0, "bp": 12.0}), seed=1)
    for name, width in (("bmi", 4.0), ("bp", 12.0)):
        moved = np.abs(release.data[name] - frame[name])
        assert 0 < moved.max() <= width * (1 + 1e-8)
    others = frame.columns.drop(["bmi", "bp"])
    assert release.data[others].equals(frame[others])


def test_relations_inside_the_swapping_set_stay_exactly_as_they_were(masked):
    frame = sm.datasets.load("diabetes").drop(columns="sex")
    released = masked(frame, MEWS(bins=3), seed=1).data
    assert not released.equals(frame)
    order = list(frame.columns)
    assert released.sort_values(order, ignore_index=True).equals(
        frame.sort_values(order, ignore_index=True)
    )


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-3, 3)),
            st.one_of(st.none(), st.floats(0, 1, width=16)),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 6),
    st.sampled_from(["keep", "swap"]),
)
def test_partners_share_cell_stratum_and_what_they_miss(rows, bins, rest):
    frame = pd.DataFrame(rows, columns=["x", "y", "s"]).astype(float)
    frame["z"] = np.arange(len(frame), dtype=float)
    found = outcome(frame, MEWS(columns=["x", "y"], bins=bins, rest=rest), strata=["s"])
    donors = found.donors.matrix
    own = np.arange(len(frame))
    assert np.array_equal(donors[:, 0], donors[:, 1])
    assert np.array_equal(donors[donors[:, 0], 0], own)
    assert np.array_equal(donors[donors[:, 2], 2], own)
    given_ = frame.to_numpy()[donors[:, 0]]
    assert np.array_equal(given_[:, 2], frame["s"])
    for column, name in enumerate("xy"):
        before, after = frame[name].to_numpy(), given_[:, column]
        assert np.array_equal(np.isnan(before), np.isnan(after))
        limit = (np.nanmax(before) - np.nanmin(before)) / bins if (~np.isnan(before)).any() else 0
        assert (np.abs(after - before)[~np.isnan(before)] <= limit * (1 + 1e-8)).all()
        stays = np.flatnonzero((donors[:, 0] == own) & ~np.isnan(before))
        assert found.stuck.get(name, np.array([])).tolist() == stays.tolist()
    assert (rest == "swap") or np.array_equal(donors[:, 2], own)
    missing = frame[["x", "y"]].isna().all(axis=1).to_numpy()
    assert (donors[missing, 0] == own[missing]).all()


def test_infinite_values_are_refused():
    frame = pd.DataFrame({"x": [1.0, np.inf, -np.inf, 2.0], "y": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(SchemaError, match="column 'x' holds 2 infinite values"):
        matrix(frame, MEWS())
    assert matrix(frame, MEWS(columns=["y"], bins=1)).shape == (4, 2)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows(n):
    donors = matrix(pd.DataFrame({"x": [5.0] * n}), MEWS())
    assert (donors[:, 0] != np.arange(n)).sum() == n // 2 * 2


# randomness


@pytest.mark.slow
def test_every_pairing_of_a_cell_is_as_likely():
    """Four rows can be paired in three ways; 3,000 seeds, an error rate of one in a million."""
    frame = pd.DataFrame({"x": [1.0, 1.0, 1.0, 1.0]})
    ways = Counter(tuple(matrix(frame, MEWS(), seed)[:, 0]) for seed in range(3_000))
    assert set(ways) == {(1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)}
    assert chisquare(list(ways.values())).pvalue > 1e-6


@pytest.mark.slow
def test_every_row_is_as_likely_to_be_the_odd_one_out():
    """Five rows; 3,000 seeds, an error rate of one in a million."""
    frame = pd.DataFrame({"x": [1.0] * 5})
    odd = Counter(
        int(np.flatnonzero(matrix(frame, MEWS(), seed)[:, 0] == np.arange(5)).item())
        for seed in range(3_000)
    )
    assert len(odd) == 5
    assert chisquare(list(odd.values())).pvalue > 1e-6


# the rest


def test_the_rest_is_kept_and_said_to_be():
    found = outcome(frame_of(50), MEWS(columns=["x"], bins=2))
    assert np.array_equal(found.donors.matrix[:, 1], np.arange(50))
    assert len(found.notes) == 1
    assert found.notes[0].startswith("not in the swapping set, and left as they are: y, z. ")


def test_the_rest_is_swapped_column_by_column():
    frame = frame_of(400)
    found = outcome(frame, MEWS(columns=["x"], bins=4, rest="swap"))
    donors = found.donors.matrix
    assert found.notes == ()
    assert (donors[:, 1] != donors[:, 2]).mean() > 0.9
    for column, name in enumerate(frame):
        values = frame[name].to_numpy()
        far = np.abs(values[donors[:, column]] - values)
        assert far.max() <= np.ptp(values) / 4 * (1 + 1e-8)
        assert set(found.stuck.get(name, [])) == set(
            np.flatnonzero(donors[:, column] == np.arange(400))
        )


# kinds and names


def test_nominal_columns_are_refused_only_where_they_would_be_swapped(masked):
    frame = pd.DataFrame({"x": np.arange(20.0), "town": list("ab") * 10})
    with pytest.raises(SchemaError, match="mews cannot mask 'town', a nominal column"):
        sm.mask(frame, MEWS(columns=["town"]), seed=1)
    with pytest.raises(SchemaError, match="mews cannot mask 'town', a nominal column"):
        sm.mask(frame, MEWS(rest="swap"), seed=1)
    with pytest.raises(SchemaError, match="mews cannot mask 'town', a nominal column"):
        sm.mask(frame[["town"]], MEWS(), seed=1)
    release = masked(frame, MEWS(bins=2), seed=1)
    assert release.data["town"].equals(frame["town"])
    assert not release.data["x"].equals(frame["x"])


def test_ordered_categories_and_dates_can_be_swapped(masked):
    grades = pd.Categorical.from_codes(np.arange(60) % 4, list("dcba"), ordered=True)
    since = pd.Timestamp("2001-01-01") + pd.to_timedelta(np.arange(60) * 7, "D")
    frame = pd.DataFrame({"grade": grades, "since": since})
    release = masked(frame, MEWS(bins={"grade": 2, "since": 3}), seed=1)
    assert release.data.dtypes.equals(frame.dtypes)
    assert (np.abs(release.data["grade"].cat.codes - frame["grade"].cat.codes) <= 1).all()
    assert (np.abs(release.data["since"] - frame["since"]) <= pd.Timedelta(days=140)).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"columns": ["x", "yy"]}, "`columns`: 'yy' is not a masked column; did you mean"),
        ({"width": {"xx": 1.0}}, "`width`: 'xx' is not a masked column; did you mean"),
        ({"bins": {"x": 1, "nobody": 1}}, "`bins`: 'nobody' is not a masked column."),
        ({"bins": {"x": 3}}, "`bins` must name all columns that are swapped; it leaves out y, z."),
        ({"width": 1e-300}, "the intervals of 'x' are too narrow to be told apart"),
        ({"bins": 10**17}, "the intervals of 'x' are too narrow to be told apart"),
    ],
)
def test_wrong_names_and_widths_are_refused_before_any_work(settings, message):
    with pytest.raises(SchemaError) as error:
        MEWS(**settings).check(microdata(frame_of(20)))
    assert message in str(error.value)


def test_width_and_bins_exclude_each_other():
    with pytest.raises(ParameterError, match="give `width` or `bins`, not both"):
        MEWS(width=1.0, bins=3)
    with pytest.raises(ParameterError, match="`width` must be a finite number above 0"):
        MEWS(width=0.0)


# candidates


def test_candidates_are_shares_of_the_range_and_leave_no_row_alone():
    frame = pd.DataFrame({"x": np.arange(40.0), "y": np.arange(40.0) * 1000})
    found = candidates(microdata(frame), upper=0.5)
    assert found
    for candidate in found:
        assert candidate.width <= 0.5
        widths = {"x": candidate.width * 39.0, "y": candidate.width * 39_000.0}
        facts = outcome(frame, MEWS(width=widths)).facts
        degree, depth = candidate.degree, candidate.minimal_depth
        assert facts[0].startswith(f"partition degree {degree}, minimal depth {depth}:")
        assert facts[1].startswith("0 of 40 rows are alone in a cell")


def test_candidates_refuse_what_the_method_refuses():
    with pytest.raises(SchemaError, match="'w' is not a masked column"):
        candidates(microdata(frame_of(20)), ["w"])


def test_by_hand():
    """At 1 each row is alone; the cells of 2, 3, 4 hold two rows each, those of 5 three or more."""
    column = np.array([20.0, 21.0, 24.0, 25.0, 28.0, 29.0])
    assert candidate_widths([column], upper=9.0, tried=9) == (
        ProposedWidth(2.0, 3, 2),
        ProposedWidth(5.0, 2, 3),
        ProposedWidth(9.0, 1, 6),
    )


def test_nothing_below_the_lower_bound_or_above_the_upper_one():
    column = np.array([20.0, 21.0, 24.0, 25.0, 28.0, 29.0])
    assert [c.width for c in candidate_widths([column], upper=5.0, tried=5)] == [2.0, 5.0]
    assert candidate_widths([column], upper=1.0, tried=4) == ()


def test_rows_without_company_leave_no_candidate():
    assert candidate_widths([np.array([0.0, 1.0, 100.0])], upper=50.0) == ()


def test_cells_end_where_a_stratum_does():
    column = np.array([0.0, 0.1, 1.0, 1.1])
    assert len(candidate_widths([column], upper=0.5)) == 1
    apart = np.array([0, 1, 0, 1], np.int32)
    assert candidate_widths([column], upper=0.5, strata=apart) == ()
    assert [c.degree for c in candidate_widths([column], upper=2.0, strata=apart)] == [2]


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=40),
    st.floats(0.5, 30),
    st.integers(1, 30),
)
def test_candidates_are_the_narrowest_of_each_depth(rows, upper, tried):
    columns = np.array(rows, float).T
    strata = np.zeros(len(rows), np.int32)
    depths = {
        width: minimal_depth(depths_of(cells_of([places_of(c, width) for c in columns], strata)))
        for width in (upper * step / tried for step in range(1, tried + 1))
    }
    found = candidate_widths(columns, upper=upper, tried=tried)
    assert {c.minimal_depth for c in found} == {d for d in depths.values() if d >= 2}
    assert [c.width for c in found] == sorted(c.width for c in found)
    for candidate in found:
        same = [w for w, depth in depths.items() if depth == candidate.minimal_depth]
        assert candidate.width == min(same)


def test_privacy_of_the_candidates_is_lemma_2():
    column = np.random.default_rng(1).normal(size=500)
    found = candidate_widths([column[np.abs(column) < 2]], upper=2.0)
    assert len(found) > 3
    chances = [1 / (c.minimal_depth - 1) for c in found]
    assert equi_width_privacy([c.minimal_depth for c in found]) == pytest.approx(np.mean(chances))


@pytest.mark.parametrize("wrong", [{"upper": 0.0}, {"upper": np.inf}, {"upper": 1.0, "tried": 0}])
def test_bounds_must_make_sense(wrong):
    with pytest.raises(UsageError, match="candidate_widths: give"):
        candidate_widths([np.arange(3.0)], **wrong)
    with pytest.raises(UsageError, match="candidate_widths: give"):
        candidate_widths([], upper=1.0)
