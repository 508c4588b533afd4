from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swapmeet.base.parallel import Workers
from swapmeet.methods.matched_swap import similar as groups
from swapmeet.methods.matched_swap.similar import WAYS, group_rows


def groups_of(points, k, way, strata=None, workers=None):
    strata = np.zeros(points.n, np.int32) if strata is None else np.array(strata, np.int32)
    labels = group_rows(points, strata, k, way, workers or Workers(1))
    return sorted(np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1))


def spread_of(points, labels):
    """The mean squared distance of the rows from the centre of their group."""
    total, sizes = 0.0, np.bincount(labels)
    parts = [(column, 1.0) for column in points.numbers]
    for codes, costs in zip(points.codes, points.costs, strict=True):
        parts += [((codes == level) * 1.0, costs[level]) for level in np.unique(codes)]
    for column, cost in parts:
        means = np.bincount(labels, column) / sizes
        total += cost * ((column - means[labels]) ** 2).sum()
    return total / points.n


# by hand


@pytest.mark.parametrize("way", WAYS)
def test_rows_side_by_side_form_groups(place, way):
    points = place([[0, 10, 1, 11, 20, 21], [0, 0, 0.5, 0, 0, 0]])
    assert groups_of(points, 2, way) == [[0, 2], [1, 3], [4, 5]]


def test_the_tree_gives_what_is_left_over_to_the_last_group(place):
    """Seven rows are three groups of 2: the first cut leaves one below, then the third is cut."""
    points = place([[6, 0, 1, 5, 2, 3, 4]])
    assert groups_of(points, 2, "tree") == [[0, 3, 6], [1, 2], [4, 5]]


