from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.algorithms.blocks import RandomBlocks, split_into_blocks
from swapmeet.base.parallel import Workers
from swapmeet.base.row_hash import RowHash
from swapmeet.base.seeds import Seed
from swapmeet.engines.blocks import CellLayout, Sampling, expected_guests, needs_cells
from swapmeet.engines.local.engine import deal_rows, layout_in_memory
from swapmeet.errors import TableError
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

SEED = Seed.chosen_by_user(1)


def people(n=3000, seed=1):
    """Correlated, skewed, with ties, missing values, a constant and categories."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "a": base + rng.normal(size=n) * 0.3,
            "b": np.exp(base),
            "c": rng.integers(0, 5, n).astype(float),
            "d": 1.0,
            "t": rng.choice(["x", "y", "z"], n, p=[0.6, 0.3, 0.1]),
        }
    )
    frame.loc[rng.random(n) < 0.1, "c"] = np.nan
    frame.loc[rng.random(n) < 0.1, "t"] = None
    return frame


def microdata(frame):
    table = Table(frame)
    return Microdata.of(table, sm.Schema.infer(frame).in_order(table.names))


def neighbours(points, rows, count):
    """Squared distances of the nearest `count` others of some rows, by brute force."""
    for row in rows:
        away = ((points.numbers - points.numbers[:, [row]]) ** 2).sum(axis=0)
        for codes, costs in zip(points.codes, points.costs, strict=True):
            away += np.where(codes != codes[row], costs[codes] + costs[codes[row]], 0.0)
        away[row] = np.inf
        yield away, np.partition(away, count - 1)[count - 1]


@pytest.mark.parametrize(
    "method",
    [sm.RWN(k=5), sm.RWN(k=5, weights=0.05, scale="zscore"), sm.RWN(k=5, search="cells")],
)
def test_donors_are_among_the_nearest_rows_of_the_whole_table(method, masked):
    frame = people()
    release = masked(frame, method, seed=1, engine=sm.Local(block_rows=300))
    points = method.neighborhood.space.points(microdata(frame))
    rows = np.arange(0, 3000, 7)
    near = [
        (away[release.audit.donors[row]] <= kth * (1 + 1e-9)).all()
        for row, (away, kth) in zip(rows, neighbours(points, rows, 5), strict=True)
    ]
    told = next(note for note in release.notes if note.startswith("neighbours are exact for"))
    share = float(told.split()[4]) / 100 if "%" in told else 1.0
    assert np.mean(near) > 0.9
    assert np.mean(near) >= share - 0.03
    assert release.audit.moved.mean() > 0.9


def test_random_blocks_find_others(masked):
    frame = people()
    method = sm.RWN(k=5, search="partition", parts=1)
    release = masked(frame, method, seed=1, engine=sm.Local(block_rows=300))
    points = sm.RWN(k=5).neighborhood.space.points(microdata(frame))
    rows = np.arange(0, 3000, 7)
    pairs = zip(rows, neighbours(points, rows, 5), strict=True)
    assert np.mean([(a[release.audit.donors[r]] <= kth).all() for r, (a, kth) in pairs]) < 0.5


def test_nbrs_has_the_balls_of_the_whole_table(masked):
    frame = people()
    method = sm.NBRS(eps=0.4, weights=0.3)
    whole = masked(frame, method, seed=1)
    cells = masked(frame, method, seed=1, engine=sm.Local(block_rows=800))
    assert "neighbours are exact for all rows." in cells.notes
    lonely = [release.audit.map.suppressed.any(axis=1) for release in (whole, cells)]
    assert 0 < lonely[0].sum() < 3000
    assert np.array_equal(*lonely)
    points = method.neighborhood.space.points(microdata(frame))
    rows = np.flatnonzero(~lonely[0])[::9]
    for row, (away, _) in zip(rows, neighbours(points, rows, 5), strict=True):
        assert (away[cells.audit.donors[row]] < 0.4**2).all()


def test_a_ball_too_wide_for_the_memory_is_told(masked):
    release = masked(people(), sm.NBRS(eps=50.0), seed=1, engine=sm.Local(block_rows=100))
    told = next(note for note in release.notes if "neighbours are exact" in note)
    assert "the others may have nearer ones beyond the halo of their cell" in told
    assert release.audit.moved.mean() > 0.9


def test_the_share_of_chosen_records_is_that_of_own_rows(masked):
    release = masked(people(), sm.NBRS(eps=2.0, q=0.3), seed=1, engine=sm.Local(block_rows=500))
    touched = (release.audit.donors != np.arange(3000)[:, np.newaxis]).any(axis=1)
    assert touched.sum() == pytest.approx(900, abs=15)


@pytest.mark.parametrize("n", [11, 20, 60])
@pytest.mark.parametrize("method", [sm.RWN(k=2), sm.NBRS(eps=1.0)])
def test_tiny_tables(n, method, masked):
    release = masked(people(n), method, seed=1, engine=sm.Local(block_rows=10))
    assert release.audit.donors.shape == (n, 5)


def test_k_near_the_size_of_a_cell(masked):
    frame = people(400)[["a", "b"]]
    release = masked(frame, sm.RWN(k=90), seed=1, engine=sm.Local(block_rows=100))
    assert release.audit.moved.mean() > 0.9


def test_heaps_of_equal_rows_are_masked_in_bounded_blocks(masked):
    frame = people()
    frame.iloc[:2700] = frame.iloc[0]
    data, method = microdata(frame), sm.RWN(k=5)
    layout = layout_in_memory(method, data, 300, SEED, 1)
    members = list(split_into_blocks(deal_rows(layout, data, Workers(1))))
    assert max(len(m.rows) for m in members) < 1000
    release = masked(frame, method, seed=1, engine=sm.Local(block_rows=300))
    assert release.audit.moved.mean() > 0.9


def test_strata_are_never_left(masked):
    frame = people().assign(region=np.repeat(["n", "s", "e"], [2000, 950, 50]))
    schema = sm.Schema.infer(frame).assign(strata=["region"])
    engine = sm.Local(block_rows=300)
    release = masked(frame, sm.RWN(k=5), schema=schema, seed=1, engine=engine)
    donors = release.audit.donors[:, :5]
    regions = frame["region"].to_numpy()
    assert (regions[donors] == regions[:, np.newaxis]).all()


def test_cells_are_only_for_those_who_seek_neighbours_and_when_a_stratum_is_cut():
    data = microdata(people())
    near, far = sm.RWN(k=5), sm.SJPPDS()
    assert isinstance(layout_in_memory(near, data, 300, SEED, 1), CellLayout)
    assert isinstance(layout_in_memory(far, data, 300, SEED, 1), RandomBlocks)
    assert isinstance(layout_in_memory(near, data, 3000, SEED, 1), RandomBlocks)
    hybrid = sm.PerColumn(parts=[(sm.RWN(k=5), ["a"])])
    for method in (sm.RWN(k=5, search="sample"), sm.RWN(k=5, search="partition"), hybrid, far):
        assert not needs_cells(method, np.array([3000]), 300)
    assert needs_cells(sm.NBRS(eps=1.0), np.array([3000]), 300)


def test_the_sample_is_a_random_share_by_row_number():
    sampling = Sampling(0.2, RowHash.of(SEED.stream("x")))
    rows = np.arange(100_000)
    chosen = sampling.chosen(rows)
    assert chosen.mean() == pytest.approx(0.2, abs=0.01)
    assert np.array_equal(sampling.chosen(rows[::-1]), chosen[::-1])
    assert Sampling(1.0, sampling.hashing).chosen(rows).all()


def test_repr_shows_no_values():
    layout = layout_in_memory(sm.RWN(k=5), microdata(people()), 1000, SEED, 1)
    assert repr(layout) == f"<CellLayout of {layout.count} blocks>"


# cells without guests, for methods that group rows


def cells_without_guests(method, data, block_rows):
    layout = layout_in_memory(method, data, block_rows, SEED, 1)
    assert isinstance(layout, CellLayout)
    return list(split_into_blocks(deal_rows(layout, data, Workers(1))))


def test_each_row_is_in_one_cell_of_a_method_that_groups_rows_and_nobody_is_a_guest():
    data = microdata(people())
    members = cells_without_guests(sm.MatchedSwap(k=10), data, 300)
    assert all(len(member.own) == len(member.rows) for member in members)
    assert np.array_equal(np.sort(np.concatenate([m.rows for m in members])), np.arange(3000))
    assert (
        expected_guests(sm.MatchedSwap(), 3000, 300) == 0.0 < expected_guests(sm.RWN(), 3000, 300)
    )


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(n=st.integers(41, 700), k=st.integers(2, 10), copies=st.integers(0, 40), seed=st.integers(0))
def test_cells_have_room_for_two_groups_and_values_are_permuted(n, k, copies, seed):
    frame = people(n, seed)
    frame.iloc[:copies] = frame.iloc[0]
    method, data = sm.MatchedSwap(k=k, by="tree"), microdata(frame)
    members = cells_without_guests(method, data, 40)
    outcome = sm.Local(block_rows=40).run(method, data, SEED)
    assert min(len(member.rows) for member in members) >= min(2 * k, 20)
    assert outcome.donors.is_permutation().all()


@pytest.mark.slow
def test_a_row_gets_values_from_rows_nearly_as_near_as_in_the_whole_table(masked):
    frame, away = people(6000).drop(columns="c"), {}
    method = sm.MatchedSwap(k=5, weights=0.3)
    points = method.grouping.space.points(microdata(frame)).numbers
    parts = sm.PerColumn(parts=[(method, tuple(frame))])
    for name, chosen, rows in (
        ("whole", method, None),
        ("cells", method, 600),
        ("random", parts, 600),
    ):
        donors = masked(frame, chosen, seed=1, engine=sm.Local(block_rows=rows)).audit.donors[:, 0]
        away[name] = float(((points - points[:, donors]) ** 2).mean())
    assert away["cells"] < 1.5 * away["whole"]
    assert away["random"] > 3.0 * away["whole"]


def test_a_column_may_be_missing_in_a_whole_cell(masked):
    frame = people()[["a", "b"]]
    frame["b"] = frame["b"].where(frame["a"] < 0.2)
    method, engine = sm.MatchedSwap(k=5, by="tree"), sm.Local(block_rows=500)
    members = cells_without_guests(method, microdata(frame), 500)
    assert any(frame["b"].iloc[member.rows].isna().all() for member in members)
    release = masked(frame, method, seed=1, engine=engine)
    assert release.audit.map.is_permutation().all()


def in_wards(sizes):
    frame = people(sum(sizes)).assign(ward=np.repeat(np.arange(len(sizes)).astype(str), sizes))
    return frame, sm.Schema.infer(frame).assign(strata=["ward"])


def test_strata_that_are_groups_share_blocks(masked):
    frame, schema = in_wards([200, 90, 150, 60])
    method, engine = sm.MatchedSwap(k=5, by="strata"), sm.Local(block_rows=250)
    release = masked(frame, method, schema=schema, seed=1, engine=engine)
    wards = frame["ward"].to_numpy()
    assert release.notes[0] == "masked in 3 blocks of 60 to 240 rows."
    assert any(note.startswith("4 groups of 60 to 200 rows") for note in release.notes)
    assert (wards[release.audit.donors[:, :5]] == wards[:, np.newaxis]).all()


@pytest.mark.parametrize("alone", [True, False])
def test_strata_that_are_groups_are_never_split(alone, masked):
    frame, schema = in_wards([200, 90, 310, 60])
    method = sm.MatchedSwap(k=5, by="strata")
    method = method if alone else sm.PerColumn(parts=[(method, ["a", "b"])])
    with pytest.raises(TableError) as caught:
        masked(frame, method, schema=schema, seed=1, engine=sm.Local(block_rows=250))
    assert str(caught.value) == (
        f"{method.name}: strata are its groups, which blocks must not split; the largest has 310 "
        "rows, and a block 250. Raise `block_rows` to 310 or more, or let it form the "
        "groups itself."
    )
