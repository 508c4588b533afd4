from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from brute import copy_of, make_points, neighbourhoods, squared_distances
from hypothesis import example, given
from hypothesis import strategies as st

from swapmeet.algorithms.blocks import split_into_blocks
from swapmeet.algorithms.encode import Points
from swapmeet.algorithms.neighbors import DrawTask, NeighborSearch, Rule, draw_members
from swapmeet.algorithms.neighbors.cell_sample import cells_from_sample
from swapmeet.algorithms.neighbors.cells import (
    BLOCK,
    COLUMN,
    LEFT,
    NO_HALO,
    PARTS,
    RIGHT,
    WHOLE,
    CellTrees,
)
from swapmeet.base.parallel import Workers
from swapmeet.base.row_hash import RowHash
from swapmeet.base.seeds import Seed

HASHING = RowHash(np.arange(8, dtype=np.uint32))


def cells_for(points, strata, rows_per_cell, rule, sample=None):
    sample = np.arange(points.n) if sample is None else sample
    return cells_from_sample(
        points.of(sample), strata[sample], np.bincount(strata), rows_per_cell, rule, HASHING, 1
    )


def members_for(points, strata, rows_per_cell, rule, sample=None):
    cells = cells_for(points, strata, rows_per_cell, rule, sample)
    return list(split_into_blocks(cells.deal(points, strata, np.arange(points.n))))


def groups_of(rng, n, strata):
    return np.unique(rng.integers(0, strata, n), return_inverse=True)[1].astype(np.int32)


def line(values):
    values = np.asarray(values, float)
    none = np.empty((0, len(values)), np.int32)
    return Points(values[np.newaxis], none, np.zeros((0, 1)), ())


# by hand: a line of 12 points, cut at 3.5 and 7.5, with halos of 1.5, 2 and none


def twelve():
    nodes = np.zeros((5, 5), np.int64)
    nodes[0, [LEFT, RIGHT, COLUMN]] = 1, 2, 0
    nodes[2, [LEFT, RIGHT, COLUMN]] = 3, 4, 0
    nodes[[1, 3, 4], BLOCK] = 0, 1, 2
    nodes[:, PARTS] = 1
    inf = np.inf
    return CellTrees(
        roots=np.array([0]), first=np.array([0]), nodes=nodes,
        thresholds=np.array([3.5, 0.0, 7.5, 0.0, 0.0]),
        box=np.array([[-inf, inf], [-inf, 3.5], [3.5, inf], [3.5, 7.5], [7.5, inf]]),
        span=np.empty((5, 0), np.int32),
        halos=np.array([4.0, 1.5**2, 4.0, 4.0, NO_HALO]), hashing=HASHING,
    )  # fmt: skip


def test_a_line_of_twelve_points_in_three_cells():
    dealt = twelve().deal(line(range(12)), np.zeros(12, np.int32), np.arange(12))
    first, second, third = split_into_blocks(dealt)
    assert first.own.tolist() == [0, 1, 2, 3]
    assert first.rows[4:].tolist() == [4, 5]
    assert second.own.tolist() == [4, 5, 6, 7]
    assert second.rows[4:].tolist() == [2, 3, 8, 9]
    assert third.rows.tolist() == [8, 9, 10, 11]


def test_reach_is_the_way_to_the_wall_and_through_the_halo():
    dealt = twelve().deal(line(range(12)), np.zeros(12, np.int32), np.arange(12))
    first, second, third = split_into_blocks(dealt)
    assert np.sqrt(first.reach) == pytest.approx([5.0, 4.0, 3.0, 2.0])
    assert np.sqrt(second.reach) == pytest.approx([2.5, 3.5, 3.5, 2.5])
    assert np.sqrt(third.reach) == pytest.approx([0.5, 1.5, 2.5, 3.5])
    assert (np.sqrt(first.reach) < [5.0, 4.0, 3.0, 2.0]).all()


def test_a_point_on_a_wall_is_at_home_on_one_side_only():
    dealt = twelve().deal(line([3.5, 3.5]), np.zeros(2, np.int32), np.arange(2))
    homes = dealt.blocks[~np.isnan(dealt.reach)]
    assert homes.tolist() == [0, 0]
    assert sorted(dealt.blocks[np.isnan(dealt.reach)].tolist()) == [1, 1]


# by the definition


MAKES = {
    "seed": st.integers(0, 10_000),
    "n": st.integers(30, 300),
    "d": st.integers(0, 4),
    "levels": st.lists(st.integers(1, 6), max_size=3),
    "digits": st.sampled_from([None, 0, 1, 2]),
    "costs": st.sampled_from(["even", "uneven"]),
    "strata": st.integers(1, 3),
    "rows_per_cell": st.integers(10, 90),
    "weight": st.sampled_from([1.0, 0.1, 0.001]),
}


def made(seed, n, d, levels, digits, costs, strata, weight):
    rng = np.random.default_rng(seed)
    points = make_points(rng, n, d, tuple(levels), digits=digits, costs=costs)
    return replace(points, costs=points.costs * weight), groups_of(rng, n, strata), rng