def test_near_starts_at_the_row_farthest_out(place):
    """The mean is 12.3, so r = 50 takes 12 and 11; with seven rows the others are one group."""
    points = place([[0, 1, 2, 10, 11, 12, 50]])
    assert groups_of(points, 3, "near") == [[0, 1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cost", [0.01, 100.0])
def test_the_cost_of_levels_decides_between_number_and_category(place, way, cost):
    points = place([[0, 0, 1, 1]], [[0, 1, 0, 1]], cost)
    expected = [[0, 2], [1, 3]] if cost > 1.0 else [[0, 1], [2, 3]]
    assert groups_of(points, 2, way) == expected


@pytest.mark.parametrize("way", WAYS)
def test_rows_of_a_level_stay_together_where_there_is_nothing_else(place, way):
    points = place([], [[0, 1, 2, 0, 1, 2, 0, 1, 2]])
    assert groups_of(points, 3, way) == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]


@pytest.mark.parametrize("way", WAYS)
def test_groups_never_cross_strata_and_a_small_stratum_is_one_group(place, way):
    points = place([[0, 0.1, 0.2, 0.3, 5, 5.1, 9]])
    found = groups_of(points, 2, way, strata=[0, 1, 0, 1, 0, 0, 2])
    assert found == [[0, 2], [1, 3], [4, 5], [6]]


def test_the_tree_breaks_ties_by_the_number_of_the_row(place):
    assert groups_of(place([[7.0] * 7]), 3, "tree") == [[0, 1, 2], [3, 4, 5, 6]]


def test_a_cut_may_slant_where_columns_go_together(place):
    """Both columns rise together but for a small part; halves of either alone would mix ends."""
    rng = np.random.default_rng(1)
    common = np.repeat([0.0, 1.0], 500)
    points = place([common + 0.6 * rng.standard_normal(1000) for _ in range(12)])
    found = group_rows(points, np.zeros(1000, np.int32), 500, "tree", Workers(1))
    share = (found == common).mean()
    assert max(share, 1.0 - share) > 0.99


# contract


@st.composite
def tables(draw):
    """Number of rows, seed, how many different values, kinds of columns, strata."""
    n, seed = draw(st.integers(1, 90)), draw(st.integers(0, 2**32))
    rng = np.random.default_rng(seed)
    values = draw(st.sampled_from([1, 2, 5, 1000]))
    numeric, nominal = draw(st.integers(0, 4)), draw(st.integers(0, 3))
    numbers = rng.integers(0, values, (numeric, n)) / 7.0
    codes = [rng.integers(0, draw(st.sampled_from([1, 2, 3, 60])), n) for _ in range(nominal)]
    strata = rng.integers(0, draw(st.integers(1, 4)), n)
    if not numeric and not nominal:
        numbers = np.zeros((1, n))
    return numbers, codes, strata


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables(), st.integers(2, 8), st.sampled_from(WAYS), st.sampled_from([5, 20, 10_000]))
def test_groups_part_each_stratum_into_k_to_2k_rows(place, table, k, way, near_rows):
    numbers, codes, strata = table
    strata = np.unique(strata, return_inverse=True)[1].astype(np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "NEAR_ROWS", near_rows)
        labels = group_rows(place(numbers, codes, 0.3), strata, k, way, Workers(1))
    assert np.array_equal(np.unique(labels), np.arange(labels.max() + 1))
    for stratum in np.unique(strata):
        inside, sizes = np.unique(labels[strata == stratum], return_counts=True)
        assert not np.isin(labels[strata != stratum], inside).any()
        rows = sizes.sum()
        assert len(sizes) == max(rows // k, 1)
        assert rows < 2 * k or sizes.min() >= k
        assert sizes.max() < 2 * k


@pytest.mark.parametrize("way", WAYS)
def test_groups_do_not_depend_on_the_number_of_workers(mixed_points, way, monkeypatch):
    monkeypatch.setattr(groups, "NEAR_ROWS", 700)
    monkeypatch.setattr(groups, "CELL_ROWS", 500)
    points = mixed_points(3000)
    assert groups_of(points, 4, way, workers=Workers(1)) == groups_of(
        points, 4, way, None, Workers(3)
    )


def test_the_tree_does_not_depend_on_how_many_rows_are_cut_side_by_side(mixed_points, monkeypatch):
    points = mixed_points(3000)
    whole = groups_of(points, 4, "tree")
    monkeypatch.setattr(groups, "CELL_ROWS", 300)
    assert groups_of(points, 4, "tree") == whole


# how close rows of a group are


@pytest.mark.parametrize(("way", "share"), [("near", 0.25), ("tree", 0.3)])
def test_groups_are_far_narrower_than_groups_of_chance(mixed_points, way, share):
    points = mixed_points(4000)
    strata = np.zeros(points.n, np.int32)
    by_chance = np.random.default_rng(0).permutation(points.n) // 5
    found = spread_of(points, group_rows(points, strata, 5, way, Workers(1)))
    assert found < share * spread_of(points, by_chance)


def test_groups_narrow_as_rows_become_more(mixed_points):
    sizes = [500, 2000, 8000]
    spreads = []
    for n in sizes:
        points = mixed_points(n)
        labels = group_rows(points, np.zeros(n, np.int32), 5, "tree", Workers(1))
        spreads.append(spread_of(points, labels))
    assert all(more > fewer * 1.2 for more, fewer in pairwise(spreads))


def test_near_keeps_census_closer_than_distances_in_units_of_the_sd(shared, place):
    from swapmeet.algorithms.groups.mdav.rounds import mdav

    columns = np.loadtxt(shared / "data" / "census.csv", delimiter=",", skiprows=1).T[1:]
    spans = columns.max(axis=1) - columns.min(axis=1)
    points = place((columns - columns.min(axis=1)[:, None]) / spans[:, None])
    strata = np.zeros(points.n, np.int32)
    plain = spread_of(points, mdav(columns, 10, Workers(1)))
    assert spread_of(points, group_rows(points, strata, 10, "near", Workers(1))) < 0.9 * plain
    assert spread_of(points, group_rows(points, strata, 10, "tree", Workers(1))) < 0.95 * plain


@pytest.mark.parametrize("way", WAYS)
def test_hundreds_of_strata_with_thousands_of_levels_are_each_parted(place, way):
    rng = np.random.default_rng(5)
    points = place([rng.random(4000)], [rng.integers(0, 50_000, 4000) for _ in range(3)], 0.1)
    strata = np.arange(4000, dtype=np.int32) // 20
    labels = group_rows(points, strata, 5, way, Workers(1))
    assert (np.bincount(labels) == 5).all()
    assert np.array_equal(labels // 4, strata)