@given(k=st.integers(1, 8), eps=st.sampled_from([0.0, 0.1, 0.5]), **MAKES)
def test_every_row_has_one_home_and_no_row_within_reach_is_missing(
    seed, n, d, levels, digits, costs, strata, rows_per_cell, weight, k, eps
):
    points, groups, rng = made(seed, n, d, levels, digits, costs, strata, weight)
    sample = np.sort(rng.permutation(n)[: max(n // 2, 20)]) if seed % 2 else None
    members = members_for(points, groups, rows_per_cell, Rule(k=k, eps=eps), sample)
    assert sorted(np.concatenate([m.own for m in members])) == list(range(n))
    squares = squared_distances(points)
    squares[groups[:, None] != groups[None, :]] = np.inf
    for member in members:
        assert len(np.unique(member.rows)) == len(member.rows)
        absent = np.setdiff1d(np.arange(n), member.rows)
        nearest = squares[np.ix_(member.own, absent)].min(axis=1, initial=np.inf)
        assert (nearest >= member.reach * (1.0 - 1e-12)).all()


@given(k=st.integers(1, 5), eps=st.sampled_from([0.0, 0.3]), **MAKES)
@example(k=3, eps=0.0, seed=10, n=219, d=0, levels=[2, 5], digits=None, costs="uneven",
         strata=2, rows_per_cell=10, weight=1.0)  # fmt: skip
def test_neighbourhoods_within_reach_are_those_of_the_whole_table(
    seed, n, d, levels, digits, costs, strata, rows_per_cell, weight, k, eps
):
    points, groups, _ = made(seed, n, d, levels, digits, costs, strata, weight)
    rule = Rule(k=min(k, int(np.bincount(groups).min()) - 1), eps=eps, ties="all")
    whole = neighbourhoods(points, groups, rule)
    squares = squared_distances(points)
    for member in members_for(points, groups, rows_per_cell, rule):
        if np.bincount(groups[member.rows])[np.unique(groups[member.rows])].min() <= rule.k:
            continue
        cell = points.of(member.rows)
        strata_here = np.unique(groups[member.rows], return_inverse=True)[1].astype(np.int32)
        words = np.zeros((len(member.own), 6), np.int64)
        words[:] = np.linspace(0, 2**63 - 2**11, 6).astype(np.int64)
        task = DrawTask(copy_of(cell), strata_here, rule, words, None, Workers(1), member.reach)
        drawn, beyond, unclear = draw_members(task, NeighborSearch()), 0, 0
        for i, row in enumerate(member.own):
            sure, tied, places = whole[row]
            extent = max([rule.ball * (places == 0), *squares[row, sure], *squares[row, tied]])
            if extent > member.reach[i]:
                beyond += 1
            elif member.reach[i] == 0.0:
                unclear += 1  # rows alike may be in another cell
            else:
                assert drawn.sizes[i] == len(sure) + places
                donors = words[i][words[i] >= 0]
                assert set(member.rows[donors]) <= set(sure) | set(tied)
        assert beyond <= drawn.beyond <= beyond + unclear


def test_rows_beyond_their_reach_are_counted():
    points, strata = line(range(12)), np.zeros(12, np.int32)
    first, second, third = split_into_blocks(twelve().deal(points, strata, np.arange(12)))
    for member, beyond in ((first, 1), (second, 0), (third, 2)):
        words = np.zeros((4, 1), np.int64)
        task = DrawTask(points.of(member.rows), strata[member.rows], Rule(k=3), words, None,
                    Workers(1), member.reach)  # fmt: skip
        assert draw_members(task, NeighborSearch()).beyond == beyond


def test_guests_are_donors_but_nothing_is_drawn_for_them():
    points, strata = line([0.0, 10.0, 0.5, 10.5]), np.zeros(4, np.int32)
    words = np.array([[1], [1]])
    task = DrawTask(points, strata, Rule(k=1), words, None, Workers(1), np.array([9.0, 9.0]))
    assert draw_members(task, NeighborSearch()).sizes.tolist() == [1, 1]
    assert words.tolist() == [[2], [3]]


# sizes


@pytest.mark.parametrize("strata", [1, 3])
def test_cells_are_few_and_of_about_the_size_asked_for(strata):
    rng = np.random.default_rng(2)
    points, groups = make_points(rng, 4000, 3, (4,)), groups_of(rng, 4000, strata)
    members = members_for(points, groups, 250, Rule(k=5))
    own = [len(m.own) for m in members]
    assert max(own) <= 300
    assert len(members) <= 16 * 1.6
    assert max(len(m.rows) for m in members) <= 3.05 * 250
    assert all(len(np.unique(groups[m.rows])) == 1 for m in members)


def test_strata_that_fit_stay_whole_together():
    rng = np.random.default_rng(2)
    groups = np.repeat([0, 1, 2, 3], [40, 30, 500, 30]).astype(np.int32)
    cells = cells_for(make_points(rng, 600, 2, ()), groups, 100, Rule(k=3))
    assert cells.roots.tolist() == [WHOLE, WHOLE, 0, WHOLE]
    assert cells.first.tolist() == [0, 0, 1, 0]
    assert cells.count == 6
    dealt = cells.deal(make_points(rng, 600, 2, ()), groups, np.arange(600))
    assert np.isinf(dealt.reach[dealt.blocks == 0]).all()
    assert (dealt.blocks == 0).sum() == 100


def test_a_stratum_slightly_too_large_is_cut_in_two():
    points, strata = make_points(np.random.default_rng(2), 110, 2, ()), np.zeros(110, np.int32)
    assert [len(m.own) for m in members_for(points, strata, 100, Rule(k=3))] == [55, 55]


def test_a_sample_cuts_as_well_as_all_rows():
    rng = np.random.default_rng(7)
    points, strata = make_points(rng, 20_000, 3, ()), np.zeros(20_000, np.int32)
    members = members_for(
        points, strata, 2000, Rule(k=10), np.flatnonzero(rng.random(20_000) < 0.1)
    )
    own = [len(m.own) for m in members]
    assert len(own) == 10
    assert min(own) > 1600
    assert max(own) < 2400


def test_one_giant_heap_of_equal_rows_is_cut_at_random():
    rng = np.random.default_rng(3)
    points, strata = make_points(rng, 5000, 2, (3,)), np.zeros(5000, np.int32)
    points.numbers[:, :4500], points.codes[:, :4500] = 0.5, 1
    members = members_for(points, strata, 500, Rule(k=5))
    assert max(len(m.rows) for m in members) < 1500
    assert sorted(np.concatenate([m.own for m in members])) == list(range(5000))
    heap = [m for m in members if (m.own < 4500).all()]
    assert 8 <= len(heap) <= 10
    assert all((m.reach == 0.0).all() for m in heap)


def test_rows_that_are_all_alike_are_cut_at_random():
    points = Points(np.zeros((2, 1000)), np.empty((0, 1000), np.int32), np.zeros((0, 1)), ())
    members = members_for(points, np.zeros(1000, np.int32), 100, Rule(k=5))
    assert len(members) == 10
    assert max(len(m.rows) for m in members) < 150


def test_categories_alone_are_cut_without_guests():
    rng = np.random.default_rng(3)
    points = make_points(rng, 2000, 0, (12, 5))
    members = members_for(points, np.zeros(2000, np.int32), 300, Rule(k=5))
    assert all(len(m.own) == len(m.rows) for m in members)
    assert max(len(m.own) for m in members) <= 360


def test_nothing_to_tell_rows_apart_by():
    points = Points(np.empty((0, 50)), np.empty((0, 50), np.int32), np.zeros((0, 1)), ())
    members = members_for(points, np.zeros(50, np.int32), 20, Rule(k=2))
    assert sum(len(m.own) for m in members) == 50


# pieces and order


def test_rows_are_dealt_in_any_pieces_and_any_order():
    rng = np.random.default_rng(4)
    points, strata = make_points(rng, 3000, 2, (3,), digits=2), groups_of(rng, 3000, 2)
    cells = cells_for(points, strata, 400, Rule(k=5))
    whole = cells.deal(points, strata, np.arange(3000))
    pieces = np.array_split(rng.permutation(3000), 7)
    found = set()
    for rows in pieces:
        found |= written_out(rows, cells.deal(points.of(rows), strata[rows], rows))
    assert found == written_out(np.arange(3000), whole)


def written_out(rows, dealt):
    reach = np.nan_to_num(dealt.reach, nan=-1.0)
    return set(zip(rows[dealt.places], dealt.blocks, reach, strict=True))


def test_threads_do_not_change_the_cells():
    rng = np.random.default_rng(4)
    points, strata = make_points(rng, 3000, 2, (3,)), np.zeros(3000, np.int32)
    one, two = (
        cells_from_sample(copy_of(points), strata, np.array([3000]), 300, Rule(k=5), HASHING, t)
        for t in (1, 2)
    )
    for name in ("nodes", "thresholds", "halos", "box", "span"):
        assert np.array_equal(getattr(one, name), getattr(two, name))


def test_repr_keeps_thresholds_which_are_values():
    assert repr(twelve()) == "<Cells: 3 blocks>"


# the search by cells in memory


@pytest.mark.slow
def test_cells_with_halos_are_nearly_exact():
    rng = np.random.default_rng(0)
    points, strata = make_points(rng, 4000, 3, ()), np.zeros(4000, np.int32)
    squares = squared_distances(points)
    means, beyond = {}, {}
    for way in ("exact", "cells", "partition"):
        streams = Seed.chosen_by_user(1).within("test")
        words = np.stack([streams.random_bits(4000, str(j)) for j in range(4)], axis=1)
        task = DrawTask(copy_of(points), strata, Rule(k=5), words, streams, Workers(2))
        beyond[way] = draw_members(task, NeighborSearch(way, parts=8)).beyond
        means[way] = np.sqrt(np.take_along_axis(squares, words, axis=1)).mean()
    assert means["cells"] < 1.002 * means["exact"]
    assert means["partition"] > 1.5 * means["exact"]
    assert 0 < beyond["cells"] < 0.05 * 4000
